"""Exact answers: rational arithmetic, and square roots to 60 digits."""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

DIGITS = 60


def decimal(value: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = DIGITS
        return Decimal(value.numerator) / Decimal(value.denominator)


def standardized(values: Sequence[float], center: bool, eps: float) -> list[Decimal]:
    """(x − μ)/√(σ² + ε) of one group of finite floats, correct to 50 digits and more."""
    exact = [Fraction(float(value)) for value in values]
    mean = sum(exact, Fraction(0)) / len(exact) if center else Fraction(0)
    deviations = [value - mean for value in exact]
    square = sum((value * value for value in deviations), Fraction(0)) / len(exact)
    with localcontext() as context:
        context.prec = DIGITS
        denominator = decimal(square + Fraction(eps)).sqrt()
        return [decimal(value) / denominator for value in deviations]


def softmax(scores: Sequence[float]) -> list[Decimal]:
    """exp(x)/Σ exp(x) of finite floats, correct to 50 digits and more."""
    with localcontext() as context:
        context.prec = DIGITS
        largest = max(Decimal(float(score)) for score in scores)
        exponentials = [(Decimal(float(score)) - largest).exp() for score in scores]
        total = sum(exponentials)
        return [value / total for value in exponentials]


def ulps(got: np.ndarray, exact: Sequence[Decimal], spared: float = 0.0) -> float:
    """The largest distance from the exact values, in units in the last place of these.

    An absolute error of ``spared`` is taken off first.
    """
    worst = Decimal(0)
    for value, right in zip(got.ravel(), exact, strict=True):
        unit = np.spacing(np.abs(got.dtype.type(right)))
        distance = max(Decimal(0), abs(Decimal(float(value)) - right) - Decimal(spared))
        worst = max(worst, distance / Decimal(float(unit)))
    return float(worst)
