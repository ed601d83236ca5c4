"""Runs the chosen placement first and the others as time allows, in slices that can be stopped.

Everything a stack depends on is in its `StackSettings`, so what of the results still holds after a
change is not tracked by hand: `begin` asks the backend for each of the new settings, and runs those
it has no result for.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Iterator
from dataclasses import dataclass, field

from app.placement.backend import Backend, NumpyBackend, choose
from app.placement.catalogue import in_order, key_of, listed
from app.placement.cost import PATIENCE
from app.strings import say
from kernels.residual import StackTrace
from kernels.stack_settings import StackSettings

# Work that takes less than this many seconds is not announced: it would only flash.
WORTH_TELLING = 0.5

# While all of the work takes less than this many seconds, a plot's range waits for it.
MOMENT = 1.0

# A slice ends with the layer in which this many seconds have passed.
SLICE = 0.020


@dataclass(frozen=True)
class Plan:
    """Which placements run at once, which wait for a person, and what either takes."""

    now: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    seconds_now: float = 0.0
    seconds_held: float = 0.0
    seconds_chosen: float = 0.0
    chosen_held: bool = False


@dataclass(frozen=True)
class Ran:
    """A stack that is through: on which backend, and its seconds without what ran between."""

    title: str
    seconds: float


@dataclass
class Runner:
    """The results for the present settings, and the work that is left."""

    backends: tuple[Backend, ...] = field(default_factory=lambda: (NumpyBackend(),))
    traces: dict[str, StackTrace] = field(default_factory=dict)
    plan: Plan = field(default_factory=Plan)
    refusal: str = ""  # why nothing can be computed, or why it ended; in words
    fraction: float = 0.0  # of all that runs at once
    last: Ran | None = None  # the newest result: where it was computed, and how long it took
    stopped: bool = False
    _settings: StackSettings | None = None
    _asked: dict[str, StackSettings] = field(default_factory=dict)  # of every placement
    _left: list[str] = field(default_factory=list)

    @property
    def settings(self) -> StackSettings:
        """What the chosen placement is computed with; RuntimeError before there are any."""
        if self._settings is None:
            raise RuntimeError("the runner has no settings it can compute")
        return self._settings

    @property
    def backend(self) -> Backend:
        """Where these settings are computed."""
        return choose(self.backends, self.settings)

    @property
    def chosen(self) -> StackTrace | None:
        """The result for the chosen placement, once it is there."""
        if self._settings is None:
            return None
        return self.traces.get(key_of(self._settings.placement))

    @property
    def seconds_to_chosen(self) -> float:
        """About how long the chosen placement takes."""
        return 0.0 if self.chosen is not None else self.plan.seconds_chosen

    @property
    def busy(self) -> bool:
        """Whether anything is left to run that was not stopped."""
        return bool(self._left) and not self.stopped

    @property
    def nearly_done(self) -> bool:
        """Whether what is left comes within a moment: what is shown may wait for it to settle."""
        return self.busy and self.plan.seconds_now < MOMENT

    @property
    def missing(self) -> list[str]:
        """The keys of all placements that have no result for these settings."""
        if self._settings is None:
            return []
        return [key for key in in_order(self.settings.placement) if key not in self.traces]

    @property
    def next(self) -> str:
        """The key of the placement that is running or comes next; "" when none does."""
        return self._left[0] if self.busy else ""

    def settings_of(self, key: str) -> StackSettings:
        """The same stack under another placement: nothing else differs."""
        return self._asked[key]

    def begin(self, settings: StackSettings, *, patient: bool = False) -> None:
        """Take new settings: keep the results that hold for them, and plan the rest.

        patient: a person has asked for what would otherwise wait.
        """
        self._settings = settings
        self._asked = {row.key: settings.under(row.placement) for row in listed(settings.placement)}
        self.stopped, self.refusal = False, ""
        self.fraction = 0.0
        backend, order = self.backend, in_order(settings.placement)
        finished = {key: backend.finished(self.settings_of(key)) for key in order}
        self.traces = {key: trace for key, trace in finished.items() if trace is not None}
        self.plan = self._plan(self.missing, PATIENCE if not patient else float("inf"))
        self._left = list(self.plan.now)

    def refuse(self, reason: str) -> None:
        """There is no stack with what is asked for: nothing is shown of the one before."""
        self._settings = None
        self.refusal = reason
        self.traces, self.plan, self._left = {}, Plan(), []
        self.stopped = False

    def _plan(self, missing: list[str], patience: float) -> Plan:
        now: list[str] = []
        left = patience
        backend = self.backend
        costs = {key: backend.seconds(self.settings_of(key)) for key in missing}
        for key in missing:
            left -= costs[key]
            if left < 0:
                break
            now.append(key)
        held = missing[len(now) :]
        chosen = key_of(self.settings.placement)
        return Plan(
            tuple(now),
            tuple(held),
            sum(costs[key] for key in now),
            sum(costs[key] for key in held),
            costs.get(chosen, 0.0),
            chosen_held=chosen in held,
        )

    def steps(self) -> Iterator[str | Awaitable[object] | None]:
        """Work through the plan. Yields None after a slice, a key when its result is there.

        An awaitable of the backend's is handed on, to be waited for before the next step. Memory
        that runs out ends the work, and `refusal` says so.
        """
        try:
            yield from self._steps()
        except MemoryError:
            self.plan = Plan()
            self._left = []
            self.refusal = say("place_no_memory")

    def _steps(self) -> Iterator[str | Awaitable[object] | None]:
        share = 1.0 / max(len(self._left), 1)
        done = 0
        began = time.perf_counter()
        while self.busy:
            key = self._left[0]
            run = self.backend.run(self.settings_of(key))
            worked, started = 0.0, time.perf_counter()
            for step in run:
                if isinstance(step, Awaitable):
                    yield step
                    began = time.perf_counter()
                else:
                    self.fraction = (done + step) * share
                    if time.perf_counter() - began > SLICE:
                        worked += time.perf_counter() - started
                        yield None
                        began = started = time.perf_counter()
                if self.stopped:
                    return
            self.last = Ran(run.title, worked + time.perf_counter() - started)
            if run.trace is None:
                raise RuntimeError(f"the run of {key} ended without a result")
            done += 1
            self.traces[key] = run.trace
            self._left.pop(0)
            self.fraction = done * share
            yield key
            began = time.perf_counter()

    def stop(self) -> None:
        """Leave what is left; the layers that ran stay with the backend."""
        self.stopped = True

    def resume(self) -> None:
        """Go on with what was left or waits."""
        self.begin(self.settings, patient=True)
