"""A batch spread over workers: statistics of each, averaged, and synchronized."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import kernels
from app.batch.conventions import Settings
from app.batch.forwards import channel_moments, channels_of
from app.tensor import Tensor
from kernels import NormResult
from kernels.axes import LAYOUTS
from kernels.running import RunningStatistics
from kernels.statistics import Moments, merge_moments


@dataclass(frozen=True)
class Scheme:
    """How workers come to the statistics they normalize with.

    Attributes:
        mean, variance: what each worker normalizes with, of shape ``[workers, C]``.
        output: y of all examples, in their order.
        running: each worker's running statistics after the step, from (0, 1); none where the
            scheme is no framework's.
        sent: numbers one worker sends in one forward of one layer.
    """

    mean: np.ndarray
    variance: np.ndarray
    output: np.ndarray
    running: tuple[RunningStatistics, ...]
    sent: int


def parts_of(tensor: Tensor, cuts: tuple[int, ...]) -> list[Tensor]:
    """The examples of each worker: cut before the examples numbered ``cuts``."""
    pieces = np.split(tensor.values, list(cuts))
    return [Tensor(tensor.layout, piece.copy()) for piece in pieces]


# The numbers a worker sends for a layer of C channels: nothing; mean and variance; and their count.
SENT: dict[str, Callable[[int], int]] = {
    "local": lambda channels: 0,
    "averaged": lambda channels: 2 * channels,
    "synchronized": lambda channels: 2 * channels + 1,
}


def worker_moments(tensor: Tensor, cuts: tuple[int, ...]) -> list[Moments]:
    """m, μ and σ² of each worker's own examples."""
    return [channel_moments(part) for part in parts_of(tensor, cuts)]


def whole_moments(tensor: Tensor, cuts: tuple[int, ...]) -> Moments:
    """The statistics of the whole batch, from what the workers send."""
    return merge_moments(worker_moments(tensor, cuts))


def schemes(tensor: Tensor, cuts: tuple[int, ...], settings: Settings) -> dict[str, Scheme]:
    """All three schemes on one batch."""
    values = [part.values for part in parts_of(tensor, cuts)]
    own = worker_moments(tensor, cuts)
    channels = channels_of(tensor)
    fresh = (np.zeros(channels), np.ones(channels))
    layer: dict[str, Any] = {"channel_axis": LAYOUTS[tensor.layout].channel, "strict": False}
    training: dict[str, Any] = {**layer, **settings.arguments()}
    means = np.array([one.mean for one in own])
    variances = np.array([one.variance for one in own])
    averages = means.mean(0), variances.mean(0)
    whole = merge_moments(own)
    found: dict[str, tuple[np.ndarray, np.ndarray, list[NormResult]]] = {
        "local": (
            means,
            variances,
            [kernels.batch_norm(part, *fresh, training=True, **training) for part in values],
        ),
        "averaged": (
            *averages,
            [kernels.batch_norm(part, *averages, eps=settings.eps, **layer) for part in values],
        ),
        "synchronized": (
            whole.mean,
            whole.variance,
            kernels.sync_batch_norm(values, *fresh, **training),
        ),
    }
    return {
        key: Scheme(
            mean=np.broadcast_to(mean, means.shape),
            variance=np.broadcast_to(variance, means.shape),
            output=np.concatenate([one.output for one in results]),
            running=() if key == "averaged" else tuple(map(_running, results)),
            sent=SENT[key](channels),
        )
        for key, (mean, variance, results) in found.items()
    }


def _running(result: NormResult) -> RunningStatistics:
    return RunningStatistics(np.asarray(result.running_mean), np.asarray(result.running_var))
