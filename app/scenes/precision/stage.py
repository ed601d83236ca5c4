"""The middle of the Precision scene: what broke, the numbers, and the error's curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bokeh.models import ColumnDataSource, Span

from app.precision import METHODS, OFFSETS, STORED, largest_square
from app.precision_text import caption, table_html
from app.strings import say
from app.views.controls import heading
from app.views.figures import Figure
from app.views.prose import Prose
from kernels.precision import FORMATS

if TYPE_CHECKING:
    from app.scenes.precision.scene import PrecisionScene

STYLES = {
    "one_pass": ("wrong", "dotted"),
    "two_pass": ("ink", "solid"),
    "welford": ("neg", "dashed"),
}


class Stage:
    """Captions, a table and a curve."""

    def __init__(self, scene: PrecisionScene) -> None:
        """Make the views."""
        self.scene = scene
        self.lead, self.table = Prose(), Prose()
        self.marks = Prose(html=f"<p class='sub'>{say('precision_marks')}</p>")
        self.source = ColumnDataSource({name: [] for name in ("offset", *METHODS)})
        self.figure = Figure(
            x_range=(1, 1e6),
            y_range=(1e-18, 1e12),
            x_axis_type="log",
            y_axis_type="log",
            x_axis_label=say("precision_offset_axis"),
            y_axis_label=say("precision_error_axis"),
        )
        for method, (colour, dash) in STYLES.items():
            self.figure.line(self.source, "offset", method, colour, line_width=2.5, line_dash=dash)
        self.mark = Span(location=1, dimension="height", line_width=1)
        self.figure.token(self.mark, line_color="ink-3")
        self.figure.plot.add_layout(self.mark)

    def views(self) -> list[Any]:
        """From top to bottom."""
        title = heading(say("precision_curve"))
        return [self.lead, self.table, title, self.figure.pane(), self.marks]

    def show(self, changed: frozenset[str]) -> None:
        """One update a view."""
        scene, store = self.scene, self.scene.store
        self.lead.put(html=self.lead_html())
        self.table.put(html=table_html(scene.outcomes, scene.truth))
        if changed & {"precision_row", "precision_storage", "precision_accumulation"}:
            self.source.data = {"offset": list(OFFSETS[1:]), **scene.curves}
        offset = store["precision_offset"]
        self.mark.update(location=max(offset, 1.0), visible=offset >= 1)

    def lead_html(self) -> str:
        """What broke first in the textbook's one pass, and how two passes fare."""
        scene, store = self.scene, self.scene.store
        steps = scene.truth.steps
        said = " ".join(
            dict.fromkeys(
                caption(one, float(steps["σ²" if one.broken == STORED else one.broken or "σ²"]))
                for one in scene.outcomes[:2]
            )
        )
        accumulation = store["precision_accumulation"]
        sub = say(
            "precision_sub",
            values=len(store["precision_row"]),
            storage=f"stored as {store['precision_storage']}",
            accumulation=accumulation,
            largest=f"{FORMATS[accumulation].largest:.6g}",
            root=f"{largest_square(accumulation):.4g}",
        )
        return f"<p class='lead'>{said}</p><p class='sub'>{sub}</p>"
