"""The order of measuring: sizes, runs, backends, kernels, with pauses in which the page lives."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import TypeVar

import numpy as np

from app.benchmark.backends import Array, Backend, Clock, Refused, Steps
from app.benchmark.result import Measured, measured
from app.strings import say
from kernels.webgpu.trial import array_difference

T = TypeVar("T")

ROW = 256  # values that share a statistic, where nobody asks for others
LARGEST = 26  # the exponent of the largest size; the smallest size is one row
RUNS = 5
WORTH_TIMING = 0.012  # seconds a sample should last: clocks in browsers are coarse
SHORTEST = 1e-9  # seconds: what a clock that stood still is taken for
HOLDS = 0.05  # a call that holds the page for longer is timed in fewer runs
FEWER_RUNS = 3
LONGEST = 8.0  # seconds; a size is left out where one call is expected to take longer
BLOCK = 2**18  # different values; larger sizes repeat them
COMPARED = 2**16  # the largest size at which results of both backends are compared
COMPARED_KERNELS = ("layer", "rms", "softmax")


def measure(
    backends: Sequence[Backend],
    add: Callable[[Measured], None],
    exponents: Iterable[int],
    row: int = ROW,
    clock: Clock = time.perf_counter,
) -> Steps[None]:
    """Measure size by size and `add` each; yields what is to be awaited, or None: a pause.

    Ends with the last size, or with the first that no backend could measure. Runs are interleaved,
    so that a busy moment falls on all alike.
    """
    latest: dict[tuple[str, str], float] = {}
    for exponent in exponents:
        size = Size(2**exponent, row, backends, latest)
        try:
            one, held = yield from watched(size.measured(), clock)
        finally:
            size.end()
        add(one._replace(held=held))
        if not one.seconds:
            return


def watched(steps: Steps[T], clock: Clock) -> Steps[tuple[T, float]]:
    """Steps and their result, and the seconds of the longest one: while it ran, edits waited."""
    longest = 0.0
    error: Exception | None = None
    while True:
        began = clock()
        try:
            step = next(steps) if error is None else steps.throw(error)
        except StopIteration as end:
            return end.value, max(longest, clock() - began)
        longest = max(longest, clock() - began)
        error = None
        try:
            yield step
        except Exception as raised:
            error = raised


class Size:
    """All that is measured at one size."""

    def __init__(
        self,
        size: int,
        row: int,
        backends: Sequence[Backend],
        latest: dict[tuple[str, str], float],
    ) -> None:
        """`latest`: seconds of a call at the size before, by backend and kernel."""
        self.size, self.row = size, row
        self.backends, self.active = backends, list(backends)
        self.latest = latest
        self.missing: dict[str, str] = {}
        self.samples: dict[str, dict[str, list[float]]] = {}

    def measured(self) -> Steps[Measured]:
        """Fill the values, let both begin, time, compare."""
        try:
            x = yield from values(self.size, self.row)
        except MemoryError:
            self.missing = {backend.key: say("precision_no_memory") for backend in self.backends}
            return self.outcome(None)
        for backend in self.backends:
            yield from self.guarded(backend, self.begun(backend, x))
        for run, backend in product(range(RUNS), self.backends):
            if backend in self.active and run < self.runs(backend):
                yield from self.guarded(backend, self.sampled(backend))
        return self.outcome((yield from self.compared()))

    def outcome(self, difference: float | None) -> Measured:
        """What was found."""
        active = {backend.key for backend in self.active}
        handing = next((one.handing for one in self.active if one.handing is not None), None)
        return measured(
            self.size,
            {key: samples for key, samples in self.samples.items() if key in active},
            self.missing,
            held=0.0,
            handing=handing,
            difference=difference,
        )

    def guarded(self, backend: Backend, steps: Steps[None]) -> Steps[None]:
        """Work of a backend; one that refuses, or has no memory, is left out with the reason."""
        try:
            yield from steps
        except Refused as refused:
            self.leave_out(backend, str(refused))
        except MemoryError:
            self.leave_out(backend, say("precision_no_memory"))

    def leave_out(self, backend: Backend, reason: str) -> None:
        """Go on without a backend."""
        self.active.remove(backend)
        self.missing[backend.key] = reason
        backend.end()

    def begun(self, backend: Backend, x: Array) -> Steps[None]:
        """Values taken, and each kernel called once: memory is there and shaders are compiled."""
        expected = 2 * self.slowest(backend)
        if expected > LONGEST:
            raise Refused(say("precision_too_slow", seconds=expected))
        yield from backend.begin(x)
        self.samples[backend.key] = {kernel: [] for kernel in backend.kernels}
        for kernel in backend.kernels:
            yield from backend.timed(kernel, 1)
            if (backend.key, kernel) not in self.latest:
                yield from self.estimated(backend, kernel)

    def estimated(self, backend: Backend, kernel: str) -> Steps[None]:
        """How long a call takes, at the first size: more and more calls, until a clock sees it."""
        calls = 4
        yield from backend.timed(kernel, calls)  # what is compiled or fetched only now is not meant
        while True:
            each = yield from backend.timed(kernel, calls)
            if each * calls > WORTH_TIMING / 4 or calls >= backend.most_calls:
                break
            calls = min(4 * calls, backend.most_calls)
        self.latest[backend.key, kernel] = max(each, SHORTEST)

    def sampled(self, backend: Backend) -> Steps[None]:
        """Each kernel of a backend once, by as many calls as a coarse clock needs."""
        for kernel in backend.kernels:
            worth = math.ceil(WORTH_TIMING / self.latest[backend.key, kernel])
            calls = min(worth, backend.most_calls)
            each = max((yield from backend.timed(kernel, calls)), SHORTEST)
            self.samples[backend.key][kernel].append(each)
            self.latest[backend.key, kernel] = each

    def slowest(self, backend: Backend) -> float:
        """Seconds of the slowest call of a backend so far; 0 before the first."""
        times = (self.latest.get((backend.key, kernel), 0.0) for kernel in backend.kernels)
        return max(times)

    def runs(self, backend: Backend) -> int:
        """How often each kernel is timed."""
        return RUNS if self.slowest(backend) < HOLDS else FEWER_RUNS

    def compared(self) -> Steps[float | None]:
        """The largest difference between the results of both; None where not both have any."""
        if len(self.active) < 2 or self.size > COMPARED:
            return None
        right, other = self.active
        largest = 0.0
        for kernel in COMPARED_KERNELS:
            expected = yield from right.result(kernel)
            try:
                got = yield from other.result(kernel)
            except Refused as refused:
                self.leave_out(other, str(refused))
                return None
            largest = max(largest, array_difference(got, expected))
        return largest

    def end(self) -> None:
        """Give everything back."""
        for backend in self.active:
            backend.end()


def exponents_for(row: int) -> range:
    """The sizes for rows of a power of two: from one row to 2^LARGEST values."""
    return range(row.bit_length() - 1, LARGEST + 1)


def values(size: int, row: int) -> Steps[Array]:
    """Standard normal float32 values of shape [size/row, row], filled in pieces."""
    x = np.empty((size // row, row), np.float32)
    flat = x.reshape(-1)
    block = np.random.default_rng(7).standard_normal(min(size, BLOCK), np.float32)
    for start in range(0, size, BLOCK):
        flat[start : start + BLOCK] = block
        if start % (16 * BLOCK) == 0:
            yield None
    return x
