"""Reductions as kernels of their own: moments, the largest value, the sum of exponentials.

Each has a NumPy form here, which answers where the device does not, and the call of the device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from kernels.arguments import FloatArray, as_float_array
from kernels.axes import resolve_axes
from kernels.formula import apply_formula
from kernels.statistics import Float64Array
from kernels.webgpu.glue import Glue
from kernels.webgpu.normalizers import kept_shape, spoilt_means, statistics
from kernels.webgpu.request import Request, check_axes, computed, device_array

Axes = SupportsIndex | Sequence[SupportsIndex] | None


class GroupMoments(NamedTuple):
    """A group's statistics, float64, dimensions kept.

    Attributes:
        mean: μ.
        variance: σ², biased.
        mean_square: E[x²].
    """

    mean: Float64Array
    variance: Float64Array
    mean_square: Float64Array


class SumExp(NamedTuple):
    """What log-sum-exp and softmax are made of, in the type of x, dimensions kept.

    Attributes:
        largest: max x.
        sum: Σ e^(x − max x).
    """

    largest: FloatArray
    sum: FloatArray


def moments(x: npt.ArrayLike, axes: Axes) -> GroupMoments:
    """μ, σ² and E[x²] over any axes.

    Args:
        x: any real array.
        axes: one axis, several, or None for all.

    Raises:
        TypeError: x is not real numbers.
        ValueError: an axis out of range or twice.
    """
    array = as_float_array("x", x)
    result = apply_formula(array, resolve_axes(axes, array.ndim), True, 0.0)
    if result.mean is None or result.variance is None or result.mean_square is None:
        raise RuntimeError("a centred formula takes a mean")
    return GroupMoments(result.mean, result.variance, result.mean_square)


def largest(x: npt.ArrayLike, axes: Axes) -> FloatArray:
    """The largest value, NaN where one is; dimensions kept. Arguments as `moments`."""
    array = as_float_array("x", x)
    reduced = resolve_axes(axes, array.ndim)
    return np.asarray(np.maximum.reduce(array, reduced, keepdims=True))


def sum_exp(x: npt.ArrayLike, axes: Axes) -> SumExp:
    """max x and Σ e^(x − max x) over any axes. Arguments as `moments`.

    A group of −Inf, and one with NaN or +Inf, has a sum of NaN: ∞ − ∞.
    """
    array = as_float_array("x", x)
    reduced = resolve_axes(axes, array.ndim)
    most = np.asarray(np.maximum.reduce(array, reduced, keepdims=True))
    with np.errstate(invalid="ignore", under="ignore"):
        exponentials = np.exp(np.subtract(array, most, dtype=np.float64))
        total = np.asarray(np.add.reduce(exponentials, reduced, keepdims=True))
    return SumExp(most, total.astype(array.dtype))


def _prepared(rounds: bool, x: npt.ArrayLike, axes: Axes) -> tuple[FloatArray, tuple[int, ...]]:
    """x in the device's type, and the axes."""
    array = as_float_array("x", x)
    reduced = resolve_axes(axes, array.ndim)
    check_axes(array.shape, reduced)
    return device_array("x", array, rounds), reduced


def moments_request(rounds: bool, x: npt.ArrayLike, axes: Axes) -> Request:
    """See `moments`."""
    array, reduced = _prepared(rounds, x, axes)

    async def compute(glue: Glue) -> GroupMoments:
        results = await computed(
            glue, {"x": array}, lambda given: glue.call("moments", given, {"axes": reduced})
        )
        shape = kept_shape(array.shape, reduced)
        mean, variance = statistics(results["statistics"], shape)
        mean = spoilt_means(mean, array, reduced)
        return GroupMoments(mean, variance, variance + np.square(mean))

    return Request("normalize", array.size, compute)


def largest_request(rounds: bool, x: npt.ArrayLike, axes: Axes) -> Request:
    """See `largest`."""
    array, reduced = _prepared(rounds, x, axes)

    async def compute(glue: Glue) -> FloatArray:
        results = await computed(
            glue, {"x": array}, lambda given: glue.call("max", given, {"axes": reduced})
        )
        shape = kept_shape(array.shape, reduced)
        return results["output"].reshape(shape).astype(array.dtype, copy=False)

    return Request("normalize", array.size, compute)


def sum_exp_request(rounds: bool, x: npt.ArrayLike, axes: Axes) -> Request:
    """See `sum_exp`."""
    array, reduced = _prepared(rounds, x, axes)

    async def compute(glue: Glue) -> SumExp:
        results = await computed(
            glue, {"x": array}, lambda given: glue.call("sum_exp", given, {"axes": reduced})
        )
        shape = kept_shape(array.shape, reduced)
        with np.errstate(over="ignore"):
            most, total = results["statistics"].astype(array.dtype, copy=False)
        return SumExp(most.reshape(shape), total.reshape(shape))

    return Request("softmax", array.size, compute)
