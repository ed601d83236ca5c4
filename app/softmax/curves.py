"""Scale of the projections → largest logit → entropy → gradient, with and without the remedies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.softmax.problem import Array, Problem
from kernels.softmax_chain import ScaleSweep, sweep_scale

SCALES: Array = np.logspace(-1, 2, 91)  # 30 a decade
TYPICAL_NORM = "rms"  # what "with QK-norm" means while the state has none
TYPICAL_CAP = 50.0  # Gemma 2's for attention, arXiv 2408.00118 section 2


@dataclass(frozen=True)
class Variant:
    """One curve: whether it has the norm and the cap."""

    key: str
    normed: bool
    capped: bool


VARIANTS = (
    Variant("bare", False, False),
    Variant("normed", True, False),
    Variant("capped", False, True),
    Variant("both", True, True),
)


def variant_of(problem: Problem) -> str:
    """Which of the curves the settings of a problem stand on."""
    settings = problem.settings
    normed, capped = settings.qk_norm is not None, settings.soft_cap is not None
    return next(v.key for v in VARIANTS if (v.normed, v.capped) == (normed, capped))


def problem_on(problem: Problem, variant: Variant) -> Problem:
    """A problem with or without norm and cap: its own where it has them, else the typical ones."""
    own = problem.settings
    changes = {
        "qk_norm": (own.qk_norm or TYPICAL_NORM) if variant.normed else None,
        "soft_cap": (own.soft_cap or TYPICAL_CAP) if variant.capped else None,
        "weight_q": own.weight_q if variant.normed else None,
        "weight_k": own.weight_k if variant.normed else None,
        "over_all_heads": own.over_all_heads and variant.normed,
    }
    return problem.with_settings(**changes)


def sweep(problem: Problem, variant: Variant, scales: Array = SCALES) -> ScaleSweep:
    """One curve, for all heads: [n, heads, 1]. The scale of the problem itself does not matter."""
    asked = problem_on(problem, variant).with_settings(query_scale=1.0, key_scale=1.0)
    return sweep_scale(asked.query, asked.keys, scales, asked.settings, mask=asked.visible)


@dataclass(frozen=True)
class Point:
    """The three numbers of a curve at one scale."""

    largest_score: float
    entropy: float
    slope: float


@dataclass(frozen=True)
class Stand:
    """Where a curve stands at the problem's own scale, and where it would at scale 1."""

    now: Point
    at_one: Point


def stands(problem: Problem, head: int) -> dict[str, Stand]:
    """Where each curve stands."""
    at = np.array([problem.settings.query_scale, 1.0])
    found = {}
    for variant in VARIANTS:
        one = sweep(problem, variant, at)
        rows = (one.largest_score, one.entropy, one.slope)
        now, at_one = (Point(*(float(row[n, head, 0]) for row in rows)) for n in (0, 1))
        found[variant.key] = Stand(now, at_one)
    return found
