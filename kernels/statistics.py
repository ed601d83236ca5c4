"""Mean, variance and mean square over any axes, in float64, right where other code overflows.

Two-pass throughout: subtract first, square afterwards. That keeps a huge common offset from
cancelling the variance away (E[x²] − E[x]² does), and makes a constant group exactly 0. The mean
of what is left after subtracting is the rounding error of the mean; it is taken off as well (the
corrected two-pass algorithm: Chan, Golub, LeVeque 1983, The American Statistician 37(3)), except
from short groups of float32 and float16 near 0, of which it has no digit that they can hold.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kernels.arguments import FLOAT64, FloatArray

Float64Array = npt.NDArray[np.float64]
# True where a value counts, of a shape that broadcasts to that of x; None where all do.
Mask = npt.NDArray[np.bool_] | None

# Below this a float64 square has lost digits to underflow, unless ε makes it irrelevant.
_SMALLEST_SQUARE = 1e-280

# E[x²] may be so many times σ² before an offset costs digits of the mean that float32 and float16
# cannot spare: |μ| up to 16σ. Above it the mean has to be taken off a second time. An array, by
# which NumPy multiplies in half the time it takes by a number of Python's.
_FAR_FROM_ZERO = np.array(257.0)
# Values whose sum, one after the other down a slow axis, still leaves digits to spare.
_FEW = 1024


class Moments(NamedTuple):
    """The statistics of groups, and how many values each was taken from.

    Attributes:
        num_values: values a group: a number, or an array where a mask makes it differ.
        mean: μ.
        variance: σ², biased: divided by ``num_values``.
    """

    num_values: int | Float64Array
    mean: Float64Array
    variance: Float64Array

    def unbiased_variance(self) -> Float64Array:
        """σ²·m/(m − 1): NaN where m is 1, as the formula gives."""
        if isinstance(self.num_values, int):
            factor = self.num_values / (self.num_values - 1) if self.num_values != 1 else math.inf
            with np.errstate(invalid="ignore"):
                return self.variance * factor
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.variance * (self.num_values / (self.num_values - 1.0))


class Standardized(NamedTuple):
    """x̂ in float64 and what it was made of; statistics keep their dimensions."""

    normalized: Float64Array
    mean: Float64Array | None
    variance: Float64Array | None
    mean_square: Float64Array
    denominator: Float64Array


def standardize(
    x: FloatArray, axes: tuple[int, ...], center: bool, eps: float, mask: Mask = None
) -> Standardized:
    """x̂ = (x − μ)/√(σ² + ε), or x/√(E[x²] + ε) without ``center``, over ``axes``.

    Float64 whatever the type of x. A group with NaN or Inf is NaN, no other is touched; an empty
    group has NaN statistics. Only where ``mask`` is true does a value count, and what does not
    count spoils nothing; x̂ is given everywhere. x must have at least one dimension. Whoever calls
    it silences NumPy's warnings, once for all that follows.
    """
    size = group_size(x.shape, axes)
    # NumPy divides by a float faster than by an int.
    count = float(size) if mask is None else group_count(x.shape, axes, mask)
    values = x.astype(FLOAT64)
    mean, is_double = None, x.dtype == FLOAT64
    # float64 has no digits to spare, nor has a long sum; of short ones it is found out afterwards.
    twice = is_double or mask is not None or size > _FEW
    if center:
        mean = _take_off_mean(values, axes, count, mask)
        if twice:
            _take_off_rest(values, mean, axes, count, mask)
    square = mean_square = _mean_square(values, axes, count, mask)
    if is_double and needs_scaling(x.dtype, square, eps):
        return _standardize_scaled(x, axes, center, eps, mask)
    if mean is not None:
        mean_square = square + np.square(mean)
        if not twice and np.count_nonzero(mean_square > _FAR_FROM_ZERO * square):
            _take_off_rest(values, mean, axes, count, mask)
            square = _mean_square(values, axes, count, mask)
            mean_square = square + np.square(mean)
    denominator = square + eps
    np.sqrt(denominator, denominator)
    values /= denominator
    return Standardized(values, mean, None if mean is None else square, mean_square, denominator)


@np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore")
def moments(x: FloatArray, axes: tuple[int, ...], mask: Mask = None) -> Moments:
    """Number, mean and biased variance over ``axes`` of what ``mask`` leaves; dimensions are kept.

    A group of which nothing is left has NaN statistics.
    """
    count = group_count(x.shape, axes, mask)
    mean, deviation = _center(x, axes, count, mask)
    return Moments(count, mean, _mean_square(deviation, axes, count, mask))


def group_size(shape: tuple[int, ...], axes: Sequence[int]) -> int:
    """How many values of a tensor of ``shape`` share one statistic over ``axes``."""
    return shape[axes[0]] if len(axes) == 1 else math.prod([shape[axis] for axis in axes])


def group_count(shape: tuple[int, ...], axes: tuple[int, ...], mask: Mask) -> int | Float64Array:
    """`group_size`, or with a mask how many values count in each group, dimensions kept."""
    if mask is None:
        return group_size(shape, axes)
    counted = np.broadcast_to(mask, shape)
    count: Float64Array = np.add.reduce(counted, axes, np.float64, keepdims=True)
    return count


def needs_scaling(dtype: np.dtype[Any], square: Float64Array, eps: float) -> bool:
    """Whether a float64 square overflowed, or underflowed where ε does not hide it.

    The square of a float32 cannot: it lies within 2e-90 and 1.2e77.
    """
    if dtype != np.float64 or not square.size:
        return False
    if not math.isfinite(np.add.reduce(square, None)):
        return True
    return eps < _SMALLEST_SQUARE and bool(np.minimum.reduce(square, None) < _SMALLEST_SQUARE)


def merge_moments(parts: Sequence[Moments]) -> Moments:
    """The moments of the union of ``parts``, which may differ in size: what workers exchange.

    m = Σmᵢ, μ = Σmᵢμᵢ/m, σ² = Σmᵢ(σᵢ² + (μᵢ − μ)²)/m. Averaging means and variances instead is
    wrong twice: it ignores the sizes and drops the spread between the parts.

    Raises:
        ValueError: no parts.

    Source: the law of total variance; Chan, Golub, LeVeque 1983, eq. 2.1.
    """
    if not parts:
        raise ValueError("parts: expected at least one, got none")
    # An empty part has NaN statistics and must not count: 0 · NaN is NaN.
    counts = [np.asarray(part.num_values, np.float64) for part in parts]
    means = [np.where(n > 0, part.mean, 0.0) for n, part in zip(counts, parts, strict=True)]
    variances = [np.where(n > 0, part.variance, 0.0) for n, part in zip(counts, parts, strict=True)]
    count = np.asarray(sum(counts), np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mean = sum(n * part for n, part in zip(counts, means, strict=True)) / count
        spread = (
            n * (part_variance + np.square(part_mean - mean))
            for n, part_mean, part_variance in zip(counts, means, variances, strict=True)
        )
        variance = sum(spread) / count
    return Moments(count, np.asarray(mean, np.float64), np.asarray(variance, np.float64))


def _center(
    x: FloatArray, axes: tuple[int, ...], count: float | Float64Array, mask: Mask
) -> tuple[Float64Array, Float64Array]:
    """The mean over ``axes`` and x minus it."""
    deviation = x.astype(np.float64)
    mean = _take_off_mean(deviation, axes, count, mask)
    _take_off_rest(deviation, mean, axes, count, mask)
    return mean, deviation


def _take_off_mean(
    values: Float64Array, axes: tuple[int, ...], count: float | Float64Array, mask: Mask
) -> Float64Array:
    """The mean over ``axes``, which is taken off ``values`` in place."""
    mean = _sum(values, axes, mask)
    mean /= count
    values -= mean
    return mean


def _take_off_rest(
    values: Float64Array,
    mean: Float64Array,
    axes: tuple[int, ...],
    count: float | Float64Array,
    mask: Mask,
) -> None:
    """Move what is left of the mean, its rounding error, from ``values`` to it, in place."""
    rest = _take_off_mean(values, axes, count, mask)
    # In a group with Inf the rest is NaN, while the mean itself is Inf, as NumPy has it.
    np.add(mean, rest, out=mean, where=rest == rest)


def _mean_square(
    values: Float64Array, axes: tuple[int, ...], count: float | Float64Array, mask: Mask
) -> Float64Array:
    """The mean of squares over ``axes``."""
    square = _sum(np.square(values), axes, mask)
    square /= count
    return square


def _sum(values: Float64Array, axes: tuple[int, ...], mask: Mask) -> Float64Array:
    """The sum over ``axes``, dimensions kept, of what ``mask`` leaves."""
    total: Float64Array
    if mask is None:
        total = np.add.reduce(values, axes, keepdims=True)
    else:
        total = np.add.reduce(values, axes, keepdims=True, where=mask)
    return total


def _standardize_scaled(
    x: FloatArray, axes: tuple[int, ...], center: bool, eps: float, mask: Mask
) -> Standardized:
    """`standardize` on x·2⁻ᵉ, one e a group, so that no square leaves the range of float64.

    Scaling by a power of two is exact. σ² may still be Inf when it is reported: (1e200)² is not a
    float64. x̂ and the denominator are right all the same.
    """
    count = group_count(x.shape, axes, mask)
    largest = np.maximum.reduce(
        np.abs(x),
        axes,
        keepdims=True,
        initial=math.sqrt(eps),
        where=True if mask is None else mask,
    )
    exponent = np.where(np.isfinite(largest), np.frexp(largest)[1], 0)
    scaled = np.ldexp(x, -exponent)
    mean, deviation = _center(scaled, axes, count, mask) if center else (None, scaled)
    square = _mean_square(deviation, axes, count, mask)
    denominator = np.sqrt(square + np.ldexp(eps, -2 * exponent))
    normalized = deviation / denominator
    square = np.ldexp(square, 2 * exponent)
    denominator = np.ldexp(denominator, exponent)
    if mean is None:
        return Standardized(normalized, None, None, square, denominator)
    mean = np.ldexp(mean, exponent)
    return Standardized(normalized, mean, square, square + np.square(mean), denominator)
