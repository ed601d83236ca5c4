"""The curves of the Placement scene, on figures whose ranges and ticks Python sets."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import panel as pn
from bokeh.core.properties import value
from bokeh.models import (
    ColumnDataSource,
    FixedTicker,
    NumeralTickFormatter,
    PrintfTickFormatter,
    Range1d,
    Span,
)

from app.placement.scales import Scale, spread
from app.views.figures import Figure, Series
from app.views.placement import PlotCaption
from app.wire import put_columns, put_values

SANS = "Inter, system-ui, Segoe UI, Roboto, sans-serif"
CARD = {
    "background": "var(--panel)",
    "border": "1px solid var(--line)",
    "border-radius": "10px",
    "padding": "8px 12px",
}
LEFT = 41  # pixels at the left of the frame, for five digits: it stays where it is while one drags
LABEL_HEIGHT = 13.0  # pixels a label at the end of a curve takes
LABEL_ROOM = 0.23  # share of a plot's width for them, at the right
FRAME_LOSS = 30.0  # pixels of a figure's height that its frame does not have


class Label(NamedTuple):
    """A curve's name, to stand at its end."""

    token: str
    text: str
    number: float  # beside which it stands


class Plot:
    """A figure with labels at the ends of its curves and a caption above it.

    Labels are glyphs within the frame, whose x-range goes on behind the curves: annotations beside
    the frame are cut off at its edge (Bokeh 3.10).
    """

    def __init__(
        self,
        *,
        height: int,
        log: bool,
        lines: int,
        room: float = LABEL_ROOM,
        card: bool = False,
    ) -> None:
        """An empty plot; room is kept for so many lines of the caption."""
        self.log = log
        self.height = height
        self.caption = PlotCaption(lines=lines)
        self.figure = Figure(
            height=height,
            y_axis_type="log" if log else "linear",
            x_range=Range1d(0, 1),
            y_range=Range1d(0.5, 2.0),
        )
        plot = self.figure.plot
        self.room = room
        plot.min_border_top, plot.min_border_left = 6, LEFT
        self.x_ticks, self.y_ticks = FixedTicker(ticks=[]), FixedTicker(ticks=[])
        plot.xaxis.ticker, plot.yaxis.ticker = self.x_ticks, self.y_ticks
        plot.ygrid.ticker = self.y_ticks
        self.plain, self.powers = (
            NumeralTickFormatter(format="0.[0000]"),
            PrintfTickFormatter(format="%.0e"),
        )
        plot.yaxis.formatter = self.plain
        self.scale = Scale(0.5, 2.0, ())
        self.drawn = self.figure.lines()
        self.labels = ColumnDataSource({"x": [], "y": [], "text": [], "colour": []})
        plot.text(
            "x",
            "y",
            "text",
            source=self.labels,
            x_offset=6,
            text_baseline="middle",
            text_color="colour",
            text_font=value(SANS),
            text_font_size=value("11px"),
            level="annotation",
        )
        self.pane = pn.Column(
            self.caption,
            self.figure.pane(),
            sizing_mode="stretch_width",
            margin=0 if card else (6, 0, 0, 0),
            styles=CARD if card else {},
        )

    def ranges(
        self,
        first: float,
        last: float,
        ticks: Iterable[float],
        scale: Scale,
        *,
        settled: bool = True,
    ) -> None:
        """Set both axes. While more curves are to come (not `settled`), the y axis only widens."""
        plot = self.figure.plot
        if not settled:
            scale = scale.around(self.scale, self.log)
        self.scale = scale
        put_values(
            plot.x_range, start=first, end=last + (last - first) * self.room / (1 - self.room)
        )
        put_values(plot.y_range, start=scale.low, end=scale.high)
        put_values(self.x_ticks, ticks=list(ticks))
        put_values(self.y_ticks, ticks=list(scale.ticks))
        formatter = self.powers if scale.far else self.plain
        if plot.yaxis[0].formatter is not formatter:
            plot.yaxis[0].formatter = formatter

    def say(self, title: str, text: str) -> None:
        """Set the caption."""
        self.caption.put(title=title, text=text)

    def label_ends(self, x: float, labels: Iterable[Label]) -> None:
        """Write the names beside the curves' ends at x, moved apart where they meet."""
        labels = [label for label in labels if math.isfinite(label.number)]
        inner = max(1.0, self.height - FRAME_LOSS)
        low, high = (self.along(value) for value in (self.scale.low, self.scale.high))
        pixels = [
            (min(max(self.along(label.number), low), high) - low) / (high - low) * inner
            for label in labels
        ]
        placed = spread(pixels, LABEL_HEIGHT, 0.0, inner)
        put_columns(
            self.labels,
            x=np.full(len(labels), float(x)),
            y=np.array([self.back(low + place / inner * (high - low)) for place in placed]),
            text=[label.text for label in labels],
            colour=self.figure.colours(self.labels, [label.token for label in labels]),
        )

    def along(self, value: float) -> float:
        """A value's place along the axis, in the axis's own unit."""
        return math.log10(max(value, 1e-300)) if self.log else value

    def back(self, place: float) -> float:
        """The value at a place."""
        return 10.0**place if self.log else place


class Style(NamedTuple):
    """How a curve is drawn, and whether before the others."""

    token: str
    width: float
    dash: str
    front: bool


QUIET = Style("ink-3", 1.1, "solid", front=False)


class CurvePlot(Plot):
    """Curves over one x, by name."""

    def __init__(self, columns: Iterable[str], **options: Any) -> None:
        """A curve a column, all quiet to begin with; of those in front the last is foremost."""
        super().__init__(**options)
        names = tuple(columns)
        self.data: dict[str, np.ndarray] = {"x": np.empty(0)}
        self.styles = dict.fromkeys(names, QUIET)

    def style(self, name: str, token: str, width: float, dash: str, *, front: bool) -> None:
        """How a column's curve is drawn, from the next `draw` on."""
        self.styles[name] = Style(token, width, dash, front)

    def draw(self, data: dict[str, np.ndarray] | None = None) -> None:
        """The curves there are, as they are styled, of new numbers or the ones before."""
        self.data = self.data if data is None else data
        known = [name for name in self.styles if name in self.data]
        order = sorted(known, key=lambda name: self.styles[name].front)
        self.drawn.put(
            self.data["x"], [Series(self.data[name], *self.styles[name][:3]) for name in order]
        )

    def end_of(self, name: str) -> float | None:
        """The last number of a curve, where it has one."""
        if name not in self.data:
            return None
        values = self.data[name]
        values = values[np.isfinite(values)]
        return float(values[-1]) if len(values) else None


class LayerPlot(CurvePlot):
    """Curves over layers, with a mark at the block that is looked at."""

    def __init__(self, columns: Iterable[str], **options: Any) -> None:
        """Curves and the mark."""
        super().__init__(columns, **options)
        self.mark = Span(location=1, dimension="height", line_width=1, line_dash="dotted")
        self.figure.plot.add_layout(self.mark)
        self.figure.token(self.mark, line_color="ink-3")
