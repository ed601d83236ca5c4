"""The Precision scene's numbers of rounding in words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from app.precision import (
    RESULT,
    STORED,
    Exact,
    Outcome,
    rounds_to_inf_from,
    square_overflows_from,
)
from app.strings import say
from kernels.precision import FORMATS

MOST_DOTS = 48  # in one strip


def lead(outcomes: list[Outcome], truth: Exact) -> str:
    """What broke first in the textbook's one pass, how two passes fare, and Welford where worse."""
    one_pass, two_pass, welford = outcomes
    if not one_pass.broken and how_right(one_pass) == how_right(two_pass):
        return say("precision_alike", **how_right(one_pass))
    told = [one_pass] if one_pass.broken == STORED else [one_pass, two_pass]
    if welford.broken and not two_pass.broken:
        told.append(welford)
    return " ".join(caption(one, truth) for one in told)


def caption(one: Outcome, truth: Exact) -> str:
    """Where a method broke, or how right all that it gives is."""
    method = say(f"precision_{one.method}")
    comma = "," if "," in method else ""  # what was let in between is closed
    if not one.broken:
        return say("precision_fine", method=method, **how_right(one))
    if one.broken == STORED:
        return stored_caption(one, truth)
    if one.broken == RESULT:
        return say(
            "precision_result", method=method, comma=comma, error=number(one.normalized_error, 2)
        )
    value, right = number(one.broken_value), number(float(truth.steps[one.broken]))
    return say(
        "precision_broke", method=method, comma=comma, step=one.broken, value=value, truth=right
    )


def how_right(one: Outcome) -> dict[str, str]:
    """How right all that a method gives is."""
    return {
        "mean": rightness(one.mean_error, " σ"),
        "variance": rightness(one.variance_error),
        "normalized": rightness(one.normalized_error),
    }


def stored_caption(one: Outcome, truth: Exact) -> str:
    """What storage did before any sum."""
    if math.isinf(one.broken_value):
        return say("precision_stored_beyond")
    return say(
        "precision_stored",
        value=number(one.broken_value),
        truth=number(float(truth.variance)),
        error=number(one.kept_error, 2),
    )


def rightness(error: float, unit: str = "") -> str:
    """exact, or ±1.6e-4."""
    if not error:
        return say("precision_exact")
    return f"±{number(error, 2)}{unit}" if math.isfinite(error) else number(error)


def types_sentence(count: int, storage: str, accumulation: str) -> str:
    """The two types, and from where on numbers and squares are Inf in them."""
    beyond = rounds_to_inf_from(accumulation)
    root = square_overflows_from(storage, accumulation)
    largest = FORMATS[accumulation].largest
    text = say(
        "precision_types" if count > 1 else "precision_types_one",
        values=count,
        storage=storage,
        accumulation=accumulation,
    )
    if math.isinf(beyond):
        text += " " + say("precision_largest", largest=number(largest))
    else:
        near = number(beyond) == number(largest)
        key = "precision_beyond_near" if near else "precision_beyond"
        text += " " + say(key, beyond=number(beyond), largest=number(largest))
    if math.isinf(root):
        return text + " " + say("precision_no_square", storage=storage)
    return text + " " + say("precision_square", root=number(root))


def number(value: float, digits: int = 6) -> str:
    """A number in so many digits, with a real minus sign and a short exponent."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Inf" if value > 0 else "−Inf"
    mantissa, e, exponent = f"{value:.{digits}g}".partition("e")
    text = f"{mantissa}e{int(exponent)}" if e else mantissa
    return text.replace("-", "−")


def result_rows(outcomes: list[Outcome], truth: Exact) -> list[dict[str, Any]]:
    """μ, σ² and x̂ of each method and of exact arithmetic, a row each."""
    low, high = scale(truth)
    rows = [
        {
            "head": say(f"precision_short_{one.method}"),
            "cells": [
                number(one.mean),
                number(one.variance),
                dots(one.normalized, low, high),
                rightness(one.normalized_error),
            ],
            **({"state": "wrong"} if one.broken else {}),
        }
        for one in outcomes
    ]
    exact = [number(float(truth.mean)), number(float(truth.variance))]
    exact_row = {
        "head": say("precision_exact_row"),
        "cells": [*exact, dots(truth.normalized, low, high), ""],
        "state": "good",
    }
    return [*rows, exact_row]


def scale(truth: Exact) -> tuple[float, float]:
    """The range of the strips: that of the exact x̂ and a quarter more."""
    reach = 1.25 * max(float(np.max(np.abs(truth.normalized))), 1.0)
    return -reach, reach


def dots(values: np.ndarray, low: float, high: float) -> dict[str, Any] | str:
    """x̂ as dots, or in words where it has no place on the scale."""
    if not np.isfinite(values).all():
        return "NaN" if np.isnan(values).any() else "Inf"
    least, most = float(values.min()), float(values.max())
    if least < low or most > high:
        return say("precision_far", low=number(least, 3), high=number(most, 3))
    shown = np.sort(values)
    if len(shown) > MOST_DOTS:
        shown = shown[np.linspace(0, len(shown) - 1, MOST_DOTS).round().astype(int)]
    spread = {"mean": float(values.mean()), "spread": float(values.std())}
    return {"strip": shown.tolist(), **spread, "hollow": []}  # a cell of app/views/table.py


def step_rows(one: Outcome, truth: Exact) -> list[dict[str, Any]]:
    """Every step of a method beside the exact one; the first that broke is marked."""
    return [
        {
            "head": name,
            "cells": [
                number(value, 8) + (" ✗" if name == one.broken else ""),
                number(float(truth.steps[name]), 8),
            ],
            **({"state": "broken"} if name == one.broken else {}),
        }
        for name, value in one.steps.items()
    ]
