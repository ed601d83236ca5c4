"""Mean, variance and mean square over any axes, in float64, exact where other code overflows.

Every statistic is taken in float64 and two-pass: subtract first, square afterwards. That is what
keeps a huge common offset from cancelling the variance away (E[x²] − E[x]² does), and what makes a
constant group exactly 0.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kernels.arguments import FloatArray

Float64Array = npt.NDArray[np.float64]


class Moments(NamedTuple):
    """A group's statistics, each of the shape that broadcasts against x."""

    mean: Float64Array
    variance: Float64Array
    deviation: Float64Array


def centered_moments(x: FloatArray, axes: tuple[int, ...]) -> Moments:
    """Mean, biased variance and x − mean, over ``axes``, dimensions kept."""
    count = np.prod([x.shape[axis] for axis in axes], dtype=np.int64)
    mean = np.asarray(np.add.reduce(x, axis=axes, dtype=np.float64, keepdims=True)) / count
    deviation = np.subtract(x, mean, dtype=np.float64)
    # The mean of the deviations is the rounding error of the mean: taking it off makes a constant
    # group exactly 0, and an offset of 1e6 harmless.
    correction = np.add.reduce(deviation, axis=axes, keepdims=True) / count
    deviation -= correction
    return Moments(mean + correction, mean_square(deviation, axes), deviation)


def mean_square(x: FloatArray, axes: tuple[int, ...]) -> Float64Array:
    """E[x²] over ``axes``, dimensions kept."""
    count = np.prod([x.shape[axis] for axis in axes], dtype=np.int64)
    squares = np.square(x, dtype=np.float64)
    result: Float64Array = np.add.reduce(squares, axis=axes, keepdims=True) / count
    return result


def running_update(
    running: npt.NDArray[Any], batch: Float64Array, new_weight: float
) -> npt.NDArray[Any]:
    """(1 − a)·running + a·batch, in float64, returned in the type of ``running``."""
    updated = (1.0 - new_weight) * running.astype(np.float64) + new_weight * batch
    return updated.astype(running.dtype)
