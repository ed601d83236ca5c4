"""The graphics processor of this page: asked for at rest, and what is told about it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from app.tensor import plain
from kernels import webgpu
from kernels.webgpu.backend import MODES
from kernels.webgpu.choice import KINDS, Choice

TITLES = {"numpy": "NumPy", "webgpu": "WebGPU"}

# Sizes at which a change of the faster backend is looked for: powers of two.
SMALLEST, LARGEST = 4, 26

Tell = Callable[[dict[str, Any]], None]


class Graphics:
    """WebGPU as the page sees it: started once, forced by the switch, reported as plain JSON."""

    def __init__(self, tell: Tell, mode: str) -> None:
        """`tell` sends a report to the page; `mode` is the switch's position."""
        self._tell = tell
        self._starting: asyncio.Task[None] | None = None
        self.listeners: list[Callable[[], None]] = []
        webgpu.force(mode)

    def begin(self) -> Awaitable[None]:
        """Ask for the device and test it, once; then tell what came of it."""
        if self._starting is None:
            self._starting = asyncio.ensure_future(self._begin())
        return self._starting

    async def _begin(self) -> None:
        if await webgpu.start(self._noticed):
            await webgpu.self_test()
        for listener in self.listeners:
            listener()
        self.report()

    def force(self, mode: str) -> None:
        """The switch was moved."""
        webgpu.force(mode)
        self.report()

    async def run(self, name: str, backend: str, arguments: dict[str, Any]) -> Any:
        """A kernel by name on a backend, or on the faster one for ``auto``.

        Raises:
            ValueError: an unknown backend, or a kernel that has no compute shader.
        """
        if backend not in MODES:
            raise ValueError(f"kernel: no backend {backend!r}; there are {', '.join(MODES)}")
        if name not in webgpu.KERNELS:
            known = ", ".join(sorted(webgpu.KERNELS))
            raise ValueError(f"kernel: {name!r} has no backend {backend!r}; these have: {known}")
        await self.begin()
        result = await webgpu.run(name, backend=backend, **arguments)
        self.report(run=webgpu.last_run())
        return result

    def report(self, notice: dict[str, str] | None = None, run: webgpu.Run | None = None) -> None:
        """Tell the page what is known now, a notice that is new, and a call that just ended."""
        status = webgpu.status()
        tested = status["self_test"] is not None
        self._tell(
            {
                "status": plain(status),
                "tested": tested,
                "takes_over": {kind: takes_over(webgpu.choice(), kind) for kind in KINDS},
                "notice": notice,
                "run": run and {"backend": TITLES[run.backend], "compute_ms": run.milliseconds},
            }
        )

    def _noticed(self, notice: dict[str, str]) -> None:
        self.report(notice)


def takes_over(choice: Choice, kind: str) -> int | None:
    """The smallest power of two from which on WebGPU is the faster one; None where it never is."""
    sizes = [1 << power for power in range(SMALLEST, LARGEST + 1)]
    slower = [size for size in sizes if choice.faster(kind, size) == "numpy"]
    if not slower:
        return sizes[0]
    return None if slower[-1] == sizes[-1] else slower[-1] * 2
