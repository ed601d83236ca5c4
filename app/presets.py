"""Tensors to start from: the seeds' own, and one for three axes at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.tensor import Tensor


@dataclass(frozen=True)
class Preset:
    """A named tensor."""

    title: str
    tensor: Tensor


def _tensor(values: list[list[list[float]]]) -> Tensor:
    return Tensor("[B,T,d]", np.array(values, dtype=np.float64))


PRESETS: dict[str, Preset] = {
    "sequences": Preset(
        "Two sequences, three tokens",
        _tensor(
            [
                [[2, 4, 4, 6], [1, 3, -2, 0.5], [0, 1, 7, 2]],
                [[11, 13, 12, 9], [-1, -3, 2, 1], [3, 3, 3, 5]],
            ]
        ),
    ),
    "pair": Preset("The opening pair", _tensor([[[1, 3]]])),
    "shifted": Preset("The pair, plus 10", _tensor([[[11, 13]]])),
    "token": Preset("One token, four features", _tensor([[[2, 4, 4, 6]]])),
    "batch": Preset("Four examples, one feature", _tensor([[[0]], [[2]], [[10]], [[12]]])),
}
DEFAULT_PRESET = "sequences"


def preset_of(tensor: Tensor) -> str | None:
    """The key of the preset that equals a tensor, if one does."""
    return next((key for key, preset in PRESETS.items() if preset.tensor == tensor), None)
