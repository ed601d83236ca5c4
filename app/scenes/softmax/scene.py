"""The Softmax scene put together: one query and its keys through every step to the gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from panel.viewable import Viewable

from app.fields.softmax import FIELDS
from app.scenes.scene import Scene
from app.scenes.softmax.actions import Actions
from app.scenes.softmax.controls import Controls
from app.scenes.softmax.curves import CurvesView
from app.scenes.softmax.results import Results
from app.scenes.softmax.stage import Stage
from app.softmax.curves import Curves, Point, variant_of
from app.softmax.leak import Comparison, compare_orders
from app.softmax.problem import HeadResult, Problem, head_of, problem_of
from app.views.controls import quiet
from kernels.softmax_chain import SoftmaxChain

if TYPE_CHECKING:
    from app.application import Application

CHAIN = frozenset(field.name for field in FIELDS if not field.silent)
SWEPT = CHAIN - {"softmax_scale"}  # the curves run over all scales


class SoftmaxScene(Scene):
    """Reads the store, runs the chain, and lets its parts show it."""

    key = "softmax"
    rehearsed = CHAIN
    problem: Problem
    chain: SoftmaxChain
    result: HeadResult
    orders: Comparison
    curves: Curves
    points: dict[str, Point]

    def __init__(self, application: Application) -> None:
        """Make the parts."""
        super().__init__(application)
        self.actions = Actions(self)
        self.curves_view = CurvesView(self)
        self.controls = Controls(self)
        self.stage = Stage(self)
        self.results = Results(self)

    def layout(self) -> dict[str, Viewable]:
        """Controls at the left, vectors, chain and curves in the middle, results at the right."""
        return {
            "controls": self.controls.layout(),
            "stage": self.stage.layout(),
            "results": self.results.layout(),
        }

    @property
    def head(self) -> int:
        """The head on show."""
        return self.store["softmax_head"]

    @property
    def variant(self) -> str:
        """The curve on which the present settings stand."""
        return variant_of(self.problem)

    def compute(self, changed: frozenset[str]) -> None:
        """The chain, both orders of cap and mask, and the curves."""
        if changed & CHAIN:
            self.problem = problem_of(self.store.values)
            self.chain = self.problem.run()
        if changed & SWEPT:
            self.curves = Curves(self.problem)
        elif "softmax_scale" in changed:
            self.curves.move(self.problem)
        if changed & (CHAIN | {"softmax_head"}):
            visible, head = self.problem.visible, self.head
            self.result = head_of(self.chain, head, visible)
            self.orders = compare_orders(self.problem, self.chain, head)
            self.points = self.curves.points(head)

    def show(self, changed: frozenset[str]) -> None:
        """One update a view."""
        with quiet.on():
            self.controls.show(changed)
            self.stage.show(changed)
            if changed & (CHAIN | {"softmax_head"}):
                self.curves_view.show(changed)
                self.results.show()

    def outputs(self) -> dict[str, Any]:
        """Every step for the head on show, and where each curve stands."""
        result = self.result
        return {
            "head": self.head,
            "query": result.query,
            "keys": result.keys,
            "query_hat": result.query_hat,
            "keys_hat": result.keys_hat,
            "scores": result.scores,
            "capped": result.capped,
            "masked": result.masked,
            "probabilities": result.probabilities,
            "entropy": result.entropy,
            "slope": result.slope,
            "jacobian": result.jacobian,
            "leaked": result.leaked,
            "bound": self.problem.bound,
            "orders": {
                "cap": self.orders.cap,
                "before_mask": self.orders.before.probabilities,
                "after_mask": self.orders.after.probabilities,
                "leaked": self.orders.after.leaked,
            },
            "curves": {
                key: {
                    "largest_score": point.largest_score,
                    "entropy": point.entropy,
                    "slope": point.slope,
                }
                for key, point in self.points.items()
            },
        }
