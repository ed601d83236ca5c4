"""The soft-cap: c·tanh(s/c), which keeps logits within ±c, and its gradient."""

import math

import numpy as np
import numpy.typing as npt

from kernels.arguments import FLOAT64, FloatArray, as_float_array, as_gradient, as_number


@np.errstate(over="ignore", under="ignore")
def soft_cap(s: npt.ArrayLike, cap: float) -> FloatArray:
    """c·tanh(s/c): s where it is small, never beyond ±c.

    Args:
        s: scores or logits.
        cap: c > 0, in the units of s. Gemma 2 has 50 for attention and 30 for the logits.

    Returns:
        Capped scores of the shape and type of s. Mathematically within (−c, c); in floating point
        ±c is reached, from |s|/c ≈ 19 on in float64 and ≈ 9 in float32.

    Raises:
        TypeError: s is not real numbers.
        ValueError: c is not positive and finite. (In ONNX and FlashAttention a field of 0 means
            "off"; here leave the soft-cap out.)

    Source: Gemma 2, arXiv 2408.00118, section 2 ("Logit soft-capping").
    """
    scores = as_float_array("s", s)
    bound = as_cap(cap)
    capped = scores.astype(FLOAT64)
    capped /= bound
    np.tanh(capped, capped)
    capped *= bound
    return capped.astype(scores.dtype)


def soft_cap_backward(grad_output: npt.ArrayLike, s: npt.ArrayLike, cap: float) -> FloatArray:
    """∂L/∂s = g·sech²(s/c), for g = ∂L/∂(c·tanh(s/c)).

    Args:
        grad_output: g, of the shape of s.
        s: the scores that went into `soft_cap`.
        cap: c > 0.

    Returns:
        The gradient, of the shape and type of s.

    Raises:
        TypeError: not real numbers.
        ValueError: shapes that differ; c is not positive and finite.

    Source: tanh' = sech² = 4·exp(−2|u|)/(1 + exp(−2|u|))², which unlike 1 − tanh² does not cancel.
    """
    scores = as_float_array("s", s)
    bound = as_cap(cap)
    gradient = as_gradient(grad_output, scores)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        decay = np.exp(-2.0 * np.abs(np.divide(scores, bound, dtype=np.float64)))
        gradient *= 4.0 * decay / np.square(1.0 + decay)
    return gradient.astype(scores.dtype, copy=False)


def as_cap(cap: float, name: str = "cap") -> float:
    """``cap`` as a float.

    Raises:
        ValueError: not positive and finite.
    """
    number = as_number(name, cap)
    if not (number > 0 and math.isfinite(number)):
        raise ValueError(f"{name}: expected a positive, finite number, got {number}")
    return number
