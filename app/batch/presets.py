"""Tensors to start from in the Batch scene, a table for each field that holds one."""

from __future__ import annotations

import numpy as np

from app.presets import Preset
from app.tensor import Tensor


def column(*numbers: float) -> Tensor:
    """Examples of one channel."""
    return Tensor("[N,C]", np.array(numbers, dtype=np.float64)[:, np.newaxis])


def tensor(layout: str, values: list) -> Tensor:
    """Nested lists in a layout."""
    return Tensor(layout, np.array(values, dtype=np.float64))


# 1 to 12 for the first example, one more for each next: the tensor of pytorch#60528.
THREE_CHANNELS = (np.arange(4)[:, None, None] + np.arange(1, 13).reshape(3, 4)).tolist()

BATCHES: dict[str, Preset] = {
    "four": Preset("Four examples", column(0, 2, 10, 12)),
    "pair": Preset("Two examples", column(1, 3)),
    "channels": Preset("Two channels", tensor("[N,C]", [[2, 40], [4, 10], [4, 30], [6, 20]])),
    "length": Preset("Three channels with a length", tensor("[N,C,L]", THREE_CHANNELS)),
    "constant": Preset("A constant channel", column(5, 5, 5, 5)),
}

SINGLES: dict[str, Preset] = {
    "token": Preset("One token", tensor("[N,C]", [[2, 4, 4, 6]])),
    "length": Preset("One channel of length 4", tensor("[N,C,L]", [[[2, 4, 4, 6]]])),
    "point": Preset("Two channels of length 1", tensor("[N,C,L]", [[[2], [4]]])),
    "two": Preset("A second example beside it", tensor("[N,C]", [[2, 4, 4, 6], [1, 3, -2, 0.5]])),
}

PARTS: dict[str, Preset] = {
    "unequal": Preset("Six examples", column(0, 2, 10, 12, 14, 16)),
    "alike": Preset("Alike on every worker", column(0, 2, 4, 0, 2, 4)),
    "apart": Preset("One far from the rest", column(-1, 0, 1, 2, 0, 100)),
}

# What your request repeats: a token of four features, or the seeds' single one.
TOKENS: dict[str, Tensor] = {
    "hour": tensor("[N,C]", [[2, 4, 4, 6]]),
    "script": column(1),
}


def key_of(table: dict[str, Preset], value: Tensor) -> str:
    """The key of the preset that equals a tensor, or ""."""
    return next((key for key, preset in table.items() if preset.tensor == value), "")
