"""The chain as a table: a column for each step, a row for the query and one for each key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from app.numbers import short
from app.softmax import formulas
from app.softmax.digits import probability, significant, vector
from app.softmax.problem import HeadResult
from app.strings import say
from kernels.softmax_chain import ScoreSettings

CellText = Callable[[HeadResult, int], str]


@dataclass(frozen=True)
class Step:
    """One column: its title, formula, whether it does anything, and what it says of each key."""

    key: str
    title: str
    formula: str
    active: bool
    of_query: str
    of_key: CellText


def steps_of(settings: ScoreSettings, result: HeadResult) -> tuple[Step, ...]:
    """The columns in the order in which the settings apply them."""
    cap_and_mask = (cap_step(settings), mask_step(settings, result))
    return (
        projected_step(settings, result),
        prepared_step(settings, result),
        score_step(settings),
        *(reversed(cap_and_mask) if settings.cap_after_mask else cap_and_mask),
        softmax_step(settings),
        gradient_step(settings),
    )


def projected_step(settings: ScoreSettings, result: HeadResult) -> Step:
    """q and k after the projections."""
    return Step(
        "projected",
        say("softmax_step_projected", scale=significant(settings.query_scale, 4)),
        formulas.PROJECTED,
        settings.query_scale != 1,
        vector(result.query.tolist()),
        lambda r, key: vector(r.keys[key].tolist()),
    )


def prepared_step(settings: ScoreSettings, result: HeadResult) -> Step:
    """q̂ and k̂ after norm and rotation, in the order in which these come."""
    norm = say(f"softmax_norm_{settings.qk_norm}") if settings.qk_norm else ""
    rope = say("softmax_rope") if settings.rope else ""
    both = [norm, rope]
    if settings.rope and settings.rope.order == "rope_then_norm":
        both.reverse()
    parts = [part for part in both if part]
    return Step(
        "prepared",
        ", ".join(parts) or say("softmax_step_no_norm"),
        formulas.PREPARED,
        bool(parts),
        vector(result.query_hat.tolist()),
        lambda r, key: vector(r.keys_hat[key].tolist()),
    )


def score_step(settings: ScoreSettings) -> Step:
    """The scaled products."""
    factor = "" if settings.scale is None else significant(settings.scale)
    return Step(
        "score",
        say("softmax_step_score"),
        formulas.score(settings.scale, factor),
        True,
        "",
        lambda r, key: short(float(r.scores[key])),
    )


def cap_step(settings: ScoreSettings) -> Step:
    """The soft-cap; after the mask it reads −∞ where a key is masked."""
    cap = "" if settings.soft_cap is None else significant(settings.soft_cap)
    return Step(
        "cap",
        say("softmax_step_cap" if cap else "softmax_step_cap_off"),
        formulas.capped(cap),
        bool(cap),
        "",
        lambda r, key: short(float(r.capped[key])),
    )


def mask_step(settings: ScoreSettings, result: HeadResult) -> Step:
    """−∞ where a key may not be seen."""
    before_cap = settings.cap_after_mask and settings.soft_cap is not None

    def text(r: HeadResult, key: int) -> str:
        if not r.visible[key]:
            return short(-np.inf)
        return short(float(r.scores[key] if before_cap else r.masked[key]))

    active = not bool(result.visible.all())
    title = say("softmax_step_mask" if active else "softmax_step_mask_off")
    return Step("mask", title, formulas.MASKED, active, "", text)


def softmax_step(settings: ScoreSettings) -> Step:
    """The probabilities."""
    temperature = "" if settings.temperature == 1 else significant(settings.temperature)
    return Step(
        "probability",
        say("softmax_step_probability"),
        formulas.probability(temperature),
        True,
        "",
        lambda r, key: probability(float(r.probabilities[key])),
    )


def gradient_step(settings: ScoreSettings) -> Step:
    """∂pᵢ/∂sᵢ by the scores before cap and temperature."""
    changed = settings.temperature != 1 or settings.soft_cap is not None
    return Step(
        "gradient",
        say("softmax_step_gradient"),
        formulas.slope(" " if changed else ""),
        True,
        "",
        lambda r, key: significant(float(r.slope[key])),
    )
