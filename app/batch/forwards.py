"""The forwards a BatchNorm layer has seen, and the running statistics they leave behind."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from app.batch.conventions import Settings
from app.tensor import Tensor
from kernels.axes import LAYOUTS
from kernels.batch_norm import channel_layout
from kernels.running import RunningStatistics, updated
from kernels.statistics import Moments, moments

MOST_FORWARDS = 200


@dataclass(frozen=True)
class Run:
    """The same forward, ``count`` times in a row."""

    tensor: Tensor
    training: bool = True
    no_grad: bool = False
    count: int = 1

    def same_forward(self, other: Run) -> bool:
        """Whether both do the same, however often."""
        return replace(self, count=1) == replace(other, count=1)


Forwards = tuple[Run, ...]


def count_of(forwards: Forwards) -> int:
    """How many forwards there were."""
    return sum(run.count for run in forwards)


def one_more(forwards: Forwards, run: Run) -> Forwards:
    """The forwards with one more; beyond `MOST_FORWARDS` nothing is added."""
    if count_of(forwards) + run.count > MOST_FORWARDS:
        return forwards
    if forwards and forwards[-1].same_forward(run):
        last = forwards[-1]
        return (*forwards[:-1], replace(last, count=last.count + run.count))
    return (*forwards, run)


def one_less(forwards: Forwards) -> Forwards:
    """The forwards without the last one."""
    if not forwards:
        return forwards
    *before, last = forwards
    return (*before, replace(last, count=last.count - 1)) if last.count > 1 else tuple(before)


@dataclass(frozen=True)
class History:
    """Running statistics before the first forward and after each: shapes ``[forwards + 1, C]``."""

    mean: np.ndarray
    variance: np.ndarray
    training: np.ndarray
    no_grad: np.ndarray
    batches_seen: int

    @property
    def running(self) -> RunningStatistics:
        """What is stored now."""
        return RunningStatistics(self.mean[-1], self.variance[-1])


def channel_moments(tensor: Tensor) -> Moments:
    """m, μ and σ² of each channel; the statistics have shape ``[C]``."""
    _, _, axes, _ = channel_layout(tensor.values, LAYOUTS[tensor.layout].channel)
    taken = moments(tensor.values, axes)
    return Moments(taken.num_values, taken.mean.reshape(-1), taken.variance.reshape(-1))


def values_a_channel(tensor: Tensor) -> int:
    """m, the values of a channel."""
    return tensor.values.size // channels_of(tensor)


def channels_of(tensor: Tensor) -> int:
    """How many channels a tensor has."""
    return tensor.values.shape[LAYOUTS[tensor.layout].channel]


def history(forwards: Forwards, channels: int, settings: Settings) -> History:
    """Every state of the running statistics, from (0, 1) on.

    Only a forward in training moves them; whether gradients were recorded plays no part.
    """
    running = RunningStatistics(np.zeros(channels), np.ones(channels))
    means, variances = [running.mean], [running.variance]
    training: list[bool] = []
    no_grad: list[bool] = []
    seen = 0
    for run in forwards:
        batch = channel_moments(run.tensor)
        for _ in range(run.count):
            if run.training:
                weights = settings.rule.weights(settings.momentum, seen)
                running = updated(running, batch, weights, settings.rule.unbiased)
                seen += 1
            means.append(running.mean)
            variances.append(running.variance)
        training += [run.training] * run.count
        no_grad += [run.no_grad] * run.count
    return History(
        np.array(means), np.array(variances), np.array(training), np.array(no_grad), seen
    )
