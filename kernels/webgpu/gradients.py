"""The gradients' calls: LayerNorm and RMSNorm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from kernels.arguments import (
    FloatArray,
    as_eps,
    as_float_array,
    as_number,
    as_parameter,
    as_trailing_shape,
    default_eps,
)
from kernels.backward import NormGrads
from kernels.webgpu.glue import Array, Glue
from kernels.webgpu.request import Request, check_axes, computed, device_array, needs, parameter


def layer_norm_backward(
    rounds: bool,
    grad_output: npt.ArrayLike,
    x: npt.ArrayLike,
    normalized_shape: SupportsIndex | Sequence[SupportsIndex],
    weight: npt.ArrayLike | None = None,
    eps: float = 1e-5,
) -> Request:
    """See `kernels.layer_norm_backward`."""
    array = as_float_array("x", x)
    shape = as_trailing_shape("normalized_shape", normalized_shape, array.shape)
    gain = as_parameter("weight", weight, shape)
    return _request(rounds, grad_output, array, shape, gain, as_eps(eps), center=True)


def rms_norm_backward(
    rounds: bool,
    grad_output: npt.ArrayLike,
    x: npt.ArrayLike,
    normalized_shape: SupportsIndex | Sequence[SupportsIndex],
    weight: npt.ArrayLike | None = None,
    eps: float | None = None,
    *,
    gain_offset: float = 0.0,
) -> Request:
    """See `kernels.rms_norm_backward`."""
    array = as_float_array("x", x)
    shape = as_trailing_shape("normalized_shape", normalized_shape, array.shape)
    gain = as_parameter("weight", weight, shape)
    if gain is not None:
        gain = gain + as_number("gain_offset", gain_offset)
    epsilon = default_eps(array.dtype) if eps is None else as_eps(eps)
    return _request(rounds, grad_output, array, shape, gain, epsilon, center=False)


def _request(
    rounds: bool,
    grad_output: npt.ArrayLike,
    x: FloatArray,
    shape: tuple[int, ...],
    gain: Array | None,
    eps: float,
    *,
    center: bool,
) -> Request:
    """∂L/∂x, ∂L/∂γ and ∂L/∂β in one go."""
    gradient = as_float_array("grad_output", grad_output)
    if gradient.shape != x.shape:
        raise ValueError(f"grad_output: expected the shape of x, {x.shape}, got {gradient.shape}")
    needs(bool(np.isfinite(gradient).all()), "grad_output holds NaN or infinity")
    needs(int(np.prod(shape)) > 1, "a group of one value has no gradient to compute")
    axes = tuple(range(x.ndim - len(shape), x.ndim))
    check_axes(x.shape, axes)
    arrays = {
        "x": device_array("x", x, rounds).astype(np.float32),
        "gradient": device_array("grad_output", gradient, rounds).astype(np.float32),
        "weight": parameter("weight", gain),
    }
    options = {"axes": axes, "center": center, "eps": eps, "parameters": True}
    dtype = x.dtype if x.dtype == np.float16 else np.dtype(np.float32)

    async def compute(glue: Glue) -> NormGrads:
        results = await computed(
            glue, arrays, lambda given: glue.call("normalize_backward", given, options)
        )
        of_weight, of_bias = (plane.reshape(shape) for plane in results["parameters"])
        dx, dweight, dbias = (
            value.astype(dtype, copy=False) for value in (results["x"], of_weight, of_bias)
        )
        return NormGrads(dx, dweight, dbias if center else None)

    return Request("normalize", x.size, compute)
