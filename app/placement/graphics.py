"""Stacks on the graphics processor: where it is there, was found right, and is faster."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Iterator
from functools import partial

from app.placement.backend import NumpyBackend, Run
from app.placement.cost import PASS_BYTES, WEIGHT_BYTES, Clock, operations, weights_of
from kernels import webgpu
from kernels.residual import Stacks, StackTrace
from kernels.stack_settings import StackSettings
from kernels.webgpu.later import Later
from kernels.webgpu.request import NotOnGpu
from kernels.webgpu.stack import GpuStackRun, check
from kernels.webgpu.stack_weights import DeviceWeights

# A layer's calls from Python to the device, forward and backward: measured with Pyodide 314.0.4 in
# Chromium. Products come on top, at the rate that the self-test found.
SECONDS_PER_LAYER = 12e-3
SECONDS_PER_WEIGHT = 60e-9  # drawn by NumPy
SENT_PER_SECOND = 1e9  # bytes of weights


def operations_per_second() -> float:
    """How fast the device multiplied in the self-test, by its largest product; 0 without one."""
    timings = webgpu.choice().timings.get("product")
    return 2000.0 * timings[-1].size / timings[-1].webgpu if timings else 0.0


class GraphicsBackend:
    """`kernels.webgpu.stack`, with NumPy's backend to fall back on and to be compared with."""

    title = "WebGPU"

    def __init__(self, numpy: NumpyBackend) -> None:
        """Beside a NumPy backend, whose drawn weights it sends."""
        self.numpy = numpy
        self.weights = DeviceWeights(numpy.stacks.weights)
        self.stacks = Stacks(weights=numpy.stacks.weights, limit_bytes=PASS_BYTES)
        self.clock = Clock()
        self._refused: dict[StackSettings, str] = {}  # with the reason, in words

    def takes(self, settings: StackSettings) -> bool:
        """Whether the device is there and tested, can compute this, and is wanted or faster."""
        mode = webgpu.status()["mode"]
        if mode == "numpy" or not webgpu.tested() or self._unable(settings):
            return False
        return mode == "webgpu" or self._fresh(settings) < self.numpy.fresh(settings)

    def why_not(self, settings: StackSettings) -> str:
        """Why a stack is NumPy's although WebGPU is wanted and there; "" where it is not so."""
        wanted = webgpu.status()["mode"] == "webgpu" and webgpu.tested()
        return self._unable(settings) if wanted else ""

    def _unable(self, settings: StackSettings) -> str:
        try:
            check(settings)
        except NotOnGpu as error:
            return str(error)
        return self._refused.get(settings, "")

    def finished(self, settings: StackSettings) -> StackTrace | None:
        """From the traces that are held."""
        return self.stacks.finished(settings)

    def seconds(self, settings: StackSettings) -> float:
        """About how long a run would take; nothing for what is held."""
        return 0.0 if self.finished(settings) is not None else self._fresh(settings)

    def _fresh(self, settings: StackSettings) -> float:
        return self.clock.correction * self.nominal(settings)

    def nominal(self, settings: StackSettings) -> float:
        """Seconds of a run before what earlier runs taught; infinite where nothing was timed."""
        rate = operations_per_second()
        if not rate:
            return float("inf")
        weights = 0 if self.weights.held(settings) else weights_of(settings)
        drawn = 4 * weights <= WEIGHT_BYTES and self.numpy.weights_drawn(settings)
        return (
            operations(settings) / rate
            + SECONDS_PER_LAYER * settings.depth
            + weights * (4 / SENT_PER_SECOND + (0.0 if drawn else SECONDS_PER_WEIGHT))
        )

    def run(self, settings: StackSettings) -> Run:
        """A run on the device that ends on NumPy where the device fails."""
        return GraphicsRun(settings, self)

    def learn(self, settings: StackSettings, nominal: float, seconds: float) -> None:
        """A whole run took so long instead of that: move half of the way."""
        if nominal < float("inf"):
            self.clock.correct(seconds / nominal)

    def refuse(self, settings: StackSettings, reason: str) -> None:
        """The device did not compute these settings: they are NumPy's from now on."""
        self._refused[settings] = reason

    def lost(self) -> None:
        """The device failed; what it held may be gone with it."""
        self.weights.clear()


class GraphicsRun:
    """One stack on the device; NumPy's where that fails, and then a person reads why, once.

    `title` is the backend that it ran on in the end.
    """

    def __init__(self, settings: StackSettings, backend: GraphicsBackend) -> None:
        """For a backend."""
        self.settings = settings
        self.title = backend.title
        self.trace: StackTrace | None = backend.finished(settings)
        self._backend = backend
        self._error: Exception | None = None

    def __iter__(self) -> Iterator[float | Awaitable[object]]:
        if self.trace is not None:
            return
        backend = self._backend
        nominal, began = backend.nominal(self.settings), time.perf_counter()
        try:
            stack = GpuStackRun(self.settings, backend.weights)
            for step in stack:
                if step is not None:
                    yield Later(partial(self._tried, step))
                if self._error is not None:
                    raise self._error
                yield stack.fraction
        except NotOnGpu as error:
            backend.refuse(self.settings, str(error))
        except webgpu.GpuFailed as error:
            webgpu.say(error.key, str(error))
            backend.lost()
            backend.refuse(self.settings, str(error))
        else:
            self.trace = stack.trace
            if self.trace is not None:
                backend.stacks.keep(self.trace)
            backend.learn(self.settings, nominal, time.perf_counter() - began)
            return
        self.title = backend.numpy.title
        run = backend.numpy.run(self.settings)
        yield from run
        self.trace = run.trace

    async def _tried(self, step: Awaitable[None]) -> None:
        """A step whose failure is kept, since nobody can throw into a generator that is paused."""
        try:
            await step
        except (NotOnGpu, webgpu.GpuFailed) as error:
            self._error = error
