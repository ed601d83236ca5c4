"""Mean and variance of one row in a type's arithmetic, against the exact answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from kernels.precision import FORMATS, emulate_moments, rounding
from kernels.statistics import Float64Array

METHODS = ("one_pass", "two_pass", "welford")
EPS = 1e-5
BROKEN = 0.1  # a step is called broken when it is off by a tenth
STORED = "stored"  # the name of the step before the first sum: x rounded to its storage type
FLOOR = 1e-17  # where an error of exactly 0 is drawn on a logarithmic axis

# 0, the powers of two and of ten up to 10⁶: 256 is where squares leave float16.
OFFSETS: tuple[float, ...] = (
    0.0,
    *sorted({2.0**power for power in range(20)} | {10.0**power for power in range(7)}),
)


class Exact(NamedTuple):
    """What exact arithmetic makes of a row.

    Attributes:
        mean: μ.
        variance: σ², divided by n.
        normalized: (x − μ)/√(σ² + ε), of shape [n].
        steps: every intermediate result of every method, by the names the kernels use.
    """

    mean: Fraction
    variance: Fraction
    normalized: Float64Array
    steps: dict[str, Fraction]


class Outcome(NamedTuple):
    """One method on one row.

    Attributes:
        method: its key.
        mean: μ as computed.
        variance: σ² as computed; negative, NaN or infinite where the method failed.
        normalized: the row as it would be normalized, of shape [n].
        mean_error: |μ − exact| in units of the exact σ.
        variance_error: |σ² − exact|/exact, or the difference itself where exactly 0 is right.
        normalized_error: the largest difference in the normalized row.
        broken: the first step off by more than a tenth or not finite, or "";
            `STORED` where rounding x itself already changed σ² by that much.
        broken_value: that step's value; for `STORED` the exact σ² of the values kept.
    """

    method: str
    mean: float
    variance: float
    normalized: Float64Array
    mean_error: float
    variance_error: float
    normalized_error: float
    broken: str
    broken_value: float


def exact(row: Sequence[float], offset: float) -> Exact:
    """The exact mean and variance of row + offset, in fractions."""
    values = [Fraction(value) + Fraction(offset) for value in row]
    count = len(values)
    total = sum(values, Fraction(0))
    mean = total / count
    squares = sum((value * value for value in values), Fraction(0))
    deviations = sum(((value - mean) ** 2 for value in values), Fraction(0))
    variance = deviations / count
    root = math.sqrt(float(variance) + EPS)
    normalized = np.array([float(value - mean) / root for value in values])
    steps = {
        "Σx": total,
        "Σx²": squares,
        "E[x]": mean,
        "E[x²]": squares / count,
        "E[x]²": mean * mean,
        "μ": mean,
        "Σ(x − μ)²": deviations,
        "σ²": variance,
    }
    return Exact(mean, variance, normalized, steps)


def outcome(
    row: Sequence[float], offset: float, method: str, storage: str, accumulation: str
) -> Outcome:
    """Run one method on row + offset as the two types would have it."""
    truth = exact(row, offset)
    # The sum itself is rounded only once, to storage: float64 holds it or is the storage.
    shifted = np.array([float(Fraction(value) + Fraction(offset)) for value in row])
    moments = emulate_moments(shifted, method, storage=storage, accumulation=accumulation)
    to_type = rounding(accumulation)
    with np.errstate(all="ignore"):
        stored = rounding(storage)(shifted)
        centered = to_type(stored - moments.mean)
        root = to_type(np.sqrt(to_type(moments.variance + to_type(np.asarray(EPS)))))
        normalized = to_type(centered / root)
        difference = np.abs(normalized - truth.normalized)
    broken, value = first_broken(moments.steps, truth.steps)
    kept = kept_variance(stored)
    if not relative(kept, truth.variance) <= BROKEN:
        broken, value = STORED, kept
    sigma = math.sqrt(float(truth.variance)) or 1.0
    return Outcome(
        method,
        float(moments.mean),
        float(moments.variance),
        normalized,
        off(float(moments.mean), truth.mean) / sigma,
        relative(float(moments.variance), truth.variance),
        float(np.max(difference)),
        broken,
        value,
    )


def kept_variance(stored: Float64Array) -> float:
    """The exact variance of the values that storage keeps, or Inf where one is not finite."""
    if not np.isfinite(stored).all():
        return math.inf
    return float(exact(stored.tolist(), 0.0).variance)


def off(value: float, truth: Fraction) -> float:
    """|value − truth|, subtracted exactly; NaN or Inf where value is."""
    return float(abs(Fraction(value) - truth)) if math.isfinite(value) else abs(value)


def relative(value: float, truth: Fraction) -> float:
    """|value − truth|/|truth|, or the difference itself where truth is 0."""
    if not math.isfinite(value):
        return abs(value)
    return float(abs(Fraction(value) - truth) / (abs(truth) or 1))


def first_broken(steps: dict[str, Float64Array], truth: dict[str, Fraction]) -> tuple[str, float]:
    """The first step, in the order of computation, that is not finite or off by a tenth."""
    for name, array in steps.items():
        value = float(array)
        if not relative(value, truth[name]) <= BROKEN:
            return name, value
    return "", 0.0


def curve(row: Sequence[float], method: str, storage: str, accumulation: str) -> Float64Array:
    """The relative error of σ² at each offset but 0, of shape [len(OFFSETS) − 1].

    What is no number cannot be drawn and is NaN; 0 is drawn at `FLOOR`.
    """
    shifted = np.add.outer(np.array(OFFSETS[1:]), np.array(row))  # each sum is rounded once
    moments = emulate_moments(shifted, method, storage=storage, accumulation=accumulation)
    truth = exact(row, 0.0).variance  # a shift does not change it
    drawn = np.array([relative(float(value), truth) for value in moments.variance])
    return np.where(np.isfinite(drawn), np.maximum(drawn, FLOOR), np.nan)


def largest_square(accumulation: str) -> float:
    """The magnitude from which on x² is beyond the type."""
    return math.sqrt(FORMATS[accumulation].largest)
