"""Batch, layer, RMS, group and instance normalization, and normalization over any axes.

All of them are one formula, ŷ = (x − μ) / √(σ² + ε) and y = γ·ŷ + β; they differ in the axes over
which μ and σ² are taken, in whether μ is subtracted at all, and in where γ and β lie.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from kernels.arguments import FloatArray, as_eps, as_float_array, as_index, as_number, as_parameter
from kernels.axes import resolve_axes
from kernels.statistics import Float64Array, centered_moments, mean_square, running_update


@dataclass(frozen=True, eq=False)
class NormResult:
    """What a normalizer computed, step by step.

    Statistics are float64 whatever x's type, keep their dimensions, and so broadcast against x.

    Attributes:
        output: y, in the type and shape of x.
        normalized: x̂, before weight and bias; the same array as ``output`` when there are none.
        mean: μ, or None where the normalizer takes none (RMSNorm).
        variance: σ², biased (divided by the count), or None where there is no mean.
        mean_square: E[x²], or None where running statistics were used.
        denominator: √(σ² + ε), or √(E[x²] + ε).
        axes: the axes of x that share a statistic, ascending.
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


def normalize(
    x: npt.ArrayLike,
    axes: SupportsIndex | Sequence[SupportsIndex] | None,
    *,
    center: bool = True,
    eps: float = 1e-5,
) -> NormResult:
    """x̂ = (x − μ) / √(σ² + ε), or x / √(E[x²] + ε) with ``center=False``, over any axes.

    Args:
        x: any real array.
        axes: one axis, several, or None for all.
        center: whether to subtract the mean.
        eps: ε ≥ 0, in the units of x².

    Raises:
        TypeError: x is not real numbers.
        ValueError: an axis out of range or twice; ε negative, NaN or infinite.
    """
    array = as_float_array("x", x)
    return _normalized(array, resolve_axes(axes, array.ndim), center, as_eps(eps))


def layer_norm(
    x: npt.ArrayLike,
    normalized_shape: SupportsIndex | Sequence[SupportsIndex],
    weight: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    eps: float = 1e-5,
) -> NormResult:
    """y = γ·(x − μ)/√(σ² + ε) + β over the trailing axes of shape ``normalized_shape``.

    Args:
        x: shape ``[*, *normalized_shape]``.
        normalized_shape: the sizes of the axes that share a statistic: ``d`` or ``(T, d)``.
        weight: γ of shape ``normalized_shape``; 1 when not given.
        bias: β likewise; 0 when not given.
        eps: ε ≥ 0, in the units of x².

    Raises:
        ValueError: ``normalized_shape`` is empty or not the trailing shape of x.

    Source: Ba, Kiros, Hinton 2016, arXiv 1607.06450; signature of torch 2.13 ``F.layer_norm``.
    """
    array = as_float_array("x", x)
    shape = _trailing_shape(array, normalized_shape)
    axes = tuple(range(array.ndim - len(shape), array.ndim))
    result = _normalized(array, axes, True, as_eps(eps))
    return _affine(result, as_parameter("weight", weight, shape), as_parameter("bias", bias, shape))


def rms_norm(
    x: npt.ArrayLike,
    normalized_shape: SupportsIndex | Sequence[SupportsIndex],
    weight: npt.ArrayLike | None = None,
    eps: float | None = None,
    *,
    gain_offset: float = 0.0,
) -> NormResult:
    """y = (offset + γ)·x/√(E[x²] + ε) over the trailing axes of shape ``normalized_shape``.

    Args:
        x: shape ``[*, *normalized_shape]``.
        normalized_shape: the sizes of the axes that share a statistic.
        weight: γ of shape ``normalized_shape``; a gain of 1 when not given.
        eps: ε ≥ 0, in the units of x². None is torch 2.13's default: the machine epsilon of the
            type torch computes in, so 1.19e-7 for float32 and float16 and 2.2e-16 for float64.
        gain_offset: added to γ; Gemma stores γ − 1 and passes 1.

    Raises:
        ValueError: ``normalized_shape`` is empty or not the trailing shape of x.

    Source: Zhang, Sennrich 2019, arXiv 1910.07467; signature of torch 2.13 ``F.rms_norm``.
    """
    array = as_float_array("x", x)
    shape = _trailing_shape(array, normalized_shape)
    axes = tuple(range(array.ndim - len(shape), array.ndim))
    if eps is None:
        eps = float(np.finfo(np.promote_types(array.dtype, np.float32)).eps)
    offset = as_number("gain_offset", gain_offset)
    gain = as_parameter("weight", weight, shape)
    result = _normalized(array, axes, False, as_eps(eps))
    return _affine(result, None if gain is None else gain + offset, None)


