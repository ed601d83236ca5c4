"""BatchNorm and InstanceNorm: one statistic a channel, and running statistics for evaluation."""

from functools import lru_cache
from typing import NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from kernels.arguments import (
    FloatArray,
    as_channel_parameter,
    as_eps,
    as_float_array,
    as_mask,
    single_value_error,
)
from kernels.axes import resolve_axes
from kernels.formula import NormResult, apply_formula, apply_statistics, moments_of, viewed
from kernels.running import RunningStatistics, as_running, update_weights, updated
from kernels.statistics import (
    Float64Array,
    Mask,
    Moments,
    group_count,
    group_size,
)


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
    channel_axis: SupportsIndex = 1,
    unbiased_running_var: bool = True,
    momentum_convention: str = "pytorch",
    num_batches_tracked: int = 0,
) -> NormResult:
    """y = γ·(x − μ)/√(σ² + ε) + β, one μ and σ² a channel, taken over all other axes.

    Training uses the statistics of x and moves the running ones towards them; evaluation uses the
    running ones. Without running statistics (``track_running_stats=False`` in torch) evaluation
    uses those of x too. Gradients play no part in it: the running statistics move in every forward
    in training mode, also under ``torch.no_grad()``.

    Args:
        x: shape ``[N, C]``, ``[N, C, L]``, ``[N, C, H, W]``, or any with ``channel_axis`` given.
        running_mean: shape ``[C]``, or None. Give both running statistics or neither.
        running_var: likewise.
        weight: γ of shape ``[C]``; 1 when not given.
        bias: β likewise; 0 when not given.
        training: whether to use the statistics of x.
        momentum: the weight of the new value in the update, within 0 and 1; None for the
            cumulative average, with ``num_batches_tracked``.
        eps: ε ≥ 0, in the units of x². (torch ≥ 2.10 refuses 0 in training.)
        mask: true where a value counts; shape ``[N, *]``, x's without the channel axis, or x's own
            rank. What is masked out enters no statistic; y is given for it all the same.
        strict: raise as torch does for a single value a channel. False gives the formula: zeros,
            and a running variance of NaN where it is unbiased (0/0).
        channel_axis: the axis that keeps a statistic each; -1 for ``[B, T, d]``.
        unbiased_running_var: store σ²·m/(m − 1) in ``running_var``, as torch does; False stores
            σ², as Keras, Flax and ONNX do. x̂ uses the biased σ² everywhere.
        momentum_convention: ``"keras"`` (Flax, ONNX): momentum is the weight of the old value.
        num_batches_tracked: batches seen before this one. Count an empty batch not (torch 2.13
            does, which spoils its cumulative average).

    Returns:
        The result, with new running statistics, or None where none were given. An empty batch
        leaves them as they were.

    Raises:
        TypeError: not real numbers; a mask that is not boolean.
        ValueError: a parameter or statistic not of shape ``[C]``; one running statistic without
            the other; a single value a channel, when strict; a bad axis, mask, momentum or ε.

    Source: Ioffe, Szegedy 2015, arXiv 1502.03167, algorithms 1 and 2; signature and strictness of
    torch 2.13 ``F.batch_norm``; masks as in Keras 3.15 ``BatchNormalization``.
    """
    array = as_float_array("x", x)
    channel, channels, axes, along = channel_layout(array, channel_axis)
    running = as_running(running_mean, running_var, channels)
    weights = update_weights(momentum, momentum_convention, num_batches_tracked)
    gain = as_channel_parameter("weight", weight, channels, along)
    shift = as_channel_parameter("bias", bias, channels, along)
    counted = None if mask is None else as_batch_mask(mask, array.shape, channel)
    if running is not None and not training:
        return _from_running(array, axes, running, along, as_eps(eps), gain, shift)
    num_values = group_count(array.shape, axes, counted)
    if strict and array.size and any_single(num_values):
        raise single_value_error("value per channel", array.shape)
    result = apply_formula(array, axes, True, as_eps(eps), gain, shift, counted)
    if running is None:
        return result
    after = updated(running, moments_of(result, num_values), weights, unbiased_running_var)
    return result.with_running(*after)


