"""Three linked figures: as the projections grow, the largest logit, the entropy, the gradient."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
from bokeh.models import ColumnDataSource, FixedTicker, Range1d, Span
from panel.viewable import Viewable

from app.softmax.curves import SCALES, TYPICAL_CAP, TYPICAL_NORM, VARIANTS, Variant
from app.softmax.digits import significant
from app.strings import say
from app.views.controls import quiet
from app.views.figures import Figure, Series
from app.views.softmax import Variants
from app.wire import page_has, put_columns, put_shared, put_values

if TYPE_CHECKING:
    from app.scenes.softmax.scene import SoftmaxScene

HEIGHT = 168
MOST_TICKS = 4
SMALLEST_SLOPE = 1e-9  # below, a gradient is gone for all purposes, and its curve leaves the figure
COLOURS = {"rms": "rms", "layer": "ln", "l2": "ink"}
PLAIN = "ink-2"


class Part:
    """One figure: which number of the sweeps it shows, and on what scale."""

    def __init__(self, name: str, log: bool, x_range: Range1d) -> None:
        """An empty figure over the scales."""
        self.name = name
        self.log = log
        self.figure = Figure(
            height=HEIGHT,
            x_axis_type="log",
            y_axis_type="log" if log else "linear",
            x_range=x_range,
            y_range=Range1d(1e-3, 1),
        )
        plot = self.figure.plot
        ticks = decades(-1, 2)
        plot.xaxis[0].ticker = FixedTicker(ticks=ticks)
        plot.xaxis[0].major_label_overrides = {tick: f"{tick:g}" for tick in ticks}
        if log:
            plot.yaxis[0].ticker = FixedTicker()
        plot.xaxis[0].axis_label = say(f"softmax_curve_axis_{name}")
        plot.xaxis[0].axis_label_standoff = 1
        plot.min_border_left, plot.min_border_right = 46, 14
        self.lines = self.figure.lines()

    def set_range(self, low: float, high: float) -> None:
        """What the figure shows of the vertical axis; whole decades where it is logarithmic."""
        plot = self.figure.plot
        if self.log:
            first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
            put_values(plot.yaxis[0].ticker, ticks=decades(first, last))
            low, high = 10.0**first, 1.4 * 10.0**last
        put_values(plot.y_range, start=low, end=high)


def decades(first: int, last: int) -> list[float]:
    """Up to four powers of ten, evenly apart."""
    step = max(1, math.ceil((last - first) / (MOST_TICKS - 1)))
    return [10.0**power for power in range(last, first - 1, -step)]


class CurvesView:
    """The figures, what marks the present scale in them, and the same as a table."""

    def __init__(self, scene: SoftmaxScene) -> None:
        """Make the figures."""
        self.scene = scene
        x_range = Range1d(float(SCALES[0]), float(SCALES[-1]))
        self.parts = (
            Part("largest_score", True, x_range),
            Part("entropy", False, x_range),
            Part("slope", True, x_range),
        )
        self.marks = ColumnDataSource(data={"scale": [], **{p.name: [] for p in self.parts}})
        self.spans = [self.draw(part) for part in self.parts]
        self.legend, self.table = Variants(compact=True, sizing_mode=None), Variants()

    def draw(self, part: Part) -> Span:
        """The present points of a figure, and the line that can be dragged."""
        plot = part.figure.plot
        span = Span(
            dimension="height",
            location=1.0,
            editable=True,
            line_width=16,
            line_alpha=0.13,
            level="overlay",  # a layer of its own: what moves there does not paint the curves
        )
        part.figure.token(span, line_color="ink")
        plot.add_layout(span)
        dots = plot.scatter(
            "scale", part.name, source=self.marks, size=8, line_width=1.5, level="overlay"
        )
        part.figure.token(dots.glyph, fill_color="ink", line_color="panel")
        span.on_change("location", lambda attr, old, new: self.dragged(span, new))
        return span

    def dragged(self, span: Span, location: Any) -> None:
        """A person drags the line in one of the figures."""
        if not quiet() and location is not None:
            page_has(span, "location", location)
            self.scene.actions.drag_scale(float(location))

    def layout(self) -> Viewable:
        """Side by side, or one under the other where it is narrow."""
        figures = [
            pn.Column(
                pn.pane.HTML(f"<h3>{say(f'softmax_curve_{part.name}')}</h3>", margin=0),
                part.figure.pane(),
                sizing_mode="stretch_width",
                css_classes=["third"],
                margin=0,
            )
            for part in self.parts
        ]
        return pn.Column(
            pn.Row(
                pn.pane.HTML(f"<h2>{say('softmax_curves')}</h2>", margin=0, css_classes=["third"]),
                self.legend,
                sizing_mode="stretch_width",
                css_classes=["wrapped"],
            ),
            pn.Row(*figures, sizing_mode="stretch_width", css_classes=["wrapped"]),
            sizing_mode="stretch_width",
            css_classes=["card"],
            margin=(10, 0, 0, 0),
        )

    def show(self, changed: frozenset[str]) -> None:
        """The curves where they changed; always the present points."""
        if changed - {"softmax_scale"}:
            self.show_lines()
        scale = self.scene.problem.settings.query_scale
        present = self.scene.variant
        point = self.scene.points[present]
        put_columns(
            self.marks,
            scale=[scale],
            **{part.name: [getattr(point, part.name)] for part in self.parts},
        )
        for span in self.spans:
            put_shared(span, "location", scale)
        self.show_table(present)

    def show_lines(self) -> None:
        """The four curves of each figure, and how they are drawn."""
        scene, head, present = self.scene, self.scene.head, self.scene.variant
        norm = scene.problem.settings.qk_norm
        rows: dict[str, list[np.ndarray]] = {}
        for part in self.parts:
            series = []
            for one in sorted(VARIANTS, key=lambda one: one.key == present):
                row = scene.curves.row(one.key, part.name, head)
                row[~np.isfinite(row)] = np.nan
                if part.name != "entropy":
                    row[row <= 0] = np.nan
                width = 3.0 if one.key == present else 1.4
                dash = "dashed" if one.capped else "solid"
                series.append(Series(row, colour_of(one, norm), width, dash))
            part.lines.put(SCALES, series)
            rows[part.name] = [one.y for one in series]
        self.fit_ranges(rows)

    def fit_ranges(self, rows: dict[str, list[np.ndarray]]) -> None:
        """Whole decades around the logits; entropy up to log n; the gradient down to 1e-9."""
        score, entropy, slope = self.parts
        known = np.concatenate(rows[score.name])
        known = known[np.isfinite(known)]
        low, high = (known.min(), known.max()) if known.size else (0.1, 10.0)
        score.set_range(float(low), float(high))
        entropy.set_range(-0.02, math.log(max(self.scene.result.reached, 2)) * 1.06)
        slope.set_range(SMALLEST_SLOPE, 1.0)

    def show_table(self, present: str) -> None:
        """What each curve is called and where it stands."""
        settings = self.scene.problem.settings
        rows = []
        for one in VARIANTS:
            point = self.scene.points[one.key]
            numbers = [getattr(point, part.name) for part in self.parts]
            rows.append(
                {
                    "name": variant_name(one, settings.soft_cap),
                    "colour": colour_of(one, settings.qk_norm),
                    "dashed": one.capped,
                    "current": one.key == present,
                    "cells": [significant(number) for number in numbers],
                }
            )
        columns = [say(f"softmax_curve_{part.name}") for part in self.parts]
        self.table.put(rows=rows, columns=columns, label=say("softmax_curves_now"))
        self.legend.put(rows=[row | {"cells": []} for row in rows])


def colour_of(variant: Variant, norm: str | None) -> str:
    """The token of a variant's curve: its norm's, or plain ink."""
    return COLOURS[norm or TYPICAL_NORM] if variant.normed else PLAIN


def variant_name(variant: Variant, cap: float | None) -> str:
    """neither, QK-norm, soft-cap 50, both."""
    return say(f"softmax_variant_{variant.key}", cap=significant(cap or TYPICAL_CAP))