def batch_norm(
    x: npt.ArrayLike,
    running_mean: npt.ArrayLike | None = None,
    running_var: npt.ArrayLike | None = None,
    weight: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    training: bool = False,
    momentum: float | None = 0.1,
    eps: float = 1e-5,
    *,
    mask: npt.ArrayLike | None = None,
    strict: bool = True,
    channel_axis: int = 1,
    unbiased_running_var: bool = True,
) -> NormResult:
    """y = γ·(x − μ)/√(σ² + ε) + β with one μ and σ² a channel, over all other axes.

    Args:
        x: shape ``[N, C]``, ``[N, C, L]``, ``[N, C, H, W]``, or any with ``channel_axis`` given.
        running_mean: shape ``[C]``; used when not training, else updated and returned anew.
        running_var: likewise.
        weight: γ of shape ``[C]``.
        bias: β of shape ``[C]``.
        training: use this batch's statistics.
        momentum: the weight of the new value in the update (torch; Keras gives that of the old).
        eps: ε ≥ 0, in the units of x².
        channel_axis: the axis that keeps one statistic each.

    Source: Ioffe, Szegedy 2015, arXiv 1502.03167; signature of torch 2.13 ``F.batch_norm``.
    """
    array = as_float_array("x", x)
    channel = resolve_axes(channel_axis, array.ndim, "channel_axis")[0]
    axes = tuple(axis for axis in range(array.ndim) if axis != channel)
    channels = array.shape[channel]
    along_channel = [channels if axis == channel else 1 for axis in range(array.ndim)]
    mean_before = as_parameter("running_mean", running_mean, (channels,))
    var_before = as_parameter("running_var", running_var, (channels,))
    if training or mean_before is None or var_before is None:
        count = array.size // max(channels, 1)
        if strict and count == 1:
            raise ValueError(
                f"x: Expected more than 1 value per channel when training, got input size "
                f"{list(array.shape)}; strict=False gives what the bare formula gives"
            )
        result = _normalized(array, axes, True, as_eps(eps))
        mean_after, var_after = mean_before, var_before
        if training and mean_before is not None and var_before is not None and count:
            new_weight = as_number("momentum", momentum if momentum is not None else 1.0)
            batch_mean, batch_var = result.mean, result.variance
            if batch_mean is not None and batch_var is not None:
                with np.errstate(divide="ignore", invalid="ignore"):
                    sample_var = batch_var.reshape(channels)
                    if unbiased_running_var:
                        sample_var = sample_var * (count / np.float64(count - 1))
                mean_after = running_update(mean_before, batch_mean.reshape(channels), new_weight)
                var_after = running_update(var_before, sample_var, new_weight)
    else:
        mean, variance = mean_before.reshape(along_channel), var_before.reshape(along_channel)
        denominator = np.sqrt(variance + as_eps(eps))
        with np.errstate(divide="ignore", invalid="ignore"):
            y = (np.subtract(array, mean, dtype=np.float64) / denominator).astype(array.dtype)
        result = NormResult(y, y, mean, variance, None, denominator, axes)
        mean_after, var_after = mean_before, var_before
    gain = as_parameter("weight", weight, (channels,))
    shift = as_parameter("bias", bias, (channels,))
    affine = _affine(
        result,
        None if gain is None else gain.reshape(along_channel),
        None if shift is None else shift.reshape(along_channel),
    )
    return NormResult(
        affine.output,
        affine.normalized,
        affine.mean,
        affine.variance,
        affine.mean_square,
        affine.denominator,
        axes,
        mean_after,
        var_after,
    )


def _trailing_shape(
    x: npt.NDArray[Any], normalized_shape: SupportsIndex | Sequence[SupportsIndex]
) -> tuple[int, ...]:
    """``normalized_shape`` as a tuple, when it is x's trailing shape."""
    sizes = normalized_shape if isinstance(normalized_shape, Sequence) else (normalized_shape,)
    shape = tuple(as_index("normalized_shape", size) for size in sizes)
    if not shape:
        raise ValueError("normalized_shape: expected to be at least 1-dimensional, got ()")
    if x.shape[-len(shape) :] != shape:
        wanted = ", ".join(map(str, shape))
        raise ValueError(
            f"Given normalized_shape=[{wanted}], expected input with shape [*, {wanted}], but got "
            f"input of size{list(x.shape)}"
        )
    return shape


def _normalized(x: FloatArray, axes: tuple[int, ...], center: bool, eps: float) -> NormResult:
    """The bare formula over ``axes``; NaN and Inf follow NumPy."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if center:
            mean, variance, deviation = centered_moments(x, axes)
            denominator = np.sqrt(variance + eps)
            y = (deviation / denominator).astype(x.dtype)
            return NormResult(y, y, mean, variance, variance + mean**2, denominator, axes)
        square = mean_square(x, axes)
        denominator = np.sqrt(square + eps)
        y = np.divide(x, denominator, dtype=np.float64).astype(x.dtype)
        return NormResult(y, y, None, None, square, denominator, axes)


def _affine(
    result: NormResult, weight: Float64Array | None, bias: Float64Array | None
) -> NormResult:
    """``result`` with y = γ·x̂ + β."""
    if weight is None and bias is None:
        return result
    y = result.normalized.astype(np.float64)
    y = y if weight is None else y * weight
    y = y if bias is None else y + bias
    return NormResult(
        y.astype(result.normalized.dtype),
        result.normalized,
        result.mean,
        result.variance,
        result.mean_square,
        result.denominator,
        result.axes,
    )
