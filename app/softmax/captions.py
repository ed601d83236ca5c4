"""What is said over the stage, every number in it computed."""

from __future__ import annotations

import math

import numpy as np

from app.numbers import short
from app.softmax.digits import percent, significant
from app.softmax.problem import HeadResult, Problem
from app.strings import listed, say

# How an entropy, as a part of the largest possible, is called; the first row that it reaches.
VERDICTS = (
    (0.9, "softmax_nearly_even"),
    (0.4, "softmax_leaning"),
    (0.05, "softmax_sharp"),
    (-1.0, "softmax_one_hot"),
)
NORM_COLOURS = {"rms": "rms", "layer": "ln", "l2": ""}


def key_name(key: int) -> str:
    """k0."""
    return f"k{key}"


def key_names(keys: np.ndarray) -> str:
    """k0 and k2, where a boolean array says so."""
    return listed([key_name(int(key)) for key in np.flatnonzero(keys)])


def lead(problem: Problem, result: HeadResult) -> str:
    """The one sentence: who takes the attention."""
    broken = not_finite(problem)
    if broken:
        return say("softmax_lead_broken", name=broken)
    if np.isnan(result.probabilities).any():
        return say("softmax_lead_overflow")
    if result.leaked > 0:
        leaked = percent(result.leaked)
        return say("softmax_lead_leak", share=leaked, keys=key_names(~result.visible))
    seen = int(result.visible.sum())
    if not seen:
        return say("softmax_lead_none")
    top = key_name(int(result.probabilities.argmax()))
    if seen == 1:
        return say("softmax_lead_only", name=top)
    share = percent(float(result.probabilities.max()))
    if math.isclose(result.entropy, math.log(seen), rel_tol=1e-9):
        return say("softmax_lead_even", share=share, count=seen)
    return say("softmax_lead_one", name=top, share=share, verdict=verdict(result.entropy, seen))


def verdict(entropy: float, keys: int) -> str:
    """How spread the probabilities are, in words."""
    part = entropy / math.log(keys)
    return say(next(name for least, name in VERDICTS if part >= least))


def not_finite(problem: Problem) -> str:
    """The first vector that holds NaN or an infinity: "q" or "k1"; "" where none does."""
    if not np.isfinite(problem.query).all():
        return say("softmax_query")
    bad = ~np.isfinite(problem.keys).all(axis=(0, 2))
    return key_name(int(bad.argmax())) if bad.any() else ""


def sub(problem: Problem, result: HeadResult, slope_at_one: float) -> str:
    """The reasons: the gap, the gradient against that at scale 1, and what bounds the scores."""
    if not_finite(problem) or np.isnan(result.probabilities).any():
        return say("softmax_sub_mend")
    if result.leaked > 0:
        return say("softmax_sub_leak", cap=short(problem.settings.soft_cap or 0.0))
    sentences = [gap(problem, result), gradient(problem, result, slope_at_one), bound(problem)]
    return " ".join(sentence for sentence in sentences if sentence)


def gap(problem: Problem, result: HeadResult) -> str:
    """How far the largest score is above the next, as the softmax reads them."""
    read = np.sort(result.masked[result.visible])[::-1]
    if len(read) < 2:
        return ""
    score, apart = short(float(read[0])), float(read[0] - read[1])
    if apart == 0:
        return say("softmax_sub_tie", score=score)
    bare = problem.settings.scale == 1
    return say("softmax_sub_no_root" if bare else "softmax_sub_gap", score=score, gap=short(apart))


def gradient(problem: Problem, result: HeadResult, then: float) -> str:
    """The largest slope against that at scale 1."""
    now = float(result.slope.max())
    if problem.settings.query_scale == 1 or not now > 0 or not then > 0:
        return ""
    if abs(now / then - 1) < 5e-4:
        return say("softmax_sub_same")
    if now < then:
        return say("softmax_sub_smaller", ratio=ratio_text(then / now))
    return say("softmax_sub_larger", ratio=ratio_text(now / then))


def ratio_text(ratio: float) -> str:
    """1594, 2.15, 3.2e8."""
    return f"{ratio:.0f}" if 100 <= ratio < 1e6 else significant(ratio)


def bound(problem: Problem) -> str:
    """What no score can pass."""
    settings, dim = problem.settings, problem.head_dim
    limit = problem.bound
    if limit is None:
        return say("softmax_sub_no_bound")
    if settings.soft_cap is not None and limit == settings.soft_cap:
        return say("softmax_sub_bound_cap", bound=short(limit))
    norm = norm_name(settings.qk_norm or "")
    if math.isclose(limit, math.sqrt(dim)) and settings.scale is None:
        return say("softmax_sub_bound_root", norm=norm, dim=dim, bound=significant(limit, 4))
    return say("softmax_sub_bound_norm", norm=norm, bound=significant(limit, 4))


def norm_name(norm: str) -> str:
    """The name of a QK-norm in its colour."""
    colour = NORM_COLOURS[norm]
    name = say(f"softmax_norm_{norm}")
    return f"<em data-colour='{colour}'>{name}</em>" if colour else name
