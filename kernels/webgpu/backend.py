"""Two backends behind one call: chosen by size, checked, timed, and NumPy whenever in doubt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from time import perf_counter
from typing import Any

from kernels.webgpu.choice import Choice
from kernels.webgpu.glue import Glue, GpuFailed, Notice, open_glue
from kernels.webgpu.request import NotOnGpu, Request
from kernels.webgpu.table import KERNELS
from kernels.webgpu.trial import Report, self_test

MODES = ("auto", "numpy", "webgpu")


@dataclass(frozen=True)
class Run:
    """What one call did.

    Attributes:
        kernel: its name.
        backend: the one that answered: ``numpy`` or ``webgpu``.
        milliseconds: from the call to the result.
        reason: why WebGPU did not answer, in words; empty where it did or was not faster.
        key: the notice's key where the device failed.
        rounded: whether float64 was rounded to float32 for the device.
    """

    kernel: str
    backend: str
    milliseconds: float
    reason: str = ""
    key: str = ""
    rounded: bool = False


@dataclass
class Backend:
    """The device, what is known about it, and which backend is wanted.

    Attributes:
        mode: ``auto``, or a backend for every call.
        notices: all that was told, oldest first.
        last: the newest call.
        report: the self-test's, once it ran.
        choice: what it measured.
        on_notice: told each notice as it comes.
    """

    mode: str = "auto"
    notices: list[Notice] = field(default_factory=list)
    last: Run | None = None
    report: Report | None = None
    choice: Choice = field(default_factory=Choice)
    on_notice: Callable[[Notice], None] = lambda notice: None
    _glue: Glue | None = None
    _absent: GpuFailed | None = None

    async def start(
        self,
        on_notice: Callable[[Notice], None] | None = None,
        base_url: str | None = None,
        glue: Glue | None = None,
        **options: Any,
    ) -> bool:
        """Ask for the device, once; returns whether there is one. Never raises for want of one.

        Args:
            on_notice: told what a person should know, each thing once: key, text, detail.
            base_url: the folder of the shaders, where they do not lie beside this package.
            glue: another one than the page's; for tests.
            options: given on to ``createGpu``.
        """
        if on_notice is not None:
            self.on_notice = on_notice
        if self._glue is None:
            try:
                self._glue = glue or await open_glue(self._noticed, base_url, **options)
            except GpuFailed as error:
                self._absent = error
                self._noticed({"key": error.key, "text": str(error), "detail": ""})
        return self.available

    @property
    def available(self) -> bool:
        """Whether there is a device now."""
        return self._glue is not None and bool(self._glue.status()["available"])

    @property
    def glue(self) -> Glue:
        """The device.

        Raises:
            GpuFailed: there is none.
        """
        if self._glue is None:
            raise self._absent or GpuFailed("no-webgpu", "WebGPU was not asked for yet.")
        return self._glue

    def force(self, mode: str) -> None:
        """The switch: ``auto``, ``numpy`` or ``webgpu`` for every call that names no backend."""
        if mode not in MODES:
            raise ValueError(f"mode: expected one of {MODES}, got {mode!r}")
        self.mode = mode

    async def self_test(self) -> Report | None:
        """Compare both backends on hard inputs and time them; None where there is no device.

        Until it has run, and where it failed, ``auto`` is NumPy. Run it off the first interaction:
        it takes about a second.
        """
        if not await self.start():
            return None
        try:
            report = await self_test(self.glue)
        except GpuFailed as error:
            self.glue.say(error.key, str(error))
            return None
        self.report = report
        self.choice = Choice(report.timings if report.passed else None)
        if not report.passed:
            self.glue.say("self-test-failed", report.failure)
        return report

    async def run(self, name: str, *args: Any, backend: str | None = None, **kwargs: Any) -> Any:
        """A kernel of `kernels.webgpu.table.KERNELS`, as NumPy's function of that name.

        Args:
            name: the kernel.
            args: as the NumPy kernel takes them.
            backend: ``auto``, ``numpy``, ``webgpu``, or None for what `force` says. ``webgpu``
                rounds float64 to float32, which a GPU needs; otherwise float64 is NumPy's.
            kwargs: likewise.

        Raises:
            ValueError: an unknown kernel or backend; and all that the NumPy kernel raises.
        """
        if name not in KERNELS:
            raise ValueError(f"name: no kernel {name!r}; there are {', '.join(sorted(KERNELS))}")
        if backend is not None and backend not in MODES:
            raise ValueError(f"backend: expected one of {MODES}, got {backend!r}")
        start = perf_counter()
        why = key = ""
        try:
            if backend == "webgpu":
                await self.start()
            request, rounded = self._request(name, backend, args, kwargs)
            if request is not None:
                result = await request.compute(self.glue)
                self.last = Run(name, "webgpu", _since(start), rounded=rounded)
                return result
        except NotOnGpu as error:
            why = str(error)
        except GpuFailed as error:
            why, key = str(error), error.key
            if self._glue is not None:
                self._glue.say(error.key, str(error))
        result = KERNELS[name].numpy(*args, **kwargs)
        self.last = Run(name, "numpy", _since(start), why, key)
        return result

    def _request(
        self, name: str, backend: str | None, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Request | None, bool]:
        """The call for the device, None where NumPy is wanted or faster; and whether it rounds."""
        mode = backend or self.mode
        if mode == "numpy":
            return None, False
        if self._glue is None or not self.available:
            if mode == "webgpu":
                raise self._why_absent()
            return None, False
        if self.report is not None and not self.report.passed:
            raise NotOnGpu(f"the self-test failed: {self.report.failure}")
        rounded = False
        try:
            request = KERNELS[name].request(False, *args, **kwargs)
        except NotOnGpu:
            if backend != "webgpu":
                raise
            request, rounded = KERNELS[name].request(True, *args, **kwargs), True
        if mode == "auto" and self.choice.faster(request.kind, request.size) == "numpy":
            return None, False
        return request, rounded

    def _why_absent(self) -> Exception:
        """What to say when WebGPU was wanted and is not there."""
        if self._glue is None:
            return self._absent or NotOnGpu("WebGPU was not asked for yet")
        reason = self._glue.status()["reason"]
        return GpuFailed(reason["key"], reason["text"]) if reason else NotOnGpu("no device")

    def status(self) -> dict[str, Any]:
        """All that the chip in the header shows, as plain JSON."""
        known = self._glue.status() if self._glue is not None else {}
        absent = self._absent
        reason = known.get("reason")
        if absent is not None:
            reason = {"key": absent.key, "text": str(absent)}
        return {
            "available": self.available,
            "mode": self.mode,
            "reason": reason,
            "adapter": known.get("facts"),
            "last": asdict(self.last) if self.last else None,
            "self_test": self.report.as_json() if self.report else None,
            "notices": list(self.notices),
        }

    def _noticed(self, notice: Notice) -> None:
        """Remember a notice and pass it on."""
        self.notices.append(notice)
        self.on_notice(notice)


def _since(start: float) -> float:
    """Milliseconds."""
    return (perf_counter() - start) * 1000
