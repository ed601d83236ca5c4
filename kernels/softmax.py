"""Softmax and log-softmax, with their gradients, and entropy; the soft-cap can be had here too.

Computed in float64 and rounded once. The largest score is subtracted first, which changes nothing
but the overflow: exp(1000) is not a float64.
"""

import math
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from kernels.arguments import FLOAT64, FloatArray, as_float_array, as_gradient, as_number
from kernels.axes import resolve_axes
from kernels.large import LARGE
from kernels.large_softmax import softmax_in_pieces
from kernels.soft_cap import soft_cap, soft_cap_backward
from kernels.statistics import Float64Array

# Arrays, since NumPy takes longer for numbers of Python's.
_ZERO, _SMALLEST = np.array(0.0), np.array(5e-324)

__all__ = [
    "entropy",
    "log_softmax",
    "log_softmax_backward",
    "soft_cap",
    "soft_cap_backward",
    "softmax",
    "softmax_backward",
]


def softmax(x: npt.ArrayLike, axis: SupportsIndex = -1, *, temperature: float = 1.0) -> FloatArray:
    """pᵢ = exp(xᵢ/T)/Σⱼ exp(xⱼ/T) along one axis.

    Args:
        x: scores, any shape with at least one dimension.
        axis: the axis that sums to 1. (ONNX before opset 13 flattened all axes from it on.)
        temperature: T > 0. Dividing by T is multiplying the scores by 1/T.

    Returns:
        Probabilities of the shape and type of x. A row of −Inf, and one with NaN or +Inf, is NaN
        throughout, as in torch, JAX and Keras; `attention_probabilities` gives 0 for the former.

    Raises:
        TypeError: x is not real numbers.
        ValueError: the axis is out of range; T is not positive and finite.

    Source: Goodfellow, Bengio, Courville 2016, "Deep Learning", eq. 6.29; axis as in torch 2.13
    and ONNX Softmax-13.
    """
    scores, along = _as_scores("x", x, axis)
    divisor = as_temperature(temperature)
    if scores.size >= LARGE:
        return softmax_in_pieces(scores, along, divisor, _probabilities)
    return _probabilities(scores, along, divisor).astype(scores.dtype, copy=False)


@np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore")
def log_softmax(
    x: npt.ArrayLike, axis: SupportsIndex = -1, *, temperature: float = 1.0
) -> FloatArray:
    """log pᵢ = xᵢ/T − log Σⱼ exp(xⱼ/T) along one axis, also where pᵢ is 0 or 1 in floating point.

    Args:
        x: scores, any shape with at least one dimension.
        axis: the axis along which exp of the result sums to 1.
        temperature: T > 0. It divides the scores: dividing the result instead leaves something
            whose exp does not sum to 1.

    Returns:
        Logarithms, natural, of the shape and type of x.

    Raises:
        TypeError: x is not real numbers.
        ValueError: the axis is out of range; T is not positive and finite.

    Source: as `softmax`. The k scores that equal the largest are left out of the sum, so that
    log Σ = log k + log1p(rest/k) keeps its digits when the rest is tiny.
    """
    scores, along = _as_scores("x", x, axis)
    divisor = as_temperature(temperature)
    below = _below_largest(scores, along, divisor)
    at_largest = below == 0
    ties = np.add.reduce(at_largest, along, FLOAT64, keepdims=True)
    exponential = np.exp(below)
    np.copyto(exponential, 0.0, where=at_largest)
    rest = np.add.reduce(exponential, along, keepdims=True)
    rest /= ties
    below -= np.log(ties) + np.log1p(rest)
    return below.astype(scores.dtype, copy=False)


def softmax_backward(
    grad_output: npt.ArrayLike,
    x: npt.ArrayLike,
    axis: SupportsIndex = -1,
    *,
    temperature: float = 1.0,
) -> FloatArray:
    """∂L/∂xᵢ = pᵢ·(gᵢ − Σⱼ gⱼpⱼ)/T, for g = ∂L/∂p.

    Args:
        grad_output: g, of the shape of x.
        x: the scores that went into `softmax` (not its result).
        axis: as given to `softmax`.
        temperature: as given to `softmax`.

    Returns:
        The gradient, of the shape and type of x. For one p it is p(1 − p)/T: it vanishes as p
        nears 0 or 1.

    Raises:
        TypeError: not real numbers.
        ValueError: shapes that differ; the axis is out of range; T is not positive and finite.

    Source: the Jacobian diag(p) − ppᵀ. A constant added to g changes nothing, so g is taken
    relative to its value at the largest p: otherwise 1 − p would cancel.
    """
    scores, along = _as_scores("x", x, axis)
    divisor = as_temperature(temperature)
    gradient = as_gradient(grad_output, scores)
    if not scores.size:
        return scores.copy()
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        p = _probabilities(scores, along, divisor)
        gradient -= np.take_along_axis(gradient, np.argmax(p, along, keepdims=True), along)
        gradient -= np.add.reduce(gradient * p, along, keepdims=True)
        gradient *= p
        gradient /= divisor
    return gradient.astype(scores.dtype, copy=False)


