"""Distribution shift: the running statistics were learned elsewhere than where they are used."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import kernels
from app.batch.conventions import Settings
from kernels.running import RunningStatistics, updated
from kernels.statistics import moments

FEATURES = 4
BATCH = 32  # examples a forward, where statistics are learned and where they are learned anew
LEARNING = 80  # forwards of training
SERVED = 256  # examples of which the outputs are shown
MOST_ADAPTED = 100
BINS = 36  # of the histograms


@dataclass(frozen=True)
class Shift:
    """Examples as they were in training and as they are served, and what each normalizer gives.

    Attributes:
        trained, served: inputs of shape ``[256, 4]``; served = trained · spread + shift.
        means, variances: running statistics before training and after each forward, ``[*, 4]``:
            first `LEARNING` forwards on training data, then those on what is served.
        before: outputs by normalizer for the training inputs, with the statistics of training.
        after: likewise for what is served, with the statistics as they are now.
    """

    trained: np.ndarray
    served: np.ndarray
    means: np.ndarray
    variances: np.ndarray
    before: dict[str, np.ndarray]
    after: dict[str, np.ndarray]

    @property
    def learned(self) -> RunningStatistics:
        """The running statistics at the end of training."""
        return RunningStatistics(self.means[LEARNING], self.variances[LEARNING])

    @property
    def running(self) -> RunningStatistics:
        """The running statistics now."""
        return RunningStatistics(self.means[-1], self.variances[-1])


def examples(generator: np.random.Generator, count: int) -> np.ndarray:
    """What the layer gets in training: features of mean 2 and standard deviation 1.5."""
    return generator.normal(2.0, 1.5, (count, FEATURES))


def learn(
    running: RunningStatistics,
    batches: list[np.ndarray],
    settings: Settings,
    seen: int,
) -> list[RunningStatistics]:
    """The running statistics after each forward in training."""
    states = []
    for batch in batches:
        taken = moments(batch, (0,))
        weights = settings.rule.weights(settings.momentum, seen)
        running = updated(running, taken, weights, settings.rule.unbiased)
        states.append(running)
        seen += 1
    return states


def outputs(x: np.ndarray, running: RunningStatistics, eps: float) -> dict[str, np.ndarray]:
    """Every normalizer on a batch: BatchNorm in evaluation, in training, LayerNorm, RMSNorm."""
    return {
        "evaluation": kernels.batch_norm(x, *running, eps=eps).output,
        "training": kernels.batch_norm(x, training=True, strict=False, eps=eps).output,
        "layer": kernels.layer_norm(x, FEATURES, eps=eps).output,
        "rms": kernels.rms_norm(x, FEATURES, eps=eps).output,
    }


@dataclass(frozen=True)
class Lesson:
    """What was learned before anything was served; nothing in it depends on the shift.

    Attributes:
        trained: inputs of shape ``[256, 4]`` as they were in training.
        states: the running statistics before training and after each of its forwards.
        fresh: the batches that further forwards would get, before they are moved.
    """

    trained: np.ndarray
    states: tuple[RunningStatistics, ...]
    fresh: tuple[np.ndarray, ...]


def learn_elsewhere(seed: int, settings: Settings) -> Lesson:
    """Draw the data and learn on it."""
    generator = np.random.default_rng(seed)
    trained = examples(generator, SERVED)
    learning = [examples(generator, BATCH) for _ in range(LEARNING)]
    fresh = tuple(examples(generator, BATCH) for _ in range(MOST_ADAPTED))
    start = RunningStatistics(np.zeros(FEATURES), np.ones(FEATURES))
    return Lesson(trained, (start, *learn(start, learning, settings, 0)), fresh)


def serve(lesson: Lesson, shift: float, spread: float, adapted: int, settings: Settings) -> Shift:
    """Move the data, let ``adapted`` forwards learn on it, and run every normalizer."""
    moved = [batch * spread + shift for batch in lesson.fresh[:adapted]]
    learned = lesson.states[-1]
    states = [*lesson.states, *learn(learned, moved, settings, LEARNING)]
    served = lesson.trained * spread + shift
    return Shift(
        trained=lesson.trained,
        served=served,
        means=np.array([state.mean for state in states]),
        variances=np.array([state.variance for state in states]),
        before=outputs(lesson.trained, learned, settings.eps),
        after=outputs(served, states[-1], settings.eps),
    )


def largest_change(one: np.ndarray, other: np.ndarray) -> float:
    """The largest difference between outputs of the same examples."""
    return float(np.abs(one - other).max())


def edges_of(*groups: np.ndarray) -> np.ndarray:
    """The edges of equal bins over all values; they have a width where all values are one."""
    low = min(float(group.min()) for group in groups)
    high = max(float(group.max()) for group in groups)
    if high - low <= 1e-9 * max(abs(low), abs(high), 1.0):
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, BINS + 1)
