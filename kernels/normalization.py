"""Layer, RMS and group normalization, and normalization over any axes.

All of them, and `batch_norm` and `instance_norm` beside them, are one formula,
x̂ = (x − μ)/√(σ² + ε) and y = γ·x̂ + β. They differ in the axes over which μ and σ² are taken, in
whether μ is subtracted at all, and in where γ and β lie.

The whole family and its gradients can be imported from here.
"""

from collections.abc import Sequence
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from kernels.arguments import (
    as_channel_parameter,
    as_eps,
    as_float_array,
    as_number,
    as_parameter,
    as_trailing_shape,
    default_eps,
    single_value_error,
)
from kernels.axes import check_groups, resolve_axes, trailing_axes
from kernels.backward import (
    NormGrads,
    group_norm_backward,
    layer_norm_backward,
    normalize_backward,
    rms_norm_backward,
)
from kernels.batch_norm import batch_norm, instance_norm
from kernels.batch_norm_backward import batch_norm_backward, instance_norm_backward
from kernels.formula import NormResult, apply_formula, viewed
from kernels.statistics import Float64Array
from kernels.sync_batch_norm import sync_batch_norm

__all__ = [
    "NormGrads",
    "NormResult",
    "batch_norm",
    "batch_norm_backward",
    "group_norm",
    "group_norm_backward",
    "instance_norm",
    "instance_norm_backward",
    "layer_norm",
    "layer_norm_backward",
    "normalize",
    "normalize_backward",
    "rms_norm",
    "rms_norm_backward",
    "sync_batch_norm",
]


