"""The Precision scene put together: one row in two types, three methods, and their cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
from panel.viewable import Viewable

from app.fields.precision import DRAWN_BY
from app.precision import METHODS, Exact, Outcome, curve, outcomes, row_of
from app.scenes.precision.bench import Bench
from app.scenes.precision.controls import Controls
from app.scenes.precision.cost import Cost
from app.scenes.precision.rounding import Rounding
from app.scenes.precision.timing import Timing
from app.scenes.scene import Scene
from app.views.controls import put, quiet
from kernels.statistics import Float64Array

if TYPE_CHECKING:
    from app.application import Application

CURVES = DRAWN_BY | {"precision_row", "precision_storage", "precision_accumulation"}
COMPUTED_FROM = CURVES | {"precision_offset"}


class PrecisionScene(Scene):
    """Reads the store, runs each method as a type would, and shows what broke."""

    key = "precision"

    def __init__(self, application: Application) -> None:
        """Make the parts."""
        super().__init__(application)
        self.row: tuple[float, ...] = ()
        self.truth: Exact
        self.outcomes: list[Outcome] = []
        self.curves: dict[str, Float64Array] = {}
        self.controls, self.rounding = Controls(self), Rounding(self)
        self.bench, self.timing, self.cost = Bench(self), Timing(self), Cost(self)
        self.when_rounding = [
            column(self.controls.rounding_views()),
            column([self.controls.accumulation]),
            column(self.rounding.stage()),
            column(self.rounding.results()),
        ]
        self.when_timing = [
            column(self.bench.views()),
            column(self.timing.stage()),
            column(self.cost.views()),
        ]

    def layout(self) -> dict[str, Viewable]:
        """Controls at the left, the numbers in the middle, steps or costs at the right."""
        row, accumulation, rounding, steps = self.when_rounding
        bench, timing, cost = self.when_timing
        controls = [self.controls.view, row, self.controls.storage, accumulation, bench]
        return {
            "controls": column(controls),
            "stage": column([rounding, timing]),
            "results": column([steps, cost]),
        }

    @property
    def timed(self) -> bool:
        """Whether costs are shown, and not what rounding does."""
        return self.store["precision_view"] != "rounding"

    def compute(self, changed: frozenset[str]) -> None:
        """Each method on the row; its curve only where the row or a type is another."""
        types = self.store["precision_storage"], self.store["precision_accumulation"]
        if changed & COMPUTED_FROM:
            self.row = row_of(self.store.values)
            self.truth, self.outcomes = outcomes(self.row, self.store["precision_offset"], *types)
        if changed & CURVES:
            self.curves = {method: curve(self.row, method, *types) for method in METHODS}

    def show(self, changed: frozenset[str]) -> None:
        """One update a view; what is hidden is shown right when it comes."""
        with quiet.on():
            for views, shown in (
                (self.when_rounding, not self.timed),
                (self.when_timing, self.timed),
            ):
                for view in views:
                    put(view, visible=shown)
            self.controls.show()
            if self.timed:
                self.bench.show()
                self.show_measured()
            else:
                self.rounding.show(changed)

    def show_measured(self) -> None:
        """What the benchmark has so far."""
        self.timing.show(self.bench.measured)
        self.cost.show(self.bench.measured)

    def outputs(self) -> dict[str, Any]:
        """The exact answer, what each method made of it, the curves and the measured times."""
        return {
            "row": self.row,
            "exact": {
                "mean": float(self.truth.mean),
                "variance": float(self.truth.variance),
                "normalized": self.truth.normalized,
            },
            "methods": {one.method: one._asdict() for one in self.outcomes},
            "curves": self.curves,
            "benchmark": [one._asdict() for one in self.bench.measured],
        }


def column(views: list[Any]) -> pn.Column:
    """Views from top to bottom."""
    return pn.Column(*views, sizing_mode="stretch_width", margin=0)
