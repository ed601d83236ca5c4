"""The right of the Precision scene: bytes by the formula, and times by the clock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import panel as pn
from bokeh.models import ColumnDataSource

from app.benchmark import KERNELS, RUNS, Measured, measure
from app.cost import BYTES, PASSES, ratio
from app.precision_text import table
from app.strings import say
from app.views.controls import control, heading, put
from app.views.figures import Figure
from app.views.prose import Prose

if TYPE_CHECKING:
    from app.scenes.precision.scene import PrecisionScene

NAMES = {
    "copy": ("copy", "ink-3", "dotdash"),
    "textbook_layer": ("LayerNorm, book", "ln", "dotted"),
    "textbook_rms": ("RMSNorm, book", "rms", "dotted"),
    "layer": ("LayerNorm, ours", "ln", "solid"),
    "rms": ("RMSNorm, ours", "rms", "solid"),
}


class Cost:
    """A table of bytes; a benchmark that a person starts and stops."""

    def __init__(self, scene: PrecisionScene) -> None:
        """Make the views."""
        self.scene = scene
        self.measured: list[Measured] = []
        self.bytes, self.times = Prose(), Prose()
        idle = say("precision_bench_idle", runs=RUNS)
        self.status = Prose(html=f"<p class='sub' role='status'>{idle}</p>")
        self.webgpu = Prose(html=f"<p class='sub'>{say('precision_webgpu')}</p>")
        self.button = control(pn.widgets.Button, name=say("precision_start"))
        self.button.on_click(lambda event: self.toggle())
        self.running = False
        self.source = ColumnDataSource({name: [] for name in ("size", "copy", *KERNELS)})
        self.figure = Figure(
            height=180,
            x_range=(200, 1e8),
            y_range=(1e-4, 1e3),
            x_axis_type="log",
            y_axis_type="log",
            x_axis_label="values",
            y_axis_label="ms",
        )
        for key, (_, colour, dash) in NAMES.items():
            self.figure.line(self.source, "size", key, colour, line_width=2, line_dash=dash)

    def views(self) -> list[Any]:
        """From top to bottom."""
        return [
            heading(say("precision_cost")),
            self.bytes,
            heading(say("precision_bench")),
            self.button,
            self.status,
            self.figure.pane(),
            self.times,
            self.webgpu,
        ]

    def show(self, changed: frozenset[str]) -> None:
        """The bytes of the present storage type."""
        if "precision_storage" in changed:
            self.bytes.put(html=bytes_html(self.scene.store["precision_storage"]))

    def toggle(self) -> None:
        """Start, or stop what runs."""
        background = self.scene.application.background
        if background is None:
            return
        if self.running:
            background.stop("precision")
            self.ended(say("precision_bench_stopped"))
            return
        self.running, self.measured = True, []
        put(self.button, name=say("precision_stop"))
        self.tell(say("precision_bench_running"))
        background.start("precision", self.steps())

    def steps(self) -> Iterator[None]:
        """Show each size as it is measured."""
        for step in measure():
            if isinstance(step, Measured):
                self.measured.append(step)
                self.draw()
            elif step is not None:
                reason, _, exponent = step.partition(":")
                self.ended(say(f"precision_bench_{reason}", exponent=exponent))
            yield

    def ended(self, text: str) -> None:
        """The button starts again."""
        self.running = False
        put(self.button, name=say("precision_start"))
        self.tell(text)

    def tell(self, text: str) -> None:
        """What the benchmark is doing."""
        self.status.put(html=f"<p class='sub' role='status'>{text}</p>")

    def draw(self) -> None:
        """Picture and table of what is measured so far."""
        columns = {key: [one.seconds[key] * 1000 for one in self.measured] for key in NAMES}
        self.source.data = {"size": [one.size for one in self.measured], **columns}
        last = self.measured[-1]
        head = (f"2^{last.size.bit_length() - 1} values", "ms", "share of copy")
        lines = [
            (f"{title} ({dash})", f"{last.seconds[key] * 1000:.3g}", f"{last.share[key]:.0%}")
            for key, (title, _, dash) in NAMES.items()
        ]
        self.times.put(html=table(head, lines))


def bytes_html(storage: str) -> str:
    """The table of passes in a type, and what follows from it."""
    head = (storage, say("precision_cost_held"), say("precision_cost_streamed"))
    titles = {"copy": "Copy", "rms": "RMSNorm", "layer": "LayerNorm"}
    lines = [
        (title, *(bytes_of(key, where, storage) for where in ("held", "streamed")))
        for key, title in titles.items()
    ]
    text = say(
        "precision_cheaper",
        bytes=BYTES[storage],
        streamed=ratio("streamed", storage),
        held=ratio("held", storage),
    )
    return f"{table(head, lines)}<p class='sub'>{text}</p>"


def bytes_of(kernel: str, where: str, storage: str) -> str:
    """(1 + 1) · 4 = 8"""
    passes = PASSES[kernel, where]
    total = passes.bytes_each(storage)
    return f"({passes.reads} + {passes.writes}) · {BYTES[storage]} = {total}"
