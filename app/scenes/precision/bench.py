"""The benchmark of the Precision scene: started, stopped, and shown while it goes on."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator
from typing import TYPE_CHECKING, Any

from app.benchmark.backends import NumpyBackend, WebgpuBackend
from app.benchmark.loop import EXPONENTS, ROW, measure
from app.benchmark.result import VALUE_BYTES, Measured
from app.benchmark.words import power
from app.strings import say
from app.views.choices import Buttons
from app.views.controls import heading
from app.views.prose import Prose
from kernels import webgpu

if TYPE_CHECKING:
    from app.scenes.precision.scene import PrecisionScene

BENCH = "precision benchmark"  # its key among the page's background work

# Arrays of the largest size that NumPy holds at once: x, the copy's target, and of LayerNorm as
# it is written in books x − μ, a square of it, and the quotient.
MOST_ARRAYS = 5


class Bench:
    """What is measured so far, and whether it goes on."""

    def __init__(self, scene: PrecisionScene) -> None:
        """Make the buttons."""
        self.scene = scene
        self.measured: list[Measured] = []
        self.running = False
        self.adapter: dict[str, Any] | None = None  # what WebGPU ran on
        self.buttons = Buttons(label=say("precision_bench"), margin=(0, 0, 10, 0))
        self.buttons.on("press", lambda data: self.toggle())
        self.status = Prose(html=f"<p class='hint status' role='status'>{idle_text()}</p>")
        self.show()

    def views(self) -> list[Any]:
        """From top to bottom."""
        return [heading(say("precision_bench")), self.buttons, self.status]

    def show(self) -> None:
        """The button says what it does now."""
        key = "stop" if self.running else "again" if self.measured else "start"
        button = {"key": "toggle", "text": say(f"precision_{key}"), "main": not self.running}
        self.buttons.put(buttons=[button])

    def tell(self, text: str) -> None:
        """What the benchmark is doing."""
        self.status.put(html=f"<p class='hint status' role='status'>{text}</p>")

    def toggle(self) -> None:
        """Start, or stop what runs."""
        background = self.scene.application.background
        if background is None:
            return
        if self.running:
            background.stop(BENCH)
            self.ended(self.stopped_text())
            return
        self.running, self.measured = True, []
        self.tell(say("precision_bench_asking"))
        self.show()
        background.start(BENCH, self.steps())

    def steps(self) -> Iterator[Awaitable[object] | None]:
        """Ask for the device, then show each size as it is measured; leave with the scene."""
        ask = self.scene.application.ask_for_graphics
        if ask is not None:
            yield ask()
        self.adapter = webgpu.status()["adapter"]
        self.tell_next()
        work = measure((NumpyBackend(), WebgpuBackend()))
        for step in work:
            if self.scene.store["scene"] != self.scene.key:
                work.close()
                self.ended(say("precision_bench_away"))
                return
            if isinstance(step, Measured):
                self.measured.append(step)
                self.tell_next()
                self.scene.show_measured()
            else:
                yield step
        whole = len(self.measured) == len(EXPONENTS) and bool(self.measured[-1].seconds)
        last = power(self.measured[-1 if whole else -2].size) if len(self.measured) > 1 else "0"
        self.ended(say("precision_bench_end" if whole else "precision_bench_cut", size=last))

    def tell_next(self) -> None:
        """Which size is being measured."""
        index = min(len(self.measured), len(EXPONENTS) - 1)
        size, last = power(2 ** EXPONENTS[index]), power(2 ** EXPONENTS[-1])
        self.tell(say("precision_bench_running", size=size, last=last))

    def stopped_text(self) -> str:
        """How far it came."""
        if not self.measured:
            return say("precision_bench_nothing")
        return say("precision_bench_stopped", size=power(self.measured[-1].size))

    def ended(self, text: str) -> None:
        """The button starts again."""
        self.running = False
        self.tell(text)
        self.show()
        self.scene.show_measured()


def idle_text() -> str:
    """What a start would do."""
    return say(
        "precision_bench_idle",
        row=ROW,
        first=power(2 ** EXPONENTS[0]),
        last=power(2 ** EXPONENTS[-1]),
        memory=MOST_ARRAYS * VALUE_BYTES * 2 ** EXPONENTS[-1] / 1e9,
    )
