"""Three tiny models trained side by side, a step of each in turn, stopped and taken up at will."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from kernels.training import RECIPES, TrainingRun, TrainingStep, frequency_loss

WINDOW = 10  # steps a point of a curve is the mean of
SLICE = 0.025  # seconds of training between two looks at what a person wants
SHOWN_EVERY = 0.2  # seconds between two drawings of the curves


@dataclass
class Training:
    """The runs of `RECIPES` with one norm and one seed."""

    norm: str = "layer_norm"
    seed: int = 0
    going: bool = False
    runs: dict[str, TrainingRun] = field(default_factory=dict)

    def fit(self, norm: str, seed: int) -> bool:
        """Train with these from now on; another norm or seed drops what was learned. Whether so."""
        if (norm, seed) == (self.norm, self.seed):
            return False
        self.norm, self.seed = norm, seed
        self.going = False
        self.runs = {}
        return True

    @property
    def finished(self) -> bool:
        """Whether all runs are at their end."""
        return bool(self.runs) and all(run.finished for run in self.runs.values())

    @property
    def started(self) -> bool:
        """Whether a step was taken."""
        return any(run.history for run in self.runs.values())

    @property
    def steps_done(self) -> int:
        """Steps that every run has taken, or that it ended before."""
        counts = [len(run.history) for run in self.runs.values() if not run.diverged]
        return min(counts, default=0)

    @property
    def total(self) -> int:
        """Steps of a run."""
        return next(iter(RECIPES.values())).steps

    def start(self) -> None:
        """Begin, go on, or begin again after the end."""
        if not self.runs or self.finished:
            self.runs = {
                name: TrainingRun(replace(recipe, norm=self.norm, seed=self.seed))
                for name, recipe in RECIPES.items()
            }
        self.going = True

    def steps(self) -> Iterator[bool]:
        """Train a slice a step; yields whether it is time to draw. Ends when all runs do."""
        iterators = {name: iter(run) for name, run in self.runs.items()}
        sliced = drawn = time.perf_counter()
        while self.going and iterators:
            for name in list(iterators):
                step: TrainingStep | None = next(iterators[name], None)
                if step is None:
                    del iterators[name]
                now = time.perf_counter()
                if now - sliced > SLICE:
                    draw = now - drawn > SHOWN_EVERY
                    yield draw
                    sliced = time.perf_counter()
                    drawn = sliced if draw else drawn
                    if not self.going:
                        return
        self.going = False
        yield True

    def losses(self, name: str) -> NDArray[np.float64]:
        """A run's losses so far, nats a character; NaN where they are not finite."""
        run = self.runs.get(name)
        losses = np.array([step.loss for step in run.history] if run else [], dtype=np.float64)
        return np.where(np.isfinite(losses), losses, np.nan)

    def curve(self, name: str) -> NDArray[np.float64]:
        """The running mean over `WINDOW` steps, of as many as there are at the start [steps]."""
        losses = self.losses(name)
        sums = np.cumsum(np.concatenate([[0.0], losses]))
        ends = np.arange(1, len(losses) + 1)
        starts = np.maximum(ends - WINDOW, 0)
        return (sums[ends] - sums[starts]) / (ends - starts)

    def columns(self) -> dict[str, NDArray[np.float64]]:
        """The data of the plot: x, and a column a recipe, NaN for steps not taken yet."""
        data = {"x": np.arange(1, self.total + 1, dtype=np.float64)}
        for name in RECIPES:
            column = np.full(self.total, np.nan)
            curve = self.curve(name)
            column[: len(curve)] = curve
            data[name] = column
        return data

    def late_loss(self, name: str) -> float:
        """The mean loss of the last 20 steps taken; NaN before the first."""
        losses = self.losses(name)[-20:]
        return float(losses.mean()) if len(losses) else float("nan")


PLATEAU = frequency_loss()  # nats a character: what knowing the letters' frequencies gives
