"""The Precision scene's numbers in words and tables."""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.precision import STORED, Exact, Outcome
from app.strings import say


def caption(one: Outcome, truth: float) -> str:
    """Where a method broke, or how right it is."""
    method = say(f"precision_{one.method}")
    if not one.broken:
        error = "the last digit" if not one.variance_error else f"{one.variance_error:.1e}"
        return say("precision_fine", method=method, error=error)
    value, right = number(one.broken_value), number(truth)
    if one.broken == STORED:
        beyond = math.isinf(one.broken_value)
        return say(
            "precision_stored_beyond" if beyond else "precision_stored", value=value, truth=right
        )
    return say("precision_broke", method=method, step=one.broken, value=value, truth=right)


def number(value: float) -> str:
    """A number in up to six digits, with a real minus sign."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Inf" if value > 0 else "−Inf"
    return f"{value:.6g}".replace("-", "−")


def table_html(outcomes: list[Outcome], truth: Exact) -> str:
    """Mean, variance, errors and the normalized row, a line a method; the exact ones below."""
    head = ("method", "μ", "σ²", "error of σ²", "error of x̂", "x̂₁ … x̂ₙ")
    lines = [
        (
            say(f"precision_{one.method}"),
            number(one.mean),
            number(one.variance),
            number(one.variance_error),
            number(one.normalized_error),
            f"{number(one.normalized[0])} … {number(one.normalized[-1])}",
        )
        for one in outcomes
    ]
    first, last = number(truth.normalized[0]), number(truth.normalized[-1])
    mean, variance = number(float(truth.mean)), number(float(truth.variance))
    lines.append(("Exact", mean, variance, "", "", f"{first} … {last}"))
    return table(head, lines)


def table(head: tuple[str, ...], lines: Sequence[tuple[str, ...]]) -> str:
    """A table whose first column names its rows."""
    top = "".join(f"<th scope='col'>{cell}</th>" for cell in head)
    body = "".join(
        f"<tr><th scope='row'>{line[0]}</th>"
        + "".join(f"<td>{cell}</td>" for cell in line[1:])
        + "</tr>"
        for line in lines
    )
    return f"<table class='plain'><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
