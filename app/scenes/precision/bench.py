"""The benchmark of the Precision scene: started, stopped, and shown while it goes on."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import panel as pn

from app.benchmark.backends import NumpyBackend, Steps, WebgpuBackend
from app.benchmark.loop import LARGEST, exponents_for, measure
from app.benchmark.result import VALUE_BYTES, Measured
from app.benchmark.words import power
from app.fields.precision import BENCH_ROWS
from app.strings import say
from app.views.choices import Buttons
from app.views.controls import control, heading, put, watch
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
        self.row = self.chosen_row  # of what is measured
        self.adapter: dict[str, Any] | None = None  # what WebGPU ran on
        self.buttons = Buttons(label=say("precision_bench"), margin=(0, 0, 10, 0))
        self.buttons.on("press", lambda data: self.toggle())
        self.status = Prose()
        self.rows = control(
            pn.widgets.Select, name=say("precision_bench_row"), options=list(BENCH_ROWS)
        )
        watch(self.rows, lambda row: scene.store.update({"precision_bench_row": row}))
        self.tell(idle_text(self.row))
        scene.store.listeners.append(self.on_state)
        self.show()

    def views(self) -> list[Any]:
        """From top to bottom."""
        return [heading(say("precision_bench")), self.rows, self.buttons, self.status]

    @property
    def chosen_row(self) -> int:
        """Values that share a statistic when it is started next."""
        return int(self.scene.store["precision_bench_row"])

    def show(self) -> None:
        """The button says what it does now."""
        put(self.rows, value=self.scene.store["precision_bench_row"])
        if not self.measured and not self.running:
            self.row = self.chosen_row
            self.tell(idle_text(self.row))
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
        self.row = self.chosen_row
        self.tell(say("precision_bench_asking"))
        self.show()
        background.start(BENCH, self.steps())

    def steps(self) -> Steps[None]:
        """Ask for the device, then show each size as it is measured."""
        try:
            ask = self.scene.application.ask_for_graphics
            if ask is not None:
                yield ask()
            self.adapter = webgpu.status()["adapter"]
            self.tell_next()
            yield from measure(
                (NumpyBackend(), WebgpuBackend()), self.add, exponents_for(self.row), self.row
            )
        except Exception as error:
            self.ended(say("precision_bench_failed", reason=escape(str(error))))
            raise
        self.ended(self.end_text())

    def add(self, one: Measured) -> None:
        """One more size."""
        self.measured.append(one)
        self.tell_next()
        self.scene.show_measured()

    def on_state(self, changed: frozenset[str]) -> None:
        """It ends when another scene is opened: nothing may hold that up."""
        background = self.scene.application.background
        if "scene" in changed and self.running and background is not None:
            background.stop(BENCH)
            self.ended(say("precision_bench_away"))

    def tell_next(self) -> None:
        """Which size is being measured."""
        exponents = exponents_for(self.row)
        size = power(2 ** exponents[min(len(self.measured), len(exponents) - 1)])
        self.tell(say("precision_bench_running", size=size, last=power(2**LARGEST)))

    def end_text(self) -> str:
        """Whether all sizes were measured, or up to which."""
        done = [one.size for one in self.measured if one.seconds]
        if done and done[-1] == 2**LARGEST:
            return say("precision_bench_end")
        return say("precision_bench_cut", size=power(done[-1]) if done else "0")

    def stopped_text(self) -> str:
        """How far it came."""
        if not self.measured:
            return say("precision_bench_nothing")
        return say("precision_bench_stopped", size=power(self.measured[-1].size))

    def ended(self, text: str) -> None:
        """The button starts again."""
        self.running = False
        self.show()
        self.tell(text)
        self.scene.show_measured()


def idle_text(row: int) -> str:
    """What a start would do."""
    return say(
        "precision_bench_idle",
        row=row,
        first=power(row),
        last=power(2**LARGEST),
        memory=MOST_ARRAYS * VALUE_BYTES * 2**LARGEST / 1e9,
    )
