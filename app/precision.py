"""Mean and variance of one row in a type's arithmetic, against the exact answer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from kernels.precision import FORMATS, emulate_moments, rounding
from kernels.statistics import Float64Array

METHODS = ("one_pass", "two_pass", "welford")
EPS = 1e-5
BROKEN = 0.1  # a step is called broken when it is off by a tenth
STORED = "stored"  # the name of the step before the first sum: x rounded to its storage type
RESULT = "x̂"  # and that of the one after the last
MEANS = ("Σx", "E[x]", "μ")  # steps that are off by a part of σ, however far from 0 the row lies

# Where a logarithmic axis has what it cannot hold: an error of exactly 0, and Inf or NaN.
FLOOR, CEILING = 1e-18, 1e12

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
        steps: every intermediate result by name, in the order of computation.
        broken: the first step off by more than a tenth or not finite, or "";
            `STORED` where rounding x itself already changed σ² or x̂ by that much.
        broken_value: that step's value; for `STORED` the exact σ² of the values kept.
        kept_error: the largest difference in x̂ that rounding x to storage makes by itself.
    """

    method: str
    mean: float
    variance: float
    normalized: Float64Array
    mean_error: float
    variance_error: float
    normalized_error: float
    steps: dict[str, float]
    broken: str
    broken_value: float
    kept_error: float


def row_of(values: Mapping[str, Any]) -> tuple[float, ...]:
    """The row of a state: the one typed, or the one drawn."""
    typed: tuple[float, ...] = values["precision_row"]
    return typed or drawn(values["precision_length"], values["precision_seed"])


@lru_cache(maxsize=8)
def drawn(length: int, seed: int) -> tuple[float, ...]:
    """Standard normal values to four decimals, so that a person can read and type them."""
    values = np.random.default_rng(seed).standard_normal(length)
    return tuple(np.round(values, 4).tolist())


