"""The Softmax scene put together: one query and its keys through every step to the gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from panel.viewable import Viewable

from app.fields.softmax import FIELDS
from app.scenes.scene import Scene
from app.scenes.softmax.actions import Actions
from app.scenes.softmax.controls import Controls
from app.scenes.softmax.curves import Curves
from app.scenes.softmax.results import Results
from app.scenes.softmax.stage import Stage
from app.softmax.curves import VARIANTS, Stand, stands, sweep, variant_of
from app.softmax.leak import Comparison, compare_orders
from app.softmax.problem import HeadResult, Problem, head_of, problem_of
from app.views.controls import quiet
from kernels.softmax_chain import ScaleSweep, SoftmaxChain

if TYPE_CHECKING:
    from app.application import Application

CHAIN = frozenset(field.name for field in FIELDS if not field.silent)
SWEPT = CHAIN - {"softmax_scale"}  # the curves run over all scales


class SoftmaxScene(Scene):
    """Reads the store, runs the chain, and lets its parts show it."""

    key = "softmax"
    problem: Problem
    chain: SoftmaxChain
    result: HeadResult
    orders: Comparison
    stands: dict[str, Stand]

    def __init__(self, application: Application) -> None:
        """Make the parts."""
        super().__init__(application)
        self.sweeps: dict[str, ScaleSweep] = {}
        self.actions = Actions(self)
        self.curves = Curves(self)
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
    def stand(self) -> Stand:
        """Where the curve of the present settings stands."""
        return self.stands[variant_of(self.problem)]

    def compute(self, changed: frozenset[str]) -> None:
        """The chain, both orders of cap and mask, and the curves."""
        if changed & CHAIN:
            self.problem = problem_of(self.store.values)
            self.chain = self.problem.run()
        if changed & SWEPT:
            self.sweeps = {one.key: sweep(self.problem, one) for one in VARIANTS}
        if changed & (CHAIN | {"softmax_head"}):
            visible, head = self.problem.visible, self.head
            self.result = head_of(self.chain, head, visible)
            self.orders = compare_orders(self.problem, head, self.result)
            self.stands = stands(self.problem, head)

    def show(self, changed: frozenset[str]) -> None:
        """One update a view."""
        with quiet.on():
            self.controls.show(changed)
            self.stage.show(changed)
            if changed & (CHAIN | {"softmax_head"}):
                self.curves.show(changed)
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
                    "largest_score": stand.now.largest_score,
                    "entropy": stand.now.entropy,
                    "slope": stand.now.slope,
                }
                for key, stand in self.stands.items()
            },
        }
