"""The Precision scene put together: one row in two types, three methods, and their cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
from panel.viewable import Viewable

from app.precision import METHODS, Exact, Outcome, curve, exact, outcome
from app.scenes.precision.controls import Controls
from app.scenes.precision.cost import Cost
from app.scenes.precision.stage import Stage
from app.scenes.scene import Scene
from app.views.controls import quiet
from kernels.statistics import Float64Array

if TYPE_CHECKING:
    from app.application import Application

CURVES = frozenset({"precision_row", "precision_storage", "precision_accumulation"})
COMPUTED_FROM = CURVES | {"precision_offset"}


class PrecisionScene(Scene):
    """Reads the store, runs each method as a type would, and shows what broke."""

    key = "precision"

    def __init__(self, application: Application) -> None:
        """Make the parts."""
        super().__init__(application)
        self.truth: Exact
        self.outcomes: list[Outcome] = []
        self.curves: dict[str, Float64Array] = {}
        self.controls, self.stage, self.cost = Controls(self), Stage(self), Cost(self)

    def layout(self) -> dict[str, Viewable]:
        """Controls at the left, the numbers in the middle, the cost at the right."""
        controls, stage, results = (
            pn.Column(*part.views(), sizing_mode="stretch_width")
            for part in (self.controls, self.stage, self.cost)
        )
        return {"controls": controls, "stage": stage, "results": results}

    def compute(self, changed: frozenset[str]) -> None:
        """Each method on the row; its curve only where the row or a type is another."""
        row, offset = self.store["precision_row"], self.store["precision_offset"]
        types = self.store["precision_storage"], self.store["precision_accumulation"]
        if changed & COMPUTED_FROM:
            self.truth = exact(row, offset)
            self.outcomes = [outcome(row, offset, method, *types) for method in METHODS]
        if changed & CURVES:
            self.curves = {method: curve(row, method, *types) for method in METHODS}

    def show(self, changed: frozenset[str]) -> None:
        """One update a view."""
        with quiet.on():
            for part in (self.controls, self.stage, self.cost):
                part.show(changed)

    def outputs(self) -> dict[str, Any]:
        """The exact answer, what each method made of it, the curves and the measured times."""
        return {
            "exact": {
                "mean": float(self.truth.mean),
                "variance": float(self.truth.variance),
                "normalized": self.truth.normalized,
            },
            "methods": {one.method: one._asdict() for one in self.outcomes},
            "curves": self.curves,
            "benchmark": [one._asdict() for one in self.cost.measured],
        }