def exact(row: Sequence[float], offset: float) -> Exact:
    """The exact mean and variance of row + offset, in fractions.

    Every float is a whole number over a power of two; over one such power for all, sums are sums of
    whole numbers, which Python keeps exactly, and its quotient of two is rounded once.
    """
    ratios = [value.as_integer_ratio() for value in (offset, *row)]
    below = max(denominator for _, denominator in ratios)
    shift, *values = (numerator * (below // denominator) for numerator, denominator in ratios)
    values = [value + shift for value in values]
    count, total = len(values), sum(values)
    sum_of_values = Fraction(total, below)
    squares = Fraction(sum(value * value for value in values), below * below)
    mean = sum_of_values / count
    deviations = squares - sum_of_values * mean
    variance = deviations / count
    root = math.sqrt(float(variance) + EPS)
    normalized = np.array([(count * value - total) / (count * below) / root for value in values])
    steps = {
        "Σx": sum_of_values,
        "Σx²": squares,
        "E[x]": mean,
        "E[x²]": squares / count,
        "E[x]²": mean * mean,
        "μ": mean,
        "Σ(x − μ)²": deviations,
        "σ²": variance,
    }
    return Exact(mean, variance, normalized, steps)


def outcomes(
    row: Sequence[float], offset: float, storage: str, accumulation: str
) -> tuple[Exact, list[Outcome]]:
    """The exact answer, and each method on row + offset as the two types would have it."""
    truth = exact(row, offset)
    # The sum itself is rounded only once, to storage: float64 holds it or is the storage.
    shifted = np.array(row) + offset
    with np.errstate(all="ignore"):
        stored = rounding(storage)(shifted)
    kept = kept_values(stored, truth)
    types = storage, accumulation
    return truth, [outcome(method, shifted, stored, types, truth, kept) for method in METHODS]


class Kept(NamedTuple):
    """What storage alone does: the exact σ² of the values kept, and how far their x̂ is off."""

    variance: float
    error: float


def kept_values(stored: Float64Array, truth: Exact) -> Kept:
    """Exact arithmetic on what storage keeps; infinite where a value is not finite."""
    if not np.isfinite(stored).all():
        return Kept(math.inf, math.inf)
    of_stored = exact(stored.tolist(), 0.0)
    error = float(np.max(np.abs(of_stored.normalized - truth.normalized)))
    return Kept(float(of_stored.variance), error)


def outcome(
    method: str,
    shifted: Float64Array,
    stored: Float64Array,
    types: tuple[str, str],
    truth: Exact,
    kept: Kept,
) -> Outcome:
    """One method on values as they are stored."""
    storage, accumulation = types
    moments = emulate_moments(shifted, method, storage=storage, accumulation=accumulation)
    to_type = rounding(accumulation)
    with np.errstate(all="ignore"):
        centered = to_type(stored - moments.mean)
        root = to_type(np.sqrt(to_type(moments.variance + to_type(np.asarray(EPS)))))
        normalized = to_type(centered / root)
        difference = float(np.max(np.abs(normalized - truth.normalized)))
    steps = {name: float(value) for name, value in moments.steps.items()}
    sigma = math.sqrt(float(truth.variance)) or 1.0
    broken, value = first_broken(steps, truth.steps, sigma, len(stored))
    if not broken and not difference <= BROKEN:
        broken, value = RESULT, difference
    if not (relative(kept.variance, truth.variance) <= BROKEN and kept.error <= BROKEN):
        broken, value = STORED, kept.variance
    return Outcome(
        method,
        float(moments.mean),
        float(moments.variance),
        normalized,
        off(float(moments.mean), truth.mean) / sigma,
        relative(float(moments.variance), truth.variance),
        difference,
        steps,
        broken,
        value,
        kept.error,
    )


def off(value: float, truth: Fraction) -> float:
    """|value − truth|, subtracted exactly; NaN or Inf where value is."""
    return float(abs(Fraction(value) - truth)) if math.isfinite(value) else abs(value)


def relative(value: float, truth: Fraction) -> float:
    """|value − truth|/|truth|, or the difference itself where truth is 0."""
    if not math.isfinite(value):
        return abs(value)
    return float(abs(Fraction(value) - truth) / (abs(truth) or 1))


def step_error(name: str, value: float, truth: Fraction, sigma: float, count: int) -> float:
    """How far a step is off: a mean in units of σ, what stays positive relative to itself."""
    if name not in MEANS:
        return relative(value, truth)
    return off(value, truth) / (sigma * (count if name == "Σx" else 1))


def first_broken(
    steps: dict[str, float], truth: dict[str, Fraction], sigma: float, count: int
) -> tuple[str, float]:
    """The first step, in the order of computation, that is not finite or off by a tenth."""
    for name, value in steps.items():
        if not step_error(name, value, truth[name], sigma, count) <= BROKEN:
            return name, value
    return "", 0.0


def curve(row: Sequence[float], method: str, storage: str, accumulation: str) -> Float64Array:
    """The relative error of σ² at each offset but 0, of shape [len(OFFSETS) − 1].

    0 is drawn at `FLOOR`, what is no number at `CEILING`.
    """
    shifted = np.add.outer(np.array(OFFSETS[1:]), np.array(row))  # each sum is rounded once
    moments = emulate_moments(shifted, method, storage=storage, accumulation=accumulation)
    truth = exact(row, 0.0).variance  # a shift does not change it
    drawn_at = np.array([relative(float(value), truth) for value in moments.variance])
    return np.where(np.isfinite(drawn_at), np.clip(drawn_at, FLOOR, CEILING), CEILING)


def rounds_to_inf_from(float_format: str) -> float:
    """The smallest number that rounds to Inf: half a step beyond the largest, 65520 in float16.

    IEEE 754-2019, 4.3.1: from 2^emax · (2 − 2^(−p)) on, ties included since the largest is odd.
    """
    bits, largest_exponent = FORMATS[float_format]
    if float_format == "float64":
        return math.inf  # the number itself is beyond what Python can write
    return math.ldexp(2.0 - 2.0**-bits, largest_exponent)


def square_overflows_from(storage: str, accumulation: str) -> float:
    """The smallest value of the storage type whose square rounds to Inf; Inf where none does."""
    beyond = rounds_to_inf_from(accumulation)
    if math.isinf(beyond):
        beyond = FORMATS[accumulation].largest
    root = math.sqrt(beyond)
    to_storage = rounding(storage)
    with np.errstate(all="ignore"):
        nearest = float(to_storage(np.asarray(root)))
        candidates = [nearest]
        if math.isfinite(nearest):
            up = nearest * (1 + 2.0 ** (1 - FORMATS[storage].significant_bits))
            candidates.append(float(to_storage(np.asarray(up))))
    reaching = [one for one in candidates if math.isfinite(one) and Fraction(one) ** 2 >= beyond]
    return min(reaching, default=math.inf)
