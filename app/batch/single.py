"""One example: what the formula gives, what frameworks do, what evaluation does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import kernels
from app.batch.conventions import CONVENTIONS, Settings
from app.batch.forwards import channels_of
from app.batch.train import as_torch_says
from app.tensor import Tensor
from kernels import NormResult
from kernels.axes import LAYOUTS


@dataclass(frozen=True)
class Answer:
    """What one way of running BatchNorm answers to the example.

    Attributes:
        key: its row in `WAYS`.
        result: the kernel's, or None where it raises.
        error: what it raises, in PyTorch's words, or "".
    """

    key: str
    result: NormResult | None
    error: str


Way = Callable[[Tensor, Settings], NormResult]


def _fresh(tensor: Tensor) -> tuple[np.ndarray, np.ndarray]:
    """Running statistics of a new layer: 0 and 1."""
    channels = channels_of(tensor)
    return np.zeros(channels), np.ones(channels)


def _channel(tensor: Tensor) -> int:
    return LAYOUTS[tensor.layout].channel


def _training(tensor: Tensor, settings: Settings, convention: str, strict: bool) -> NormResult:
    rule = CONVENTIONS[convention]
    # The number is read as PyTorch's; in the other convention its complement is the same update.
    number = 1 - settings.momentum if convention == "keras" else settings.momentum
    return kernels.batch_norm(
        tensor.values,
        *_fresh(tensor),
        training=True,
        strict=strict,
        eps=settings.eps,
        channel_axis=_channel(tensor),
        **rule.arguments(number),
    )


def _evaluation(tensor: Tensor, settings: Settings) -> NormResult:
    return kernels.batch_norm(
        tensor.values, *_fresh(tensor), eps=settings.eps, channel_axis=_channel(tensor)
    )


def _untracked(tensor: Tensor, settings: Settings) -> NormResult:
    return kernels.batch_norm(tensor.values, eps=settings.eps, channel_axis=_channel(tensor))


# Each way to run BatchNorm on one example, in the order of the table on the page.
WAYS: dict[str, Way] = {
    "formula": lambda tensor, settings: _training(tensor, settings, "pytorch", strict=False),
    "pytorch": lambda tensor, settings: _training(tensor, settings, "pytorch", strict=True),
    "keras": lambda tensor, settings: _training(tensor, settings, "keras", strict=False),
    "evaluation": _evaluation,
    "untracked": _untracked,
}


def answers(tensor: Tensor, settings: Settings) -> list[Answer]:
    """Every way's answer to the tensor."""
    found = []
    for key, way in WAYS.items():
        try:
            found.append(Answer(key, way(tensor, settings), ""))
        except ValueError as error:
            found.append(Answer(key, None, as_torch_says(str(error), tensor.values.shape)))
    return found


def other_normalizers(tensor: Tensor, eps: float) -> dict[str, NormResult]:
    """LayerNorm and RMSNorm of the same example over its channels."""
    axis = _channel(tensor)
    return {
        "layer": kernels.normalize(tensor.values, axis, eps=eps),
        "rms": kernels.normalize(tensor.values, axis, center=False, eps=eps),
    }
