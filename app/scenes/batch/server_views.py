"""What the decode server draws: outputs along the hour, and who was served when."""

from __future__ import annotations

import numpy as np
import panel as pn
from bokeh.models import BasicTicker, ColumnDataSource, Range1d
from panel.viewable import Viewable

from app.batch.server import Replay, rows_of
from app.strings import say
from app.views.figures import Figure, put_range
from app.views.prose import Prose
from app.wire import put_columns

# The members of the comparison: attribute of `Replay`, colour, dash of its curve.
MEMBERS: tuple[tuple[str, str, str], ...] = (
    ("batch_norm", "bn", "solid"),
    ("running", "bn", "dotted"),
    ("layer", "ln", "solid"),
    ("rms", "rms", "dashed"),
)


EDGE = 36  # pixels left of both figures, so that their steps lie under one another


class Marked:
    """A figure over the steps with a line at the present one."""

    def __init__(self, height: int, axis: str, steps: Range1d) -> None:
        """A bare figure over the `steps`; the line spans whatever is shown."""
        self.title = Prose(margin=(0, 0, 2, 0))
        self.y = Range1d(0.0, 1.0)
        self.figure = Figure(height=height, x_axis_label=axis, x_range=steps, y_range=self.y)
        self.figure.plot.min_border_left = EDGE
        self.figure.plot.xaxis.ticker = BasicTicker(min_interval=1, desired_num_ticks=10)
        self.figure.plot.yaxis.ticker = BasicTicker(desired_num_ticks=4)
        self.now = ColumnDataSource({"x": [], "low": [], "high": []})
        line = self.figure.plot.segment("x", "low", "x", "high", source=self.now, line_width=1.5)
        self.figure.token(line.glyph, line_color="ink-3")

    def layout(self) -> Viewable:
        """Title above figure."""
        return pn.Column(self.title, self.figure.pane(), sizing_mode="stretch_width")

    def mark(self, step: int) -> None:
        """Move the line."""
        put_columns(
            self.now,
            x=np.array([step], np.float64),
            low=np.array([self.y.start], np.float64),
            high=np.array([self.y.end], np.float64),
        )


class OutputCurves(Marked):
    """One feature of your token's output along the hour, by normalizer."""

    def __init__(self, steps: Range1d) -> None:
        """A curve each."""
        super().__init__(124, "", steps)
        self.figure.plot.xaxis.visible = False
        self.source = ColumnDataSource({"x": [], **{key: [] for key, _, _ in MEMBERS}})
        for key, colour, dash in MEMBERS:
            self.figure.line(self.source, "x", key, colour, line_width=2, line_dash=dash)
        dots = self.figure.plot.scatter("x", "batch_norm", source=self.source, size=4)
        self.figure.token(dots.glyph, line_color="bn", fill_color="bn")

    def show(self, replay: Replay, feature: int) -> None:
        """The curves of a feature."""
        columns = {key: getattr(replay, key)[:, feature] for key, _, _ in MEMBERS}
        put_columns(self.source, x=np.arange(len(replay.sizes), dtype=np.float64), **columns)
        put_range(self.y, *columns.values(), room=0.08)
        key = " ".join(
            f"<span class='key-{dash}' data-colour='{colour}'><i></i>"
            f"{say(f'batch_server_curve_{name}')}</span>"
            for name, colour, dash in MEMBERS
        )
        title = say("batch_server_curves", feature=feature)
        self.title.put(html=f"<p class='figure'><b>{title}</b> {key}</p>")


class RequestBars(Marked):
    """Each request as a bar from its first step to its last."""

    def __init__(self, steps: Range1d) -> None:
        """Bars in rows."""
        super().__init__(92, say("batch_server_axis"), steps)
        self.figure.plot.ygrid.visible = False
        self.source = ColumnDataSource({"left": [], "right": [], "y": []})
        bars = self.figure.plot.hbar(
            y="y", left="left", right="right", height=0.62, source=self.source, line_width=0
        )
        self.figure.token(bars.glyph, fill_color="ink-3")
        self.yours = ColumnDataSource({"left": [], "right": [], "y": []})
        own = self.figure.plot.hbar(
            y="y", left="left", right="right", height=0.62, source=self.yours, line_width=0
        )
        self.figure.token(own.glyph, fill_color="ink")
        self.figure.plot.yaxis.visible = False

    def show(self, replay: Replay) -> None:
        """The requests, each in the first row that is free; yours is the lowest."""
        starts = np.array([request.start for request in replay.requests], np.float64)
        ends = np.array([request.end for request in replay.requests], np.float64)
        ends = np.minimum(ends, len(replay.sizes))
        rows = np.array(rows_of([(one.start, one.end) for one in replay.requests]), np.float64)
        put_columns(self.source, left=starts - 0.45, right=ends - 0.55, y=rows)
        put_columns(
            self.yours,
            left=np.array([-0.45]),
            right=np.array([len(replay.sizes) - 0.55]),
            y=np.array([0.0]),
        )
        put_range(self.y, rows, np.array([-0.7, rows.max(initial=0.0) + 0.7]), room=0.0)
        title = say("batch_server_bars", count=len(replay.requests))
        self.title.put(html=f"<p class='figure'><b>{title}</b> {say('batch_server_bars_key')}</p>")