def instance_norm(
    x: npt.ArrayLike,
    running_mean: npt.ArrayLike | None = None,
    running_var: npt.ArrayLike | None = None,
    weight: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
    *,
    strict: bool = True,
) -> NormResult:
    """y = γ·(x − μ)/√(σ² + ε) + β, one μ and σ² for each sample and channel, over the positions.

    Args:
        x: shape ``[N, C, *]``, or ``[C, L]`` as one sample (``nn.InstanceNorm1d`` reads it so).
        running_mean: shape ``[C]``, or None. Updated with the mean over the samples of μ.
        running_var: likewise, of the unbiased σ². Give both or neither.
        weight: γ of shape ``[C]``.
        bias: β likewise.
        use_input_stats: take the statistics from x; False takes the running ones.
        momentum: a in running ← (1 − a)·running + a·new: the weight of the new, as in torch.
        eps: ε ≥ 0, in the units of x².
        strict: raise as torch does when there is a single position. False gives zeros.

    Raises:
        ValueError: x has fewer than two dimensions; a parameter or statistic not of shape ``[C]``;
            one running statistic without the other, or none where they are needed; momentum not
            within 0 and 1; a bad ε; a single position, when strict.

    Source: Ulyanov, Vedaldi, Lempitsky 2016, arXiv 1607.08022, eq. 7; signature of torch 2.13
    ``F.instance_norm``.
    """
    array = as_float_array("x", x)
    if array.ndim < 2:
        raise ValueError(f"x: expected shape [N, C, *] or [C, L], got {array.shape}")
    if array.ndim == 2:
        one_sample = array[np.newaxis]
        result = instance_norm(
            one_sample,
            running_mean,
            running_var,
            weight,
            bias,
            use_input_stats,
            momentum,
            eps,
            strict=strict,
        )
        return viewed(result, lambda value: value[0], lambda value: value[0], (1,))
    channels = array.shape[1]
    axes, along = tuple(range(2, array.ndim)), channel_layout(array, 1).along
    gain = as_channel_parameter("weight", weight, channels, along)
    shift = as_channel_parameter("bias", bias, channels, along)
    running = as_running(running_mean, running_var, channels)
    weights = update_weights(momentum)
    if not use_input_stats:
        if running is None:
            raise ValueError("running_mean: needed, with running_var, when use_input_stats=False")
        return _from_running(array, axes, running, along, as_eps(eps), gain, shift)
    positions = group_size(array.shape, axes)
    if strict and positions == 1 and array.size:
        raise single_value_error("spatial element", array.shape)
    result = apply_formula(array, axes, True, as_eps(eps), gain, shift)
    if running is None:
        return result
    if not array.size:
        return with_copies(result, running)
    # torch keeps the averages over the samples: of the means, and of the unbiased variances.
    instances = moments_of(result, positions)
    averages = Moments(positions, instances.mean.mean(0), instances.unbiased_variance().mean(0))
    after = updated(running, averages, weights, unbiased=False)
    return result.with_running(*after)


class ChannelLayout(NamedTuple):
    """Where the channels of a tensor are.

    Attributes:
        channel: the axis.
        channels: its size, C.
        axes: all other axes.
        along: the shape in which ``[C]`` broadcasts against the tensor.
    """

    channel: int
    channels: int
    axes: tuple[int, ...]
    along: tuple[int, ...]


def channel_layout(x: FloatArray, channel_axis: SupportsIndex) -> ChannelLayout:
    """The layout of x with its channels along ``channel_axis``."""
    return _layout(x.shape, resolve_axes(channel_axis, x.ndim, "channel_axis")[0])


@lru_cache(maxsize=256)
def _layout(shape: tuple[int, ...], channel: int) -> ChannelLayout:
    """The layout of a tensor of ``shape``, remembered: a page asks for few again and again."""
    others = (*range(channel), *range(channel + 1, len(shape)))
    along = (1,) * channel + (-1,) + (1,) * (len(shape) - channel - 1)
    return ChannelLayout(channel, shape[channel], others, along)


def any_single(num_values: int | Float64Array) -> bool:
    """Whether some channel has one value only."""
    return num_values == 1 if isinstance(num_values, int) else bool((num_values == 1).any())


@np.errstate(invalid="ignore")
def _from_running(
    x: FloatArray,
    axes: tuple[int, ...],
    running: RunningStatistics,
    along: tuple[int, ...],
    eps: float,
    weight: Float64Array | None,
    bias: Float64Array | None,
) -> NormResult:
    """The formula with running statistics, which this forward leaves alone."""
    mean, variance = (kept.astype(np.float64).reshape(along) for kept in running)
    denominator = np.sqrt(variance + eps)
    result = apply_statistics(x, axes, mean, variance, denominator, weight, bias)
    return with_copies(result, running)


def with_copies(result: NormResult, running: RunningStatistics) -> NormResult:
    """``result`` with running statistics that this forward left alone, in arrays of their own."""
    return result.with_running(running.mean.copy(), running.variance.copy())


def as_batch_mask(mask: npt.ArrayLike, shape: tuple[int, ...], channel: int) -> Mask:
    """``mask`` with the channel axis put in when it is missing, checked against ``shape``."""
    counted = as_mask("mask", mask)
    if counted.ndim == len(shape) - 1:
        counted = np.expand_dims(counted, channel)
    try:
        fits = counted.ndim == len(shape) and np.broadcast_shapes(counted.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        without_channel = shape[:channel] + shape[channel + 1 :]
        raise ValueError(
            f"mask: expected shape {without_channel}, or one that broadcasts to {shape}, got "
            f"{np.shape(mask)}"
        )
    return counted
