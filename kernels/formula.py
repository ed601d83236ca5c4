"""The one formula every normalizer is, and what comes back from it.

x̂ = (x − μ)/√(σ² + ε)        y = γ·x̂ + β
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kernels.arguments import FloatArray
from kernels.large import LARGE, standardize_in_pieces
from kernels.statistics import Float64Array, Mask, Moments, standardize


class NormResult(NamedTuple):
    """What a normalizer computed, step by step.

    Statistics are float64 whatever the type of x, keep their dimensions, and so broadcast against
    x.

    Attributes:
        output: y, in the type and shape of x.
        normalized: x̂, before weight and bias; the same array as ``output`` when there are none.
        mean: μ, or None where the normalizer takes none (RMSNorm).
        variance: σ², biased (divided by the count), or None where there is no mean.
        mean_square: E[x²], or None where running statistics were used.
        denominator: √(σ² + ε), or √(E[x²] + ε).
        axes: the axes of x that share a statistic, ascending. GroupNorm's include the channel
            axis, along which they are shared within a group only.
        running_mean: BatchNorm and InstanceNorm: μ after the update, a new array; else None.
        running_var: likewise σ².
    """

    output: FloatArray
    normalized: FloatArray
    mean: Float64Array | None
    variance: Float64Array | None
    mean_square: Float64Array | None
    denominator: Float64Array
    axes: tuple[int, ...]
    running_mean: FloatArray | None = None
    running_var: FloatArray | None = None

    def with_running(self, mean: FloatArray, variance: FloatArray) -> "NormResult":
        """The same with these running statistics; ``_replace`` takes several times as long."""
        return NormResult(*self[:7], mean, variance)


@np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore")
def apply_formula(
    x: FloatArray,
    axes: tuple[int, ...],
    center: bool,
    eps: float,
    weight: Float64Array | None = None,
    bias: Float64Array | None = None,
    mask: Mask = None,
) -> NormResult:
    """The formula with statistics of x itself, over ``axes``, ascending.

    ``weight`` and ``bias`` broadcast against x. Everything is computed in
    float64 and rounded once, to the type of x. Large tensors go through the cache in pieces.
    """
    if x.ndim == 0:
        one = apply_formula(x.reshape(1), (), center, eps, weight, bias, mask)
        return viewed(one, lambda value: value.reshape(()), lambda value: value.reshape(()), ())
    done = None
    if x.size >= LARGE and mask is None:
        done = standardize_in_pieces(x, axes, center, eps, weight, bias)
    if done is not None:
        output, normalized, taken = done
    else:
        taken = standardize(x, axes, center, eps, mask)
        output, normalized = _scale_and_round(taken.normalized, weight, bias, x.dtype)
    _, mean, variance, mean_square, denominator = taken
    return NormResult(output, normalized, mean, variance, mean_square, denominator, axes)


@np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore")
def apply_statistics(
    x: FloatArray,
    axes: tuple[int, ...],
    mean: Float64Array,
    variance: Float64Array,
    denominator: Float64Array,
    weight: Float64Array | None = None,
    bias: Float64Array | None = None,
) -> NormResult:
    """The formula with statistics taken elsewhere: running ones, or those of all workers."""
    # Subtract first: x·α + β with α = γ/√(σ² + ε), which torch 2.13 computes for float32, gives
    # −105120 instead of 0 for x = μ = 1e10 (pytorch#5410).
    deviation = np.subtract(x, mean, dtype=np.float64)
    deviation /= denominator
    output, normalized = _scale_and_round(deviation, weight, bias, x.dtype)
    return NormResult(output, normalized, mean, variance, None, denominator, axes)


def moments_of(result: NormResult, num_values: int | Float64Array) -> Moments:
    """The statistics in ``result``, taken from ``num_values`` values each.

    Raises:
        ValueError: RMSNorm takes no mean.
    """
    if result.mean is None or result.variance is None:
        raise ValueError("result: expected a mean and a variance, got those of RMSNorm")
    return Moments(num_values, result.mean, result.variance)


def viewed(
    result: NormResult,
    values: Callable[[FloatArray], FloatArray],
    statistics: Callable[[Float64Array], Float64Array],
    axes: tuple[int, ...],
) -> NormResult:
    """``result`` in another shape: what a kernel computed on a view, in terms of x itself."""
    output = values(result.output)
    same = result.normalized is result.output
    mean, variance, mean_square = (
        None if statistic is None else statistics(statistic)
        for statistic in (result.mean, result.variance, result.mean_square)
    )
    return NormResult(
        output,
        output if same else values(result.normalized),
        mean,
        variance,
        mean_square,
        statistics(result.denominator),
        axes,
        result.running_mean,
        result.running_var,
    )


def _scale_and_round(
    normalized: Float64Array,
    weight: Float64Array | None,
    bias: Float64Array | None,
    dtype: np.dtype[np.floating],
) -> tuple[FloatArray, FloatArray]:
    """y = γ·x̂ + β, and x̂, each rounded once to ``dtype``. Takes ``normalized`` over."""
    if weight is None and bias is None:
        rounded = normalized.astype(dtype, copy=False)
        return rounded, rounded
    rounded = normalized.astype(dtype)
    if weight is not None:
        normalized *= weight
    if bias is not None:
        normalized += bias
    return normalized.astype(dtype, copy=False), rounded
