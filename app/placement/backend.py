"""Where stacks are computed: the seam between the scene and NumPy, or whatever is faster.

A backend is asked for a run of some settings. Iterating over the run does a small piece of work a
step and yields the fraction done; a step that has to wait, as a graphics processor's does, yields
an awaitable instead, and is asked for the next one when that is through. `BACKENDS` lists them,
the fastest first; the first that can take the settings is used.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Iterator
from dataclasses import dataclass
from typing import Protocol

from app.placement.cost import PASS_BYTES, WEIGHT_BYTES, Clock
from kernels.residual import StackRun, Stacks, StackTrace
from kernels.stack_settings import StackSettings
from kernels.weights import WeightStore


class Run(Protocol):
    """One stack being computed."""

    title: str  # the backend it runs on

    @property
    def trace(self) -> StackTrace | None:
        """The result, once all steps are done."""

    def __iter__(self) -> Iterator[float | Awaitable[object]]:
        """Do the work, a piece a step."""


class Backend(Protocol):
    """Computes stacks."""

    title: str

    def takes(self, settings: StackSettings) -> bool:
        """Whether it can compute this stack here and now."""

    def finished(self, settings: StackSettings) -> StackTrace | None:
        """The result of these very settings, if it is still held."""

    def run(self, settings: StackSettings) -> Run:
        """A run from what is held to the result."""

    def seconds(self, settings: StackSettings) -> float:
        """About how long a run would take."""


@dataclass
class Work:
    """Layers run since the start: what tests count, and what shows that nothing ran twice."""

    forward_layers: int = 0
    backward_layers: int = 0


class NumpyBackend:
    """`kernels.residual` as it is."""

    title = "NumPy"

    def __init__(self, stacks: Stacks | None = None) -> None:
        """A backend that has computed nothing yet."""
        self.stacks = stacks or Stacks(
            weights=WeightStore(limit_bytes=WEIGHT_BYTES), limit_bytes=PASS_BYTES
        )
        self.work = Work()
        self.clock = Clock()
        self._drawn: set[tuple[int, int]] = set()  # (seed, width) whose weights a run has drawn

    def takes(self, settings: StackSettings) -> bool:
        """It takes whatever the settings allow."""
        return True

    def finished(self, settings: StackSettings) -> StackTrace | None:
        """From the traces that `Stacks` holds."""
        return self.stacks.finished(settings)

    def seconds(self, settings: StackSettings) -> float:
        """By `app.placement.cost`; nothing for what is held."""
        return 0.0 if self.finished(settings) is not None else self.fresh(settings)

    def fresh(self, settings: StackSettings) -> float:
        """The same where nothing is held."""
        return self.clock.seconds(settings, weights_drawn=self.weights_drawn(settings))

    def run(self, settings: StackSettings) -> Run:
        """A counted and timed `StackRun`."""
        return CountedRun(StackRun(settings, self.stacks), self)

    def weights_drawn(self, settings: StackSettings) -> bool:
        """Whether a run has drawn these settings' weights."""
        return (settings.seed, settings.width) in self._drawn

    def learn(self, settings: StackSettings, seconds: float) -> None:
        """A whole run took so long."""
        self.clock.learn(
            settings, weights_drawn=self.weights_drawn(settings), seconds=max(seconds, 1e-6)
        )
        self._drawn.add((settings.seed, settings.width))


class CountedRun:
    """A run of NumPy whose layers are counted and timed."""

    title = NumpyBackend.title

    def __init__(self, run: StackRun, backend: NumpyBackend) -> None:
        """Count for a backend."""
        self._run = run
        self._backend = backend

    @property
    def trace(self) -> StackTrace | None:
        """The result, once all steps are done."""
        return self._run.trace

    def __iter__(self) -> Iterator[float | Awaitable[object]]:
        if self._run.trace is not None:
            return
        backend, settings = self._backend, self._run.settings
        forward = backend.stacks.forward(settings)
        whole = forward.depth == 0
        worked, began = 0.0, time.perf_counter()
        before = forward.depth
        for fraction in self._run:
            worked += time.perf_counter() - began
            ran_forward = forward.depth > before
            backend.work.forward_layers += ran_forward
            backend.work.backward_layers += not ran_forward
            before = forward.depth
            yield fraction
            began = time.perf_counter()
        if whole:
            backend.learn(settings, worked)


def choose(backends: tuple[Backend, ...], settings: StackSettings) -> Backend:
    """The first backend that takes these settings; NumPy, the last of them, takes all."""
    return next(backend for backend in backends if backend.takes(settings))
