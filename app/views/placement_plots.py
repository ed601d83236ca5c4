"""The curves of the Placement scene, on figures whose ranges and ticks Python sets."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import panel as pn
from bokeh.core.properties import value
from bokeh.models import (
    ColumnDataSource,
    FixedTicker,
    GlyphRenderer,
    NumeralTickFormatter,
    PrintfTickFormatter,
    Range1d,
    Span,
)

from app.placement.scales import Scale, spread
from app.views.figures import Figure
from app.views.placement import PlotCaption
from app.wire import put_columns, put_values

SANS = "Inter, system-ui, Segoe UI, Roboto, sans-serif"
CARD = {
    "background": "var(--panel)",
    "border": "1px solid var(--line)",
    "border-radius": "10px",
    "padding": "8px 12px",
}
LABEL_HEIGHT = 13.0  # pixels a label at the end of a curve takes
LABEL_ROOM = 0.19  # share of a plot's width for them, at the right
FRAME_LOSS = 30.0  # pixels of a figure's height that its frame does not have


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
        groups: Iterable[str],
        lines: int,
        room: float = LABEL_ROOM,
        card: bool = False,
    ) -> None:
        """An empty plot; `groups` name the kinds of labels, each of one colour."""
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
        plot.min_border_top = 6
        self.x_ticks, self.y_ticks = FixedTicker(ticks=[]), FixedTicker(ticks=[])
        plot.xaxis.ticker, plot.yaxis.ticker = self.x_ticks, self.y_ticks
        plot.ygrid.ticker = self.y_ticks
        self.plain, self.powers = (
            NumeralTickFormatter(format="0.[0000]"),
            PrintfTickFormatter(format="%.0e"),
        )
        plot.yaxis.formatter = self.plain
        self.scale = Scale(0.5, 2.0, ())
        self.labels: dict[str, tuple[ColumnDataSource, GlyphRenderer]] = {}
        self.label_tokens: dict[str, str] = {}
        for group in groups:
            source = ColumnDataSource({"x": [], "y": [], "text": []})
            label = plot.text(
                "x",
                "y",
                "text",
                source=source,
                x_offset=6,
                text_baseline="middle",
                text_font=value(SANS),
                text_font_size=value("11px"),
            )
            label.level = "annotation"
            self.colour(label.glyph, text_color="ink-3")
            self.labels[group] = source, label
        self.pane = pn.Column(
            self.caption,
            self.figure.pane(),
            sizing_mode="stretch_width",
            margin=0,
            styles=CARD if card else {},
        )

    def colour(self, model: Any, **tokens: str) -> None:
        """Colour a part by token; a part coloured before has its tokens replaced."""
        self.figure.parts = [part for part in self.figure.parts if part[0] is not model]
        self.figure.token(model, **tokens)

    def ranges(self, first: float, last: float, ticks: Iterable[float], scale: Scale) -> None:
        """Set both axes."""
        plot = self.figure.plot
        self.scale = scale
        put_values(
            plot.x_range, start=first, end=last + (last - first) * self.room / (1 - self.room)
        )
        put_values(plot.y_range, start=scale.low, end=scale.high)
        put_values(self.x_ticks, ticks=list(ticks))
        put_values(self.y_ticks, ticks=list(scale.ticks))
        plot.yaxis[0].formatter = self.powers if scale.far else self.plain

    def say(self, title: str, text: str) -> None:
        """Set the caption."""
        self.caption.put(title=title, text=text)

    def label_ends(self, x: float, ends: list[tuple[str, str, float]]) -> None:
        """Write (group, text, number) beside the curves' ends at x, moved apart where they meet."""
        ends = [end for end in ends if math.isfinite(end[2])]
        inner = max(1.0, self.height - FRAME_LOSS)
        low, high = (self.along(value) for value in (self.scale.low, self.scale.high))
        pixels = [
            (min(max(self.along(value), low), high) - low) / (high - low) * inner
            for _, _, value in ends
        ]
        placed = spread(pixels, LABEL_HEIGHT, 0.0, inner)
        heights = [self.back(low + place / inner * (high - low)) for place in placed]
        for group, (source, _) in self.labels.items():
            chosen = [index for index, end in enumerate(ends) if end[0] == group]
            put_columns(
                source,
                x=np.full(len(chosen), float(x)),
                y=np.array([heights[index] for index in chosen]),
                text=[ends[index][1] for index in chosen],
            )

    def paint_labels(self, group: str, token: str) -> None:
        """Write a group's labels in a colour; what is so already costs nothing."""
        if self.label_tokens.get(group) != token:
            self.label_tokens[group] = token
            self.colour(self.labels[group][1].glyph, text_color=token)

    def along(self, value: float) -> float:
        """A value's place along the axis, in the axis's own unit."""
        return math.log10(max(value, 1e-300)) if self.log else value

    def back(self, place: float) -> float:
        """The value at a place."""
        return 10.0**place if self.log else place


class CurvePlot(Plot):
    """Curves that share one source, with a column each."""

    data: dict[str, np.ndarray]

    def __init__(self, columns: Iterable[str], **options: Any) -> None:
        """A line a column, all quiet to begin with."""
        super().__init__(**options)
        names = tuple(columns)
        self.data = {name: np.empty(0) for name in ("x", *names)}
        self.source = ColumnDataSource(self.data)
        self.lines = {
            name: self.figure.line(self.source, "x", name, "ink-3", line_width=1.1)
            for name in names
        }
        self.styles: dict[str, tuple[str, float, str, bool]] = {}

    def style(self, name: str, colour: str, width: float, dash: str, *, front: bool) -> None:
        """How a column's line is drawn; what is so already costs nothing."""
        wanted = (colour, width, dash, front)
        if self.styles.get(name) == wanted:
            return
        self.styles[name] = wanted
        renderer = self.lines[name]
        self.colour(renderer.glyph, line_color=colour)
        renderer.glyph.update(line_width=width, line_dash=dash)
        renderer.level = "annotation" if front else "glyph"

    def put(self, data: dict[str, np.ndarray]) -> None:
        """New curves, in one update; the same ones again are not drawn again."""
        self.data = data
        put_columns(self.source, **data)

    def end_of(self, name: str) -> float | None:
        """The last number of a curve, where it has one."""
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
        self.colour(self.mark, line_color="ink-3")
