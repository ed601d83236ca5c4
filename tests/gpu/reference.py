"""The right answers: textbook formulas in float64 on float64 copies of the inputs, two-pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Float64Array = npt.NDArray[np.float64]
FloatArray = npt.NDArray[Any]
Axes = tuple[int, ...]


def mean_variance(x: FloatArray, axes: Axes) -> tuple[Float64Array, Float64Array]:
    """Mean and biased variance over ``axes``, dimensions kept."""
    wide = x.astype(np.float64)
    with np.errstate(all="ignore"):
        mean = wide.mean(axes, keepdims=True)
        return mean, ((wide - mean) ** 2).mean(axes, keepdims=True)


def mean_square(x: FloatArray, axes: Axes) -> Float64Array:
    """E[x²] over ``axes``, dimensions kept."""
    return np.asarray((x.astype(np.float64) ** 2).mean(axes, keepdims=True))


def normalized(x: FloatArray, axes: Axes, eps: float, *, center: bool = True) -> Float64Array:
    """(x − μ)/√(σ² + ε), or x/√(E[x²] + ε)."""
    wide = x.astype(np.float64)
    with np.errstate(all="ignore"):
        if center:
            mean, variance = mean_variance(x, axes)
            return np.asarray((wide - mean) / np.sqrt(variance + eps))
        return np.asarray(wide / np.sqrt(mean_square(x, axes) + eps))


def softmax(x: FloatArray, axes: Axes, temperature: float = 1.0) -> Float64Array:
    """e^((x − max)/T) / Σ."""
    wide = x.astype(np.float64)
    with np.errstate(all="ignore"):
        e = np.exp((wide - wide.max(axes, keepdims=True)) / temperature)
        return np.asarray(e / e.sum(axes, keepdims=True))


def error(got: FloatArray, right: Float64Array, scale: float = 0.0) -> float:
    """The largest |got − right| / max(|right|, scale); NaN and infinities must be the same ones.

    ``scale`` is the size beside which a small difference is no error: 1 for normalized values,
    whose rounding error is relative to the spread of their group.
    """
    assert got.shape == right.shape
    finite = np.isfinite(right)
    if not np.array_equal(got[~finite], right[~finite], equal_nan=True):
        return float("inf")
    if not finite.any():
        return 0.0
    size = np.maximum(np.abs(right[finite]), max(scale, 1e-37))
    worst = float(np.max(np.abs(got[finite].astype(np.float64) - right[finite]) / size))
    return worst if worst == worst else float("inf")
