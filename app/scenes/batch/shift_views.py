"""Two sets of values as outlines of histograms on the same bins."""

from __future__ import annotations

import numpy as np
import panel as pn
from bokeh.models import BasicTicker, ColumnDataSource, Range1d
from panel.viewable import Viewable

from app.batch.shift import edges_of
from app.views.figures import Figure, put_range
from app.views.prose import Prose
from app.wire import put_columns


class Histogram:
    """Before and after, in two tokens' colours; the second is filled."""

    def __init__(self, colours: tuple[str, str]) -> None:
        """An empty figure under its title."""
        self.title = Prose(margin=(0, 0, 2, 0))
        self.x, self.y = Range1d(0.0, 1.0), Range1d(0.0, 1.0)
        self.figure = Figure(height=130, x_range=self.x, y_range=self.y)
        plot = self.figure.plot
        plot.yaxis.visible = False
        plot.ygrid.visible = False
        plot.xaxis.ticker = BasicTicker(desired_num_ticks=6)
        self.sources = [ColumnDataSource({"x": [], "top": [], "left": []}) for _ in colours]
        filled = plot.quad(
            left="left", right="x", top="top", bottom=0, source=self.sources[1], line_width=0
        )
        filled.glyph.fill_alpha = 0.75
        self.figure.token(filled.glyph, fill_color=colours[1])
        outline = plot.step("x", "top", source=self.sources[0], mode="before", line_width=1.6)
        self.figure.token(outline.glyph, line_color=colours[0])

    def layout(self) -> Viewable:
        """Title above figure."""
        return pn.Column(self.title, self.figure.pane(), sizing_mode="stretch_width")

    def show(self, title: str, before: np.ndarray, after: np.ndarray) -> None:
        """Both sets of values."""
        edges = edges_of(before, after)
        counts = [np.histogram(values, edges)[0].astype(float) for values in (before, after)]
        put_range(self.x, edges, room=0.02)
        put_range(self.y, np.zeros(1), *counts, room=0.0)
        for source, top in zip(self.sources, counts, strict=True):
            put_columns(source, x=edges[1:], left=edges[:-1], top=top)
        self.title.put(html=f"<p class='figure'>{title}</p>")
