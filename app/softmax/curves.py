"""Scale of the projections → largest logit → entropy → gradient, with and without the remedies."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from app.softmax.problem import Array, Problem
from kernels.softmax_chain import ScaleSweep, ScoreSettings, sweep_scales

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


def settings_on(own: ScoreSettings, variant: Variant) -> ScoreSettings:
    """With or without norm and cap: one's own where one has them, else the typical ones."""
    return replace(
        own,
        qk_norm=(own.qk_norm or TYPICAL_NORM) if variant.normed else None,
        soft_cap=(own.soft_cap or TYPICAL_CAP) if variant.capped else None,
        weight_q=own.weight_q if variant.normed else None,
        weight_k=own.weight_k if variant.normed else None,
        over_all_heads=own.over_all_heads and variant.normed,
        query_scale=1.0,
        key_scale=1.0,
    )


def sweep(problem: Problem, scales: Array) -> dict[str, ScaleSweep]:
    """All curves, for all heads: [n, heads, 1]. The scale of the problem itself does not matter."""
    settings = [settings_on(problem.settings, one) for one in VARIANTS]
    swept = sweep_scales(problem.query, problem.keys, scales, settings, mask=problem.visible)
    return {one.key: row for one, row in zip(VARIANTS, swept, strict=True)}


@dataclass(frozen=True)
class Point:
    """The three numbers of a curve at one scale."""

    largest_score: float
    entropy: float
    slope: float


def point_of(swept: ScaleSweep, index: int, head: int) -> Point:
    """Where a curve is at one of its scales."""
    rows = (swept.largest_score, swept.entropy, swept.slope)
    return Point(*(float(row[index, head, 0]) for row in rows))


class Curves:
    """All four curves of a problem; where they are at its own scale and at scale 1 is kept too."""

    def __init__(self, problem: Problem) -> None:
        """Sweep all scales at once: the own scale and 1 come last."""
        scales = np.append(SCALES, [problem.settings.query_scale, 1.0])
        self.swept = sweep(problem, scales)
        self.now = self.swept
        self.now_index = -2

    def move(self, problem: Problem) -> None:
        """Only the scale has changed."""
        self.now = sweep(problem, np.array([problem.settings.query_scale]))
        self.now_index = 0

    def points(self, head: int) -> dict[str, Point]:
        """Where each curve is at the problem's own scale."""
        return {key: point_of(row, self.now_index, head) for key, row in self.now.items()}

    def at_one(self, key: str, head: int) -> Point:
        """Where a curve is at scale 1."""
        return point_of(self.swept[key], -1, head)

    def row(self, key: str, name: str, head: int) -> Array:
        """One number of a curve over `SCALES`."""
        return np.array(getattr(self.swept[key], name)[: len(SCALES), head, 0])
