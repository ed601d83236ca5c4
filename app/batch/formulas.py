"""Formulas with the live numbers in them, as MathML."""

from __future__ import annotations

from app.formulas import math
from app.numbers import short

SUM_OF_SQUARES = (
    "<mo>Σ</mo><msup><mrow><mo>(</mo><mi>x</mi><mo>−</mo><mi>μ</mi><mo>)</mo></mrow>"
    "<mn>2</mn></msup>"
)


def number(value: float, digits: int = 3) -> str:
    """A number inside a formula; a negative one in parentheses."""
    text = f"<mn>{short(value, digits)}</mn>"
    return f"<mo>(</mo>{text}<mo>)</mo>" if value < 0 else text


def quotient(over: str, under: str) -> str:
    """A fraction, in its full size."""
    return (
        f"<math displaystyle='true'><mfrac><mrow>{over}</mrow><mrow>{under}</mrow></mfrac></math>"
    )


def weighted(old_weight: float, old: float, new_weight: float, new: float) -> str:
    """a·old + b·new with its numbers."""
    return math(
        f"{number(old_weight)}<mo>·</mo>{number(old)}<mo>+</mo>"
        f"{number(new_weight)}<mo>·</mo>{number(new)}"
    )


def difference(one: float, other: float) -> str:
    """a − b with its numbers."""
    return math(f"{number(one)}<mo>−</mo>{number(other)}")