def normalize(
    x: npt.ArrayLike,
    axes: SupportsIndex | Sequence[SupportsIndex] | None,
    *,
    center: bool = True,
    eps: float = 1e-5,
) -> NormResult:
    """x̂ = (x − μ)/√(σ² + ε), or x/√(E[x²] + ε) with ``center=False``, over any axes.

    Args:
        x: any real array.
        axes: one axis, several, or None for all.
        center: whether to subtract the mean.
        eps: ε ≥ 0, in the units of x².

    Raises:
        TypeError: x is not real numbers, or an axis is not an integer.
        ValueError: an axis out of range or twice; ε negative, NaN or infinite.
    """
    array = as_float_array("x", x)
    return apply_formula(array, resolve_axes(axes, array.ndim), center, as_eps(eps))


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
        TypeError: not real numbers.
        ValueError: ``normalized_shape`` is empty or not the trailing shape of x; weight or bias of
            another shape; a bad ε.

    Source: Ba, Kiros, Hinton 2016, arXiv 1607.06450, eq. 3 and 4; signature of torch 2.13
    ``F.layer_norm``. With one value a group the result is 0, as torch gives, not an error.
    """
    array = as_float_array("x", x)
    shape = as_trailing_shape("normalized_shape", normalized_shape, array.shape)
    axes = trailing_axes(array.ndim, len(shape))
    gain = as_parameter("weight", weight, shape)
    shift = as_parameter("bias", bias, shape)
    return apply_formula(array, axes, True, as_eps(eps), gain, shift)


def rms_norm(
    x: npt.ArrayLike,
    normalized_shape: SupportsIndex | Sequence[SupportsIndex],
    weight: npt.ArrayLike | None = None,
    eps: float | None = None,
    *,
    gain_offset: float = 0.0,
    cast_before_weight: bool = False,
) -> NormResult:
    """y = (offset + γ)·x/√(E[x²] + ε) over the trailing axes of shape ``normalized_shape``.

    Args:
        x: shape ``[*, *normalized_shape]``.
        normalized_shape: the sizes of the axes that share a statistic.
        weight: γ of shape ``normalized_shape``; a gain of 1 when not given.
        eps: ε ≥ 0, in the units of x². None is torch 2.13's default: the machine epsilon of the
            type torch computes in, so 1.19e-7 for float32 and float16 and 2.2e-16 for float64.
        gain_offset: added to γ before it multiplies; Gemma stores γ − 1 and passes 1. The sum is
            never rounded to the type of γ: 1 + 15.8125 is 16.8125, in bfloat16 it would be 16.75.
        cast_before_weight: round x̂ to the type of x before γ multiplies it, in the wider of both
            types, as Llama and Qwen3 do (transformers 5.24). Otherwise γ multiplies first, as in
            torch, OLMo2 and Gemma. It shows only below float64.

    Raises:
        TypeError: not real numbers.
        ValueError: ``normalized_shape`` is empty or not the trailing shape of x; a weight of
            another shape; a bad ε.

    Source: Zhang, Sennrich 2019, arXiv 1910.07467, eq. 4; signature of torch 2.13 ``F.rms_norm``.
    """
    array = as_float_array("x", x)
    shape = as_trailing_shape("normalized_shape", normalized_shape, array.shape)
    axes = trailing_axes(array.ndim, len(shape))
    gain = as_parameter("weight", weight, shape)
    offset = as_number("gain_offset", gain_offset)
    if gain is not None and offset:
        gain = gain + offset
    epsilon = default_eps(array.dtype) if eps is None else as_eps(eps)
    if not cast_before_weight:
        return apply_formula(array, axes, False, epsilon, gain)
    result = apply_formula(array, axes, False, epsilon)
    if gain is None:
        return result
    stored = array.dtype if not isinstance(weight, np.ndarray) else weight.dtype
    product = result.normalized * gain.astype(stored)
    return result._replace(output=product)


def group_norm(
    x: npt.ArrayLike,
    num_groups: SupportsIndex,
    weight: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    eps: float = 1e-5,
    *,
    strict: bool = True,
) -> NormResult:
    """y = γ·(x − μ)/√(σ² + ε) + β, one μ and σ² for each sample and group of channels.

    Args:
        x: shape ``[N, C, *]``.
        num_groups: must divide C; a group is C/num_groups neighbouring channels and all positions.
        weight: γ of shape ``[C]``, one a channel. (ONNX opset 18 had one a group; repeat it.)
        bias: β likewise.
        eps: ε ≥ 0, in the units of x².
        strict: raise as torch does for one sample with one value a group; torch lets two samples
            pass, and so do we. False gives the formula: zeros.

    Raises:
        ValueError: C is not divisible by ``num_groups``; weight or bias not of shape ``[C]``; a
            bad ε; one value a group in one sample, when strict.

    Source: Wu, He 2018, arXiv 1803.08494, eq. 7; signature of torch 2.13 ``F.group_norm``.
    """
    array = as_float_array("x", x)
    if array.ndim < 2:
        raise ValueError(f"x: expected shape [N, C, *], got {array.shape}")
    samples, channels, *positions = array.shape
    groups = check_groups(channels, num_groups)
    if strict and array.size == groups:
        raise single_value_error("value per channel", array.shape)
    grouped = array.reshape(samples, groups, channels // groups, *positions)
    per_channel = (1, groups, channels // groups, *(1,) * len(positions))
    gain = as_channel_parameter("weight", weight, channels, per_channel)
    shift = as_channel_parameter("bias", bias, channels, per_channel)
    axes = tuple(range(2, grouped.ndim))
    result = apply_formula(grouped, axes, True, as_eps(eps), gain, shift)
    return _ungrouped(result, array.shape, groups)


def _ungrouped(result: NormResult, shape: tuple[int, ...], groups: int) -> NormResult:
    """GroupNorm's result, computed on ``[N, G, C/G, *]``, in terms of x: ``[N, C, *]``.

    Statistics get one entry a channel, equal within a group, so that they broadcast against x.
    """

    def per_channel(statistic: Float64Array) -> Float64Array:
        one_a_group = statistic.reshape(shape[0], groups, *(1,) * (len(shape) - 2))
        return one_a_group.repeat(shape[1] // groups, axis=1)

    return viewed(
        result, lambda value: value.reshape(shape), per_channel, tuple(range(1, len(shape)))
    )
