"""One batch in training and in evaluation: the same numbers, other statistics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import kernels
from app.batch.conventions import CONVENTIONS, Settings
from app.batch.forwards import History, channel_moments, values_a_channel
from app.tensor import Tensor
from kernels import NormResult
from kernels.axes import LAYOUTS
from kernels.formula import moments_of
from kernels.running import updated


@dataclass(frozen=True)
class Update:
    """What one forward in training would store, for one reading of momentum."""

    convention: str
    momentum: float | None
    old_weight: float
    new_weight: float
    mean: np.ndarray
    variance: np.ndarray


@dataclass(frozen=True)
class TrainAndEval:
    """Both modes on one tensor.

    Attributes:
        training, evaluation: the kernel's results. Training has the statistics after its forward.
        num_values: m, the values of a channel.
        squares: Σ(x − μ)² of each channel.
        unbiased: Σ(x − μ)²/(m − 1), NaN for m = 1.
        next: what the next forward in training would store, by the chosen reading.
        refused: PyTorch's error for this batch in training, or "".
    """

    training: NormResult
    evaluation: NormResult
    num_values: int
    squares: np.ndarray
    unbiased: np.ndarray
    next: Update
    refused: str


def train_and_eval(tensor: Tensor, past: History, settings: Settings) -> TrainAndEval:
    """Run the kernel in both modes with the running statistics as they are now."""
    channel = LAYOUTS[tensor.layout].channel
    common = {"channel_axis": channel, **settings.arguments(past.batches_seen)}
    training = kernels.batch_norm(
        tensor.values, *past.running, training=True, strict=False, **common
    )
    evaluation = kernels.batch_norm(tensor.values, *past.running, **common)
    batch = channel_moments(tensor)
    weights = settings.rule.weights(settings.momentum, past.batches_seen)
    given = None if settings.rule.cumulative else settings.momentum
    mean, variance = np.asarray(training.running_mean), np.asarray(training.running_var)
    return TrainAndEval(
        training=training,
        evaluation=evaluation,
        num_values=int(batch.num_values),
        squares=batch.variance * batch.num_values,
        unbiased=batch.unbiased_variance(),
        next=Update(settings.convention, given, *weights, mean, variance),
        refused=torch_refusal(tensor),
    )


def same_update(tensor: Tensor, past: History, momentum: float) -> list[Update]:
    """One forward from the present statistics, under every reading of the same number.

    Keras comes twice: with the same number, which then weighs the old value, and with one minus
    it, which is the same update of the mean.
    """
    readings = [
        ("pytorch", momentum),
        ("keras", 1 - momentum),
        ("keras", momentum),
        ("cumulative", momentum),
    ]
    batch = channel_moments(tensor)
    updates = []
    for convention, number in readings:
        rule = CONVENTIONS[convention]
        weights = rule.weights(number, past.batches_seen)
        after = updated(past.running, batch, weights, rule.unbiased)
        given = None if rule.cumulative else number
        updates.append(Update(convention, given, *weights, after.mean, after.variance))
    return updates


def channel_statistics(result: NormResult) -> tuple[np.ndarray, np.ndarray]:
    """μ and σ² that a centred normalizer used, flat."""
    taken = moments_of(result, 1)
    return taken.mean.ravel(), taken.variance.ravel()


def torch_refusal(tensor: Tensor) -> str:
    """What PyTorch raises in training on this tensor, in its words, or ""."""
    if values_a_channel(tensor) != 1:
        return ""
    try:
        kernels.batch_norm(
            tensor.values, training=True, channel_axis=LAYOUTS[tensor.layout].channel
        )
    except ValueError as error:
        return as_torch_says(str(error), tensor.values.shape)
    return ""


def as_torch_says(message: str, shape: tuple[int, ...]) -> str:
    """The kernel's message without its own argument's name and advice, the size as torch has it."""
    words = message.removeprefix("x: ").split(";")[0]
    return words.replace(str(list(shape)), f"torch.Size({list(shape)})")
