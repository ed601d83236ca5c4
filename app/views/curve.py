"""A number along steps: a curve with a dot a step, what it should be, and where one is now."""

from __future__ import annotations

import numpy as np
import panel as pn
from bokeh.models import BasicTicker, ColumnDataSource, Range1d
from panel.viewable import Viewable

from app.numbers import short
from app.views.figures import Figure, put_range
from app.views.prose import Prose
from app.wire import put_columns


class Curve:
    """One curve in a token's colour under a title that also says it in numbers."""

    def __init__(self, colour: str, axis: str, height: int = 128) -> None:
        """`axis` names what is counted along x."""
        self.title = Prose(margin=(0, 0, 2, 0))
        self.x, self.y = Range1d(0.0, 1.0), Range1d(0.0, 1.0)
        self.figure = Figure(height=height, x_axis_label=axis, x_range=self.x, y_range=self.y)
        self.source = ColumnDataSource({"x": [], "y": [], "full": [], "hollow": []})
        self.target = ColumnDataSource({"x": [], "y": []})
        figure = self.figure
        figure.plot.xaxis.ticker = BasicTicker(min_interval=1, desired_num_ticks=6)
        figure.plot.yaxis.ticker = BasicTicker(desired_num_ticks=4)
        figure.line(self.target, "x", "y", "ink-3", line_dash="dashed")
        figure.line(self.source, "x", "y", colour, line_width=2)
        for column, fill in (("full", colour), ("hollow", "panel")):
            dots = figure.plot.scatter("x", column, source=self.source, size=7)
            figure.token(dots.glyph, line_color=colour, fill_color=fill)

    def layout(self) -> Viewable:
        """Title above figure."""
        return pn.Column(self.title, self.figure.pane(), sizing_mode="stretch_width")

    def show(
        self,
        title: str,
        x: np.ndarray,
        y: np.ndarray,
        *,
        hollow: np.ndarray | None = None,
        dots: np.ndarray | None = None,
        target: float | None = None,
        least_span: float = 5.0,
    ) -> None:
        """A curve of y over x.

        `hollow` marks dots that are drawn empty, `dots` those that are drawn at all; `target` is a
        dashed level. The x axis spans at least `least_span`, so that the first steps do not jump.
        """
        empty = np.zeros(len(x), bool) if hollow is None else hollow
        drawn = np.ones(len(x), bool) if dots is None else dots
        put_columns(
            self.source,
            x=x.astype(np.float64),
            y=y.astype(np.float64),
            full=np.where(drawn & ~empty, y, np.nan),
            hollow=np.where(drawn & empty, y, np.nan),
        )
        ends = np.array([x[0], max(x[-1], x[0] + least_span)], np.float64)
        level = np.full(2, np.nan if target is None else target)
        put_columns(self.target, x=ends, y=level)
        put_range(self.x, ends, room=0.04)
        put_range(self.y, y, level, room=0.09)
        self.title.put(html=f"<p class='figure'>{title}</p>")


def path(values: np.ndarray) -> str:
    """Where it began and where it is: 0 → 0.6, or 0 → … → 1.14."""
    ends = [short(float(value), 3) for value in values[[0, -1]][: len(values)]]
    return (" → … → " if len(values) > 2 else " → ").join(ends)
