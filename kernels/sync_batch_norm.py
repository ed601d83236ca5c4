"""BatchNorm over a batch that is spread over workers."""

from collections.abc import Sequence
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from kernels.arguments import (
    FloatArray,
    as_channel_parameter,
    as_eps,
    as_float_array,
    single_value_error,
)
from kernels.batch_norm import ChannelLayout, any_single, channel_layout, with_copies
from kernels.formula import NormResult, apply_statistics
from kernels.running import as_running, update_weights, updated
from kernels.statistics import (
    Float64Array,
    Moments,
    merge_moments,
    moments,
    needs_scaling,
    standardize,
)


def sync_batch_norm(
    parts: Sequence[npt.ArrayLike],
    running_mean: npt.ArrayLike | None = None,
    running_var: npt.ArrayLike | None = None,
    weight: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    momentum: float | None = 0.1,
    eps: float = 1e-5,
    *,
    strict: bool = True,
    channel_axis: SupportsIndex = 1,
    unbiased_running_var: bool = True,
    momentum_convention: str = "pytorch",
    num_batches_tracked: int = 0,
) -> list[NormResult]:
    """`batch_norm` in training, one batch spread over workers: each has a part of it.

    Each worker sends the number of its values, and C means and C variances; the statistics of the
    whole follow from these exactly, whatever the sizes of the parts.

    Args:
        parts: one array a worker, equal in all but the number of samples, which may be 0.
        running_mean: as in `batch_norm`, and so are the other arguments.

    Returns:
        One result a part, all with the same statistics and running statistics.

    Raises:
        ValueError: no parts, or parts with different numbers of channels; else as `batch_norm`.

    Source: `kernels.statistics.merge_moments`; torch 2.13 ``nn.SyncBatchNorm`` does the same.
    """
    if not len(parts):
        raise ValueError("parts: expected at least one array, got none")
    arrays = [as_float_array(f"parts[{i}]", part) for i, part in enumerate(parts)]
    layouts = [channel_layout(array, channel_axis) for array in arrays]
    channels = layouts[0].channels
    for number, layout in enumerate(layouts):
        if layout.channels != channels:
            raise ValueError(
                f"parts[{number}]: expected {channels} channels, got {layout.channels}"
            )
    running = as_running(running_mean, running_var, channels)
    weights = update_weights(momentum, momentum_convention, num_batches_tracked)
    whole = merge_moments(
        [
            _of_channels(moments(array, layout.axes))
            for array, layout in zip(arrays, layouts, strict=True)
        ]
    )
    if strict and any_single(whole.num_values):
        raise single_value_error("value per channel", arrays[0].shape)
    after = None if running is None else updated(running, whole, weights, unbiased_running_var)
    denominator = _denominator(arrays, layouts, whole, as_eps(eps))
    results = []
    for array, layout in zip(arrays, layouts, strict=True):
        along = layout.along
        mean, variance = whole.mean.reshape(along), whole.variance.reshape(along)
        gain = as_channel_parameter("weight", weight, channels, along)
        shift = as_channel_parameter("bias", bias, channels, along)
        result = apply_statistics(
            array, layout.axes, mean, variance, denominator.reshape(along), gain, shift
        )
        results.append(result if after is None else with_copies(result, after))
    return results


def _of_channels(part: Moments) -> Moments:
    """Moments of shape ``[C]``, so that parts of different rank can be merged."""
    return Moments(part.num_values, part.mean.reshape(-1), part.variance.reshape(-1))


@np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore")
def _denominator(
    arrays: list[FloatArray], layouts: list[ChannelLayout], whole: Moments, eps: float
) -> Float64Array:
    """√(σ² + ε) of each channel.

    Where σ² itself is no float64, the parts have to be looked at together.
    """
    if not needs_scaling(np.result_type(*arrays), whole.variance, eps):
        return np.sqrt(whole.variance + eps)
    rows = [
        np.moveaxis(array, layout.channel, -1).reshape(-1, layout.channels)
        for array, layout in zip(arrays, layouts, strict=True)
    ]
    return standardize(np.concatenate(rows), (0,), True, eps).denominator