def log_softmax_backward(
    grad_output: npt.ArrayLike,
    x: npt.ArrayLike,
    axis: SupportsIndex = -1,
    *,
    temperature: float = 1.0,
) -> FloatArray:
    """∂L/∂xᵢ = (gᵢ − pᵢ·Σⱼ gⱼ)/T, for g = ∂L/∂(log p).

    Args:
        grad_output: g, of the shape of x.
        x: the scores that went into `log_softmax` (not its result).
        axis: as given to `log_softmax`.
        temperature: as given to `log_softmax`.

    Returns:
        The gradient, of the shape and type of x.

    Raises:
        TypeError: not real numbers.
        ValueError: shapes that differ; the axis is out of range; T is not positive and finite.

    Source: ∂ log pᵢ/∂xⱼ = δᵢⱼ − pⱼ.
    """
    scores, along = _as_scores("x", x, axis)
    divisor = as_temperature(temperature)
    gradient = as_gradient(grad_output, scores)
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        p = _probabilities(scores, along, divisor)
        gradient -= p * np.add.reduce(gradient, along, keepdims=True)
        gradient /= divisor
    return gradient.astype(scores.dtype, copy=False)


def entropy(p: npt.ArrayLike, axis: SupportsIndex = -1) -> FloatArray:
    """H = −Σ pᵢ·log pᵢ in nats along one axis, with 0·log 0 = 0; log n when all are equal.

    Args:
        p: probabilities; that they sum to 1 is not checked.
        axis: the axis that is summed over.

    Returns:
        Entropies, of the type of p and its shape without the axis.

    Raises:
        TypeError: p is not real numbers.
        ValueError: the axis is out of range; a negative probability.

    Source: Shannon 1948, "A Mathematical Theory of Communication", section 6.
    """
    probabilities, along = _as_scores("p", p, axis)
    wide = probabilities.astype(FLOAT64)
    if np.count_nonzero(wide < _ZERO):
        raise ValueError(f"p: expected probabilities, got {np.min(probabilities)}")
    # The smallest float64 stands in for 0: its logarithm is finite, and 0 times it is 0.
    total = np.add.reduce(wide * np.log(np.maximum(wide, _SMALLEST)), along)
    # 0 − H rather than −H: a certain outcome has entropy 0, not −0.
    return np.subtract(_ZERO, total).astype(probabilities.dtype)


def as_temperature(temperature: float) -> float:
    """``temperature`` as a float.

    Raises:
        ValueError: not positive and finite. At 0 the formula is Inf/Inf; its limit, all weight on
            the largest score, is ``argmax`` and has to be asked for as such.
    """
    if type(temperature) is float and 0 < temperature < math.inf:
        return temperature
    number = as_number("temperature", temperature)
    if not (number > 0 and math.isfinite(number)):
        raise ValueError(f"temperature: expected a positive, finite number, got {number}")
    return number


def _as_scores(name: str, x: npt.ArrayLike, axis: SupportsIndex) -> tuple[FloatArray, int]:
    """The array and its one axis, checked."""
    scores = as_float_array(name, x)
    if not scores.ndim:
        raise ValueError(f"{name}: expected at least one dimension, got a scalar")
    if type(axis) is not int and not hasattr(axis, "__index__"):
        raise TypeError(f"axis: expected one integer, got {axis!r}")
    return scores, resolve_axes(axis, scores.ndim, "axis")[0]


def _below_largest(scores: FloatArray, along: int, temperature: float) -> Float64Array:
    """(x − max x)/T in float64: 0 at the largest score, negative elsewhere."""
    largest = np.maximum.reduce(scores, along, keepdims=True, initial=-np.inf)
    below = np.subtract(scores, largest, dtype=np.float64)
    if temperature != 1.0:
        below /= temperature
    return below


@np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore")
def _probabilities(scores: FloatArray, along: int, temperature: float) -> Float64Array:
    """Softmax in float64."""
    exponential = _below_largest(scores, along, temperature)
    np.exp(exponential, exponential)
    exponential /= np.add.reduce(exponential, along, keepdims=True)
    return exponential
