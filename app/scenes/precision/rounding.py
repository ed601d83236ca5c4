"""What rounding does: what broke first, the results, the error's curve, and every step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh.models import ColumnDataSource, FixedTicker, Span

from app.precision import CEILING, FLOOR, METHODS, OFFSETS
from app.precision_text import lead, result_rows, scale, step_rows, types_sentence
from app.strings import say
from app.views.figures import Figure
from app.views.prose import Prose
from app.views.table import Table
from app.wire import put_columns

if TYPE_CHECKING:
    from app.scenes.precision.scene import PrecisionScene

# Colour, width and dash of a method's curve, the first drawn first: where Welford and two passes
# give the same, both are seen.
STYLES = {
    "welford": ("ink-3", 7.0, "solid", 0.45),
    "two_pass": ("ink", 2.0, "solid", 1.0),
    "one_pass": ("wrong", 2.5, "dashed", 1.0),
}
KEYS = {"one_pass": "key-dashed", "two_pass": "", "welford": "key-thick"}

ERROR_TICKS = {FLOOR: "precision_at_floor", CEILING: "precision_at_ceiling"}
LAST_OFFSET = OFFSETS[-1]


class Rounding:
    """The stage and the results of the view "rounding"."""

    def __init__(self, scene: PrecisionScene) -> None:
        """Make the views."""
        self.scene = scene
        self.lead = Prose()
        columns = ("mean", "variance", "normalized", "error")
        self.table = Table(columns=["", *(say(f"precision_column_{name}") for name in columns)])
        self.title = Prose(html=curve_title())
        self.make_figure()
        self.marks = Prose()
        heads = [say("precision_step_computed"), say("precision_step_exact")]
        self.steps = {
            method: Table(
                caption=say(f"precision_short_{method}"),
                columns=[say(f"precision_formula_{method}"), *heads],
            )
            for method in METHODS
        }

    def make_figure(self) -> None:
        """Three curves, the present offset and what each gives there."""
        self.source = ColumnDataSource({name: [] for name in ("offset", *METHODS)})
        self.present = ColumnDataSource({"offset": [], "error": []})
        self.figure = Figure(
            height=290,
            x_range=(0.9, LAST_OFFSET * 1.1),
            y_range=(FLOOR / 30, CEILING * 30),
            x_axis_type="log",
            y_axis_type="log",
            x_axis_label=say("precision_offset_axis"),
        )
        plot = self.figure.plot
        plot.min_border_right = 12  # the last label's half
        plot.yaxis.ticker = plot.ygrid[0].ticker = FixedTicker(
            ticks=[FLOOR, 1e-12, 1e-6, 1, 1e6, CEILING]
        )
        plot.yaxis.major_label_overrides = {
            1: "1",
            **{tick: say(key) for tick, key in ERROR_TICKS.items()},
        }
        self.mark = Span(location=1, dimension="height", line_width=1, line_dash="dotted")
        self.figure.token(self.mark, line_color="ink-3")
        plot.add_layout(self.mark)
        for method, (colour, width, dash, alpha) in STYLES.items():
            self.figure.line(
                self.source,
                "offset",
                method,
                colour,
                line_width=width,
                line_dash=dash,
                line_alpha=alpha,
            )
        dots = plot.scatter("offset", "error", source=self.present, size=8)
        self.figure.token(dots.glyph, line_color="ink", fill_color="panel")

    def stage(self) -> list[Any]:
        """From top to bottom."""
        return [self.lead, self.table, self.title, self.figure.pane(), self.marks]

    def results(self) -> list[Any]:
        """The steps of each method."""
        return list(self.steps.values())

    def show(self, changed: frozenset[str]) -> None:
        """One update a view."""
        scene, store = self.scene, self.scene.store
        truth, outcomes = scene.truth, scene.outcomes
        types = store["precision_storage"], store["precision_accumulation"]
        sub = types_sentence(len(scene.row), *types)
        self.lead.put(html=f"<p class='lead'>{lead(outcomes, truth)}</p><p class='sub'>{sub}</p>")
        self.table.put(rows=result_rows(outcomes, truth), domain=list(scale(truth)))
        for one in outcomes:
            self.steps[one.method].put(rows=step_rows(one, truth))
        put_columns(self.source, offset=np.array(OFFSETS[1:]), **scene.curves)
        self.show_offset(store["precision_offset"])

    def show_offset(self, offset: float) -> None:
        """A dot for each method where the slider stands; the plot begins at 1."""
        on_plot = offset >= 1
        errors = [one.variance_error for one in self.scene.outcomes] if on_plot else []
        drawn = [min(max(e, FLOOR), CEILING) if np.isfinite(e) else CEILING for e in errors]
        put_columns(
            self.present, offset=np.full(len(drawn), offset), error=np.array(drawn, np.float64)
        )
        if (self.mark.location, self.mark.visible) != (max(offset, 1.0), on_plot):
            self.mark.update(location=max(offset, 1.0), visible=on_plot)
        where = "" if on_plot else say("precision_marks_left")
        self.marks.put(html=f"<p class='hint under'>{say('precision_marks', where=where)}</p>")


def curve_title() -> str:
    """The plot's title, and which line is which."""
    keys = "".join(
        f"<span class='{KEYS[method]}' data-colour='{STYLES[method][0]}'><i></i>"
        f"{say(f'precision_short_{method}')}</span>"
        for method in METHODS
    )
    return f"<p class='figure'>{say('precision_curve')}{keys}</p>"
