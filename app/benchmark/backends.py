"""What is measured: the same kernels by NumPy, and by compute shaders on data that lie there."""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import ExitStack
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from app.strings import STRINGS, say
from kernels import layer_norm, rms_norm, softmax, webgpu
from kernels.webgpu.later import Later

Array = npt.NDArray[Any]
T = TypeVar("T")

# A piece of work; what it yields is waited for, or nothing: then the page's messages are heard.
Steps = Generator[Awaitable[object] | None, None, T]

EPS = 1e-5
PARTS = 8  # after each of which a sample may end early
LONG_ENOUGH = 0.02  # seconds
Clock = Callable[[], float]


class Refused(Exception):
    """A backend cannot measure this size: the reason, in words."""


class Backend(Protocol):
    """One of the two that are measured."""

    key: str
    kernels: tuple[str, ...]
    most_calls: int  # in one sample
    handing: float | None  # seconds in which Python hands over one call

    def begin(self, x: Array) -> Steps[None]:
        """Take the values of a size, of shape [rows, values]; `Refused` where they do not fit."""

    def timed(self, kernel: str, calls: int) -> Steps[float]:
        """Seconds of one call, the mean of up to so many in a row."""

    def result(self, kernel: str) -> Steps[Array]:
        """What a kernel makes of the values."""

    def end(self) -> None:
        """Give the values back."""


def textbook_layer(x: Array) -> Array:
    """(x − mean)/√(var + ε), as it is written in books."""
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + np.float32(EPS))


def textbook_rms(x: Array) -> Array:
    """x/√(mean x² + ε), as it is written in books."""
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(EPS))


NUMPY: dict[str, Callable[[Array], Array]] = {
    "layer": lambda x: layer_norm(x, x.shape[-1], eps=EPS).output,
    "rms": lambda x: rms_norm(x, x.shape[-1], eps=EPS).output,
    "softmax": softmax,
    "textbook_layer": textbook_layer,
    "textbook_rms": textbook_rms,
}


class NumpyBackend:
    """NumPy: in the browser compiled to WebAssembly, one thread."""

    key = "numpy"
    kernels: tuple[str, ...] = ("copy", *NUMPY)
    most_calls = 8192
    handing: float | None = None

    def __init__(self, clock: Clock = time.perf_counter) -> None:
        """`clock` gives seconds."""
        self.clock = clock
        self.x: Array | None = None
        self.target: Array | None = None

    def begin(self, x: Array) -> Steps[None]:
        """See `Backend`."""
        self.x, self.target = x, apart(x)
        yield None

    def call(self, kernel: str) -> Array:
        """One call."""
        if self.x is None or self.target is None:
            raise RuntimeError("no values were taken")
        if kernel == "copy":
            np.copyto(self.target, self.x)
            return self.target
        return NUMPY[kernel](self.x)

    def timed(self, kernel: str, calls: int) -> Steps[float]:
        """See `Backend`; nothing can come between these calls, so that they end early if slow."""
        began, done, seconds = self.clock(), 0, 0.0
        some = math.ceil(calls / PARTS)
        while done < calls and seconds < LONG_ENOUGH:
            for _ in range(some):
                self.call(kernel)
            done += some
            seconds = self.clock() - began
        yield None
        return seconds / done

    def result(self, kernel: str) -> Steps[Array]:
        """See `Backend`."""
        yield None
        return self.call(kernel)

    def end(self) -> None:
        """See `Backend`."""
        self.x = self.target = None


PAGE = 4096  # bytes


