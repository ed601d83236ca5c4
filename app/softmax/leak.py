"""The soft-cap before the mask and after it: what the wrong order lets through."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from app.softmax.problem import HeadResult, Problem, head_of
from kernels.softmax_chain import SoftmaxChain

SHOWN_CAP = 1.0  # the cap of the comparison while the state has none


@dataclass(frozen=True)
class Comparison:
    """Both orders for one head; `supposed` where cap or mask are not those of the state."""

    cap: float
    visible: np.ndarray
    supposed: bool
    before: HeadResult
    after: HeadResult


def compare_orders(problem: Problem, chain: SoftmaxChain, head: int, own: HeadResult) -> Comparison:
    """Both orders, with the state's cap and mask where it has them, else cap 1 and the last key.

    `chain` and `own` are what the state itself gives: one of the two, where it has both cap and
    mask.
    """
    cap = problem.settings.soft_cap or SHOWN_CAP
    visible = problem.visible
    if visible.all():
        visible = visible.copy()
        visible[-1] = False
    supposed = problem.settings.soft_cap is None or bool(problem.visible.all())
    asked = replace(problem, visible=visible).with_settings(soft_cap=cap)
    both = [
        own
        if not supposed and late == problem.settings.cap_after_mask
        else head_of(asked.with_settings(cap_after_mask=late).run(chain), head, visible)
        for late in (False, True)
    ]
    return Comparison(cap, visible, supposed, *both)
