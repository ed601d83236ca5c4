"""Gradients of the normalizers, by hand.

With g = γ·∂L/∂y and x̂ = (x − μ)/√(σ² + ε), for a group of m values whose statistics depend on x:

    ∂L/∂x = (g − Σg/m − x̂·Σ(g·x̂)/m)/√(σ² + ε)        without the middle term for RMSNorm,
    ∂L/∂x = g/√(σ² + ε)                               where the statistics are running ones,
    ∂L/∂γ = Σ x̂·∂L/∂y        ∂L/∂β = Σ ∂L/∂y           over all elements that γ and β serve.

Source: Ioffe, Szegedy 2015, arXiv 1502.03167, section 3, with the sums collected.
"""

from collections.abc import Sequence
from typing import NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from kernels.arguments import (
    FloatArray,
    as_channel_parameter,
    as_eps,
    as_float_array,
    as_gradient,
    as_number,
    as_parameter,
    as_trailing_shape,
    default_eps,
)
from kernels.axes import check_groups, resolve_axes, trailing_axes
from kernels.statistics import Float64Array, Mask, group_count, standardize


class NormGrads(NamedTuple):
    """Gradients of the loss.

    Attributes:
        x: ∂L/∂x, of the shape and type of x.
        weight: ∂L/∂γ, of the shape of γ, also when none was given (γ = 1 then); None where the
            normalizer has none.
        bias: ∂L/∂β likewise; None where the normalizer has none.
    """

    x: FloatArray
    weight: FloatArray | None
    bias: FloatArray | None


def normalize_backward(
    grad_output: npt.ArrayLike,
    x: npt.ArrayLike,
    axes: SupportsIndex | Sequence[SupportsIndex] | None,
    *,
    center: bool = True,
    eps: float = 1e-5,
) -> NormGrads:
    """The gradient of `normalize`; arguments as there.

    Args:
        grad_output: ∂L/∂y, of the shape of x.

    Raises:
        TypeError: not real numbers.
        ValueError: as `normalize`; ``grad_output`` of another shape.
    """
    array = as_float_array("x", x)
    gradient = as_gradient(grad_output, array)
    reduced = resolve_axes(axes, array.ndim)
    dx, _ = through_statistics(gradient, array, reduced, center, as_eps(eps))
    return NormGrads(rounded(dx, array), None, None)


def layer_norm_backward(
    grad_output: npt.ArrayLike,
    x: npt.ArrayLike,
    normalized_shape: SupportsIndex | Sequence[SupportsIndex],
    weight: npt.ArrayLike | None = None,
    eps: float = 1e-5,
) -> NormGrads:
    """The gradients of `layer_norm`; arguments as there.

    Args:
        grad_output: ∂L/∂y, of the shape of x.

    Raises:
        TypeError: not real numbers.
        ValueError: as `layer_norm`; ``grad_output`` of another shape.

    Source: module docstring; torch 2.13 ``native_layer_norm_backward`` gives the same.
    """
    array = as_float_array("x", x)
    gradient = as_gradient(grad_output, array)
    shape = as_trailing_shape("normalized_shape", normalized_shape, array.shape)
    gain = as_parameter("weight", weight, shape)
    leading = tuple(range(array.ndim - len(shape)))
    axes = trailing_axes(array.ndim, len(shape))
    dx, normalized = through_statistics(gradient, array, axes, True, as_eps(eps), gain)
    dweight, dbias = of_parameters(gradient, normalized, leading)
    return NormGrads(rounded(dx, array), rounded(dweight, array), rounded(dbias, array))


def rms_norm_backward(
    grad_output: npt.ArrayLike,
    x: npt.ArrayLike,
    normalized_shape: SupportsIndex | Sequence[SupportsIndex],
    weight: npt.ArrayLike | None = None,
    eps: float | None = None,
    *,
    gain_offset: float = 0.0,
) -> NormGrads:
    """The gradients of `rms_norm`; arguments as there.

    Args:
        grad_output: ∂L/∂y, of the shape of x.

    Raises:
        TypeError: not real numbers.
        ValueError: as `rms_norm`; ``grad_output`` of another shape.

    Source: module docstring; torch 2.13 autograd of ``F.rms_norm`` gives the same.
    """
    array = as_float_array("x", x)
    gradient = as_gradient(grad_output, array)
    shape = as_trailing_shape("normalized_shape", normalized_shape, array.shape)
    gain = as_parameter("weight", weight, shape)
    if gain is not None:
        gain = gain + as_number("gain_offset", gain_offset)
    leading = tuple(range(array.ndim - len(shape)))
    axes = trailing_axes(array.ndim, len(shape))
    epsilon = default_eps(array.dtype) if eps is None else as_eps(eps)
    dx, normalized = through_statistics(gradient, array, axes, False, epsilon, gain)
    dweight, _ = of_parameters(gradient, normalized, leading)
    return NormGrads(rounded(dx, array), rounded(dweight, array), None)