def apart(x: Array) -> Array:
    """An array like x whose address is half a page off x's, modulo pages.

    Where both begin at nearly the same place in a page, processors take a load for one that waits
    for a store before it: a copy then ran at a tenth of its speed, at some sizes and not at others.
    """
    room = np.empty(x.nbytes + PAGE, np.uint8)
    here, there = (array.__array_interface__["data"][0] for array in (x, room))
    start = (here + PAGE // 2 - there) % PAGE
    return room[start : start + x.nbytes].view(x.dtype).reshape(x.shape)


TENSOR_LIMITS = ("maxStorageBufferBindingSize", "maxBufferSize")  # bytes
ROWS = {"axes": [1]}
SHADERS: dict[str, tuple[str, dict[str, Any]]] = {
    "copy": ("copy", {}),
    "layer": ("normalize", {**ROWS, "center": True, "eps": EPS}),
    "rms": ("normalize", {**ROWS, "center": False, "eps": EPS}),
    "softmax": ("softmax", {**ROWS, "temperature": 1.0}),
}


class WebgpuBackend:
    """Compute shaders; the time runs from handing all calls over to when the last has run."""

    key = "webgpu"
    kernels: tuple[str, ...] = tuple(SHADERS)
    most_calls = 128

    def __init__(self, clock: Clock = time.perf_counter) -> None:
        """`clock` gives seconds."""
        self.clock = clock
        self.handing: float | None = None
        self.held = ExitStack()
        self.scope: webgpu.Scope
        self.x: webgpu.Tensor

    def begin(self, x: Array) -> Steps[None]:
        """See `Backend`."""
        reason = why_not()
        if reason:
            raise Refused(reason)
        try:
            self.scope = self.held.enter_context(webgpu.scope())
            self.x = self.scope.tensor(x)
        except webgpu.GpuFailed as error:
            raise refusal(error) from error
        yield from self.settled()

    def hand_over(self, kernel: str, calls: int) -> None:
        """Calls whose results are given back at once: each overwrites the one before."""
        name, options = SHADERS[kernel]
        for _ in range(calls):
            with webgpu.scope() as one:
                one.call(name, {"x": self.x}, options)

    def timed(self, kernel: str, calls: int) -> Steps[float]:
        """See `Backend`."""
        began = self.clock()
        try:
            self.hand_over(kernel, calls)
        except webgpu.GpuFailed as error:
            raise refusal(error) from error
        self.handing = (self.clock() - began) / calls
        seconds = yield from self.settled()
        return seconds / calls

    def settled(self) -> Steps[float]:
        """Wait until the device has done all; the seconds that took."""
        began = self.clock()

        async def seconds() -> float:
            await self.scope.idle()
            return self.clock() - began

        return (yield from awaited(seconds))

    def result(self, kernel: str) -> Steps[Array]:
        """See `Backend`."""
        name, options = SHADERS[kernel]
        with webgpu.scope() as one:
            output = one.call(name, {"x": self.x}, options)
            return (yield from awaited(output.numpy))

    def end(self) -> None:
        """See `Backend`."""
        self.held.close()


def awaited(begin: Callable[[], Awaitable[T]]) -> Steps[T]:
    """The result of what is begun and waited for; a device's failure as `Refused`."""
    results: list[T] = []

    async def kept() -> None:
        results.append(await begin())

    try:
        yield Later(kept)
    except webgpu.GpuFailed as error:
        raise refusal(error) from error
    return results[0]


def refusal(error: webgpu.GpuFailed) -> Refused:
    """A failure in this scene's words, or in its own."""
    key = f"precision_refused_{error.key}"
    if key not in STRINGS:
        return Refused(str(error))
    limits = (webgpu.status()["adapter"] or {}).get("limits", {})
    least = min((limits[name] for name in TENSOR_LIMITS if name in limits), default=0)
    return Refused(say(key, limit=f"{least:,}"))


def why_not() -> str:
    """Why WebGPU is not measured, in words; empty where it is."""
    status = webgpu.status()
    test = status["self_test"]
    if test is not None and not test["passed"]:
        return say("precision_refused_wrong", failure=test["failure"])
    if status["available"]:
        return ""
    return status["reason"]["text"] if status["reason"] else say("precision_refused_unasked")
