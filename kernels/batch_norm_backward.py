"""Gradients of BatchNorm and InstanceNorm; the formulas stand in `kernels.backward`."""

from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from kernels.arguments import as_channel_parameter, as_eps, as_float_array, as_gradient
from kernels.backward import (
    NormGrads,
    of_parameters,
    past_statistics,
    rounded,
    through_statistics,
)
from kernels.batch_norm import as_batch_mask, channel_layout
from kernels.running import as_running


def batch_norm_backward(
    grad_output: npt.ArrayLike,
    x: npt.ArrayLike,
    running_mean: npt.ArrayLike | None = None,
    running_var: npt.ArrayLike | None = None,
    weight: npt.ArrayLike | None = None,
    training: bool = False,
    eps: float = 1e-5,
    *,
    mask: npt.ArrayLike | None = None,
    channel_axis: SupportsIndex = 1,
) -> NormGrads:
    """The gradients of `batch_norm`; arguments as there.

    In training every sample's gradient depends on all others; in evaluation on none. What a mask
    takes out of the statistics still gets the gradient of its own output.

    Args:
        grad_output: ∂L/∂y, of the shape of x.
        running_mean: before the update; used in evaluation only.

    Raises:
        TypeError: not real numbers.
        ValueError: as `batch_norm`; ``grad_output`` of another shape.

    Source: `kernels.backward`; torch 2.13 ``native_batch_norm_backward`` gives the same.
    """
    array = as_float_array("x", x)
    gradient = as_gradient(grad_output, array)
    channel, channels, axes, along = channel_layout(array, channel_axis)
    running = as_running(running_mean, running_var, channels)
    gain = as_channel_parameter("weight", weight, channels, along)
    counted = None if mask is None else as_batch_mask(mask, array.shape, channel)
    if running is not None and not training:
        mean, variance = (kept.astype(np.float64).reshape(along) for kept in running)
        dx, normalized = past_statistics(gradient, array, mean, variance, as_eps(eps), gain)
    else:
        dx, normalized = through_statistics(gradient, array, axes, True, as_eps(eps), gain, counted)
    dweight, dbias = of_parameters(gradient, normalized, axes, counted)
    return NormGrads(rounded(dx, array), rounded(dweight, array), rounded(dbias, array))


def instance_norm_backward(
    grad_output: npt.ArrayLike,
    x: npt.ArrayLike,
    running_mean: npt.ArrayLike | None = None,
    running_var: npt.ArrayLike | None = None,
    weight: npt.ArrayLike | None = None,
    use_input_stats: bool = True,
    eps: float = 1e-5,
) -> NormGrads:
    """The gradients of `instance_norm`; arguments as there.

    Args:
        grad_output: ∂L/∂y, of the shape of x.

    Raises:
        TypeError: not real numbers.
        ValueError: as `instance_norm`; ``grad_output`` of another shape.

    Source: `kernels.backward`; torch 2.13 autograd of ``F.instance_norm`` gives the same.
    """
    array = as_float_array("x", x)
    gradient = as_gradient(grad_output, array)
    if array.ndim < 2:
        raise ValueError(f"x: expected shape [N, C, *] or [C, L], got {array.shape}")
    channel, channels, others, along = channel_layout(array, 0 if array.ndim == 2 else 1)
    axes = tuple(range(channel + 1, array.ndim))
    running = as_running(running_mean, running_var, channels)
    gain = as_channel_parameter("weight", weight, channels, along)
    if use_input_stats:
        dx, normalized = through_statistics(gradient, array, axes, True, as_eps(eps), gain)
    elif running is None:
        raise ValueError("running_mean: needed, with running_var, when use_input_stats=False")
    else:
        mean, variance = (kept.astype(np.float64).reshape(along) for kept in running)
        dx, normalized = past_statistics(gradient, array, mean, variance, as_eps(eps), gain)
    dweight, dbias = of_parameters(gradient, normalized, others)
    return NormGrads(rounded(dx, array), rounded(dweight, array), rounded(dbias, array))
