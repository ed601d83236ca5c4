"""Running statistics: what BatchNorm remembers from training for evaluation.

Every function returns new arrays; the caller decides what to keep.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kernels.arguments import FloatArray, as_float_array, as_index, as_number
from kernels.statistics import Float64Array, Moments

# What `momentum` multiplies: torch 2.13 gives the weight of the new value, everyone else the
# weight of the old one (Keras 3.15, Flax 0.12, ONNX BatchNormalization-15).
MOMENTUM_CONVENTIONS: dict[str, str] = {"pytorch": "new", "keras": "old"}


class RunningStatistics(NamedTuple):
    """μ and σ² of shape ``[C]``, in whatever float type the caller keeps them."""

    mean: FloatArray
    variance: FloatArray


def as_running(
    running_mean: npt.ArrayLike | None, running_var: npt.ArrayLike | None, channels: int
) -> RunningStatistics | None:
    """Both running statistics, or None when neither is kept (``track_running_stats=False``).

    Raises:
        TypeError: not real numbers.
        ValueError: one without the other, or not of shape ``[C]``.
    """
    if running_mean is None and running_var is None:
        return None
    if running_mean is None or running_var is None:
        missing = "running_mean" if running_mean is None else "running_var"
        raise ValueError(f"{missing}: expected both running statistics or neither, got one")
    kept = RunningStatistics(
        as_float_array("running_mean", running_mean), as_float_array("running_var", running_var)
    )
    for name, array in zip(("running_mean", "running_var"), kept, strict=True):
        if array.shape != (channels,):
            raise ValueError(f"{name}: expected shape {(channels,)}, got {array.shape}")
    return kept


def update_weights(
    momentum: float | None, convention: str = "pytorch", num_batches_tracked: int = 0
) -> tuple[float, float]:
    """The weights of the old and of the new value that ``momentum`` means.

    Args:
        momentum: within 0 and 1; None for the cumulative average, in which each batch weighs
            the same.
        convention: ``"pytorch"``: momentum is the weight of the new value; ``"keras"`` (and Flax
            and ONNX): of the old one. 0.1 in one is 0.9 in the other.
        num_batches_tracked: for the cumulative average, the batches that went in before. An empty
            batch does not count; torch 2.13 counts it, and is then off for good.

    Raises:
        ValueError: momentum outside 0 to 1, an unknown convention, a negative number of batches.
    """
    if convention not in MOMENTUM_CONVENTIONS:
        known = ", ".join(map(repr, MOMENTUM_CONVENTIONS))
        raise ValueError(f"momentum_convention: expected one of {known}, got {convention!r}")
    if momentum is None:
        batches = as_index("num_batches_tracked", num_batches_tracked)
        if batches < 0:
            raise ValueError(f"num_batches_tracked: expected at least 0, got {batches}")
        return batches / (batches + 1), 1 / (batches + 1)
    weight = as_number("momentum", momentum)
    if not 0 <= weight <= 1:
        raise ValueError(f"momentum: expected a number from 0 to 1, or None, got {weight}")
    return (weight, 1 - weight) if convention == "keras" else (1 - weight, weight)


def updated(
    running: RunningStatistics,
    batch: Moments,
    weights: tuple[float, float],
    unbiased: bool = True,
) -> RunningStatistics:
    """running ← old weight · running + new weight · batch, a channel at a time.

    Args:
        running: before this batch.
        batch: this batch's moments, of any shape that has C elements.
        weights: of the old and of the new, as `update_weights` gives them.
        unbiased: store σ²·m/(m − 1), as torch does (NaN for m = 1); False stores σ², as Keras,
            Flax and ONNX do.

    Returns:
        New arrays of the types of ``running``. A channel without a single value stays as it was.
    """
    shape = running.mean.shape
    variance = batch.unbiased_variance() if unbiased else batch.variance
    mean, variance = batch.mean.reshape(shape), variance.reshape(shape)
    seen: npt.NDArray[np.bool_] | bool
    if isinstance(batch.num_values, int):
        seen = batch.num_values > 0
    else:
        seen = np.broadcast_to(batch.num_values.reshape(-1), shape) > 0
    return RunningStatistics(
        _blended(running.mean, mean, weights, seen),
        _blended(running.variance, variance, weights, seen),
    )


def _blended(
    old: FloatArray,
    new: Float64Array,
    weights: tuple[float, float],
    seen: npt.NDArray[np.bool_] | bool,
) -> FloatArray:
    """The weighted sum in float64, rounded to the type of ``old``; ``old`` where nothing came."""
    with np.errstate(invalid="ignore", over="ignore"):
        blended = (weights[0] * old.astype(np.float64) + weights[1] * new).astype(old.dtype)
    return blended if seen is True else np.where(seen, blended, old)