def group_norm_backward(
    grad_output: npt.ArrayLike,
    x: npt.ArrayLike,
    num_groups: SupportsIndex,
    weight: npt.ArrayLike | None = None,
    eps: float = 1e-5,
) -> NormGrads:
    """The gradients of `group_norm`; arguments as there.

    Args:
        grad_output: ∂L/∂y, of the shape of x.

    Raises:
        TypeError: not real numbers.
        ValueError: as `group_norm`; ``grad_output`` of another shape.

    Source: module docstring; torch 2.13 ``native_group_norm_backward`` gives the same.
    """
    array = as_float_array("x", x)
    gradient = as_gradient(grad_output, array)
    if array.ndim < 2:
        raise ValueError(f"x: expected shape [N, C, *], got {array.shape}")
    samples, channels, *positions = array.shape
    groups = check_groups(channels, num_groups)
    grouped = (samples, groups, channels // groups, *positions)
    per_channel = (1, groups, channels // groups, *(1,) * len(positions))
    gain = as_channel_parameter("weight", weight, channels, per_channel)
    axes = tuple(range(2, len(grouped)))
    dx, normalized = through_statistics(
        gradient.reshape(grouped), array.reshape(grouped), axes, True, as_eps(eps), gain
    )
    others = (0, *range(2, array.ndim))
    dweight, dbias = of_parameters(gradient, normalized.reshape(array.shape), others)
    dx = dx.reshape(array.shape)
    return NormGrads(rounded(dx, array), rounded(dweight, array), rounded(dbias, array))


@np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore")
def through_statistics(
    gradient: Float64Array,
    x: FloatArray,
    axes: tuple[int, ...],
    center: bool,
    eps: float,
    weight: Float64Array | None = None,
    mask: Mask = None,
) -> tuple[Float64Array, Float64Array]:
    """∂L/∂x where μ and σ² were taken from x over ``axes``, and x̂."""
    if x.ndim == 0:
        dx, one = through_statistics(gradient.reshape(1), x.reshape(1), (), center, eps)
        return dx.reshape(()), one.reshape(())
    normalized, _, _, _, denominator = standardize(x, axes, center, eps, mask)
    count = group_count(x.shape, axes, mask)
    g = gradient if weight is None else gradient * weight
    product = g * normalized
    if mask is not None:
        # What is masked out depends on the statistics too, but 0 · NaN must not spoil them.
        product = np.where(mask | (g != 0), product, 0.0)
    through_scale = normalized * (np.add.reduce(product, axes, keepdims=True) / count)
    if mask is not None:
        through_scale = np.where(mask, through_scale, 0.0)
    dx = g - through_scale
    if center:
        through_mean = np.add.reduce(g, axes, keepdims=True) / count
        dx -= through_mean if mask is None else np.where(mask, through_mean, 0.0)
    dx /= denominator
    return dx, normalized


@np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore")
def past_statistics(
    gradient: Float64Array,
    x: FloatArray,
    mean: Float64Array,
    variance: Float64Array,
    eps: float,
    weight: Float64Array | None,
) -> tuple[Float64Array, Float64Array]:
    """∂L/∂x where μ and σ² do not depend on x, and x̂."""
    denominator = np.sqrt(variance + eps)
    normalized = np.subtract(x, mean, dtype=np.float64) / denominator
    g = gradient if weight is None else gradient * weight
    return g / denominator, normalized


@np.errstate(invalid="ignore", over="ignore")
def of_parameters(
    gradient: Float64Array,
    normalized: Float64Array,
    axes: tuple[int, ...],
    mask: Mask = None,
) -> tuple[Float64Array, Float64Array]:
    """∂L/∂γ and ∂L/∂β, summed over the axes along which γ and β are shared."""
    products = gradient * normalized
    if mask is not None:
        # What is masked out may be NaN; without a gradient it contributes nothing.
        products = np.where(mask | (gradient != 0), products, 0.0)
    return np.asarray(np.add.reduce(products, axes)), np.asarray(np.add.reduce(gradient, axes))


def rounded(gradient: Float64Array, x: FloatArray) -> FloatArray:
    """``gradient`` in the type of x."""
    with np.errstate(over="ignore"):
        return gradient.astype(x.dtype, copy=False)
