"""The glue for Python outside the page: the same JavaScript, driven through the browser."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from kernels.webgpu.glue import DTYPES, TYPES, Array, GpuFailed, Handle, Notice
from tests.gpu.device import Device

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never has to wait: Playwright waits inside each step."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        result: T = stop.value
        return result
    raise RuntimeError("the coroutine waits for something that is not the page")


@dataclass(frozen=True)
class PageTensor:
    """A tensor of the page by its number."""

    id: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


class PageGlue:
    """`kernels.webgpu.glue.Glue` over a `Device` of the tests.

    ``before`` is called before each step with its name: that is where tests break the device.
    """

    def __init__(self, device: Device, on_notice: Callable[[Notice], None]) -> None:
        """Over an opened device."""
        self.device = device
        self.before: Callable[[str], None] = lambda step: None
        self._on_notice = on_notice
        self._told = 0
        self._tickets = (f"glue-{device.number}-{count}" for count in itertools.count())

    def status(self) -> dict[str, Any]:
        """See `Glue`."""
        status = self.device.status
        for notice in status["notices"][self._told :]:
            self._on_notice(notice)
        self._told = len(status["notices"])
        return {key: status[key] for key in ("available", "reason", "facts")}

    def say(self, key: str, detail: str = "") -> None:
        """See `Glue`."""
        arguments = [self.device.number, key, detail]
        self.device.page.evaluate(
            "([n, key, detail]) => harness.gpu(n).say(key, detail)", arguments
        )
        self.status()

    async def settled(self) -> None:
        """See `Glue`."""
        self.device.page.evaluate("(n) => harness.gpu(n).settled()", self.device.number)

    async def warm_up(self) -> None:
        """See `Glue`."""
        self._answer("warm_up", "(n) => harness.warmUp(n)", self.device.number)

    def upload(self, array: Array) -> Handle:
        """See `Glue`."""
        ticket = next(self._tickets)
        self.device.exchange[ticket] = np.ascontiguousarray(array).tobytes()
        arguments = [self.device.number, ticket, list(array.shape), TYPES[array.dtype]]
        return tensor(self._answer("upload", "(given) => harness.upload(...given)", arguments))

    def call(
        self, name: str, tensors: Mapping[str, Handle | None], options: Mapping[str, Any]
    ) -> dict[str, Handle]:
        """See `Glue`."""
        ids = {key: t.id for key, t in tensors.items() if isinstance(t, PageTensor)}
        arguments = [self.device.number, name, ids, dict(options)]
        results = self._answer("call", "(given) => harness.call(...given)", arguments)
        return {key: tensor(described) for key, described in results.items()}

    async def read(self, handles: Sequence[Handle]) -> list[Array]:
        """See `Glue`."""
        ticket = next(self._tickets)
        ids = [handle.id for handle in handles if isinstance(handle, PageTensor)]
        arguments = [self.device.number, ids, ticket]
        sizes = self._answer("read", "(given) => harness.read(...given)", arguments)
        data, start, arrays = self.device.exchange.pop(ticket), 0, []
        for handle, size in zip(handles, sizes, strict=True):
            count = int(np.prod(handle.shape, dtype=int))
            flat = np.frombuffer(data, handle.dtype, count, start)
            arrays.append(flat.reshape(handle.shape).copy())
            start += size
        return arrays

    async def idle(self) -> None:
        """See `Glue`."""
        self._answer("idle", "(n) => harness.idle(n)", self.device.number)

    def release(self, *handles: Handle) -> None:
        """See `Glue`."""
        ids = [handle.id for handle in handles if isinstance(handle, PageTensor)]
        self.device.page.evaluate("(given) => harness.release(...given)", [self.device.number, ids])

    def _answer(self, step: str, script: str, arguments: Any) -> Any:
        """What the page answers; its `GpuError` as `GpuFailed`."""
        self.before(step)
        answer = self.device.page.evaluate(script, arguments)
        if "error" in answer:
            key, message = answer["error"]["key"], answer["error"]["message"]
            if not key:
                raise RuntimeError(message)
            raise GpuFailed(key, message)
        return answer.get("value")


def tensor(described: dict[str, Any]) -> PageTensor:
    """A tensor from what the page says of it."""
    return PageTensor(described["id"], tuple(described["shape"]), DTYPES[described["type"]])
