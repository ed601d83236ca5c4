"""Bokeh figures under our own theme: no logo, no toolbar, no grey grid, light and dark.

A canvas cannot read the page's CSS, so every colour is named by a token and set again when the
theme changes.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import panel as pn
from bokeh.models import ColumnDataSource, GlyphRenderer, Range1d
from bokeh.plotting import figure

from app.wire import put_columns, put_values

TOKENS: dict[str, dict[str, str]] = {
    "light": {
        "bn": "#e69f00", "ln": "#0072b2", "rms": "#009e73", "gn": "#cc79a7", "both": "#7a5aa6",
        "ink": "#1a1d21", "ink-2": "#525a65", "ink-3": "#6b7480", "panel": "#ffffff",
        "line": "#e4e4df", "wrong": "#b3400a", "neg": "#2166ac", "pos": "#b2182b",
    },
    "dark": {
        "bn": "#e69f00", "ln": "#4aa8e0", "rms": "#35c99b", "gn": "#cc79a7", "both": "#a98ad6",
        "ink": "#eceff3", "ink-2": "#b0b9c4", "ink-3": "#8d97a4", "panel": "#1b1e23",
        "line": "#2c3138", "wrong": "#ff8a5c", "neg": "#4393e0", "pos": "#e0525f",
    },
}  # fmt: skip
MONO = "JetBrains Mono, ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"

theme = "light"
figures: weakref.WeakSet[Figure] = weakref.WeakSet()


def set_theme(name: str) -> None:
    """Show all figures in the light or the dark theme from now on."""
    global theme
    theme = name
    for one in list(figures):
        one.paint()


class Figure:
    """A figure whose parts have colour tokens."""

    def __init__(self, *, height: int = 236, **options: Any) -> None:
        """A bare figure, as wide as its place; `options` go to Bokeh's `figure`."""
        self.plot = figure(
            height=height,
            sizing_mode="stretch_width",
            toolbar_location=None,
            tools="",
            min_border=0,
            outline_line_color=None,
            **options,
        )
        self.plot.toolbar.logo = None
        self.parts: list[tuple[Any, dict[str, str]]] = []
        self.coloured: dict[ColumnDataSource, list[str]] = {}
        for axis in (*self.plot.xaxis, *self.plot.yaxis):
            axis.axis_line_color = axis.minor_tick_line_color = None
            axis.major_tick_line_color = None
            axis.major_label_text_font = axis.axis_label_text_font = MONO
            axis.major_label_text_font_size = axis.axis_label_text_font_size = "11px"
            axis.axis_label_text_font_style = "normal"
            self.token(axis, major_label_text_color="ink-3", axis_label_text_color="ink-3")
        self.plot.xgrid.grid_line_color = None
        for grid in self.plot.ygrid:
            self.token(grid, grid_line_color="line")
        self.token(self.plot, background_fill_color="panel", border_fill_color="panel")
        figures.add(self)

    def token(self, model: Any, **tokens: str) -> Any:
        """Colour properties of a model by token, kept right when the theme changes."""
        self.parts.append((model, tokens))
        for name, token in tokens.items():
            setattr(model, name, TOKENS[theme][token])
        return model

    def line(self, source: Any, x: str, y: str, colour: str, **options: Any) -> GlyphRenderer:
        """A curve in a token's colour."""
        renderer = self.plot.line(x, y, source=source, **options)
        self.token(renderer.glyph, line_color=colour)
        return renderer

    def lines(self) -> Lines:
        """Room for lines that come and go together."""
        return Lines(self)

    def colours(self, source: ColumnDataSource, tokens: list[str]) -> list[str]:
        """A source's column "colour", an entry a token, kept right when the theme changes."""
        self.coloured[source] = tokens
        return [TOKENS[theme][token] for token in tokens]

    def paint(self) -> None:
        """Set every colour for the present theme."""
        for model, tokens in self.parts:
            model.update(**{name: TOKENS[theme][token] for name, token in tokens.items()})
        for source, names in self.coloured.items():
            put_columns(source, colour=self.colours(source, names))

    def pane(self) -> pn.pane.Bokeh:
        """The figure as something a layout takes."""
        return pn.pane.Bokeh(self.plot, sizing_mode="stretch_width", margin=0)


class Series(NamedTuple):
    """One of several lines over the same x."""

    y: np.ndarray
    token: str
    width: float
    dash: str  # of Bokeh: solid, dashed, dotted, dotdash, dashdot


class Lines:
    """Lines of a figure as one glyph, which Bokeh prepares and paints once for all of them."""

    def __init__(self, figure: Figure) -> None:
        """None to begin with."""
        self.figure = figure
        names = ("xs", "ys", "colour", "width", "dash")
        self.source = ColumnDataSource({name: [] for name in names})
        figure.plot.multi_line(
            "xs",
            "ys",
            source=self.source,
            line_color="colour",
            line_width="width",
            line_dash="dash",
        )

    def put(self, x: np.ndarray, series: Iterable[Series]) -> None:
        """All lines from now on, those in front last; one without a number is left out."""
        drawn = [one for one in series if np.isfinite(one.y).any()]
        ys = np.array([one.y for one in drawn], np.float64).reshape(len(drawn), len(x))
        put_columns(
            self.source,
            xs=np.broadcast_to(np.asarray(x, np.float64), ys.shape),
            ys=ys,
            colour=self.figure.colours(self.source, [one.token for one in drawn]),
            width=[one.width for one in drawn],
            dash=[one.dash for one in drawn],
        )


MOST_DRAWN = 1e300  # beyond it a range's own width would overflow


def put_range(axis: Range1d, *groups: np.ndarray, room: float = 0.06) -> None:
    """Let an axis span all finite numbers and a little room; Bokeh's own ranges need some."""
    values = np.concatenate([np.ravel(group) for group in groups])
    finite = values[np.abs(values) < MOST_DRAWN]  # leaves out NaN as well
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    width = high - low
    least = 1e-9 * max(abs(low), abs(high), 1e-9)
    room *= width
    if width <= least:
        room = max(abs(low), 1.0) / 2
    put_values(axis, start=low - room, end=high + room)
