"""The soft-cap before the mask and after it: what the wrong order lets through."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.softmax.problem import Array, Problem
from kernels.softmax_chain import SoftmaxChain, after_scores

SHOWN_CAP = 1.0  # the cap of the comparison while the state has none


@dataclass(frozen=True)
class Shares:
    """What each key [S] gets of one head's attention, and what all masked ones get together."""

    probabilities: Array
    visible: NDArray[np.bool_]
    leaked: float


@dataclass(frozen=True)
class Comparison:
    """Both orders for one head; `supposed` where cap or mask are not those of the state."""

    cap: float
    visible: NDArray[np.bool_]
    supposed: bool
    before: Shares
    after: Shares


def compare_orders(problem: Problem, chain: SoftmaxChain, head: int) -> Comparison:
    """Both orders, with the state's cap and mask where it has them, else cap 1 and the last key.

    `chain` is what the state itself gives: one of the two, where it has both cap and mask.
    """
    own = problem.settings
    cap = own.soft_cap or SHOWN_CAP
    visible = problem.visible
    if visible.all():
        visible = visible.copy()
        visible[-1] = False
    supposed = own.soft_cap is None or bool(problem.visible.all())

    def shares(late: bool) -> Shares:
        same = not supposed and late == own.cap_after_mask
        asked = replace(own, soft_cap=cap, cap_after_mask=late)
        run = chain if same else after_scores(chain, asked, mask=visible)
        return Shares(run.probabilities[head, 0], visible, float(run.leaked[head, 0]))

    return Comparison(cap, visible, supposed, shares(late=False), shares(late=True))
