"""LayerNorm and RMSNorm over the last axis without γ and β, in the form the deep stack runs.

`kernels.normalization` answers for every shape, axis and type; a stack of 128 blocks calls these
some 500 times a pass, on float32 rows, so they keep only what the backward pass needs: the
normalized rows and one over the denominator. Their results agree with the public kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class NormalizedRows:
    """rows [..., d]: the normalized input; inverse [..., 1]: one over the denominator."""

    rows: Array
    inverse: Array


def _inverse_root(squares: Array, width: int, eps: float, dtype: np.dtype) -> Array:
    return (1.0 / np.sqrt(squares / width + eps)).astype(dtype)[..., None]


def _sum_of_squares(x: Array) -> Array:
    # In float64: a stream without norms may pass 1.8e19, whose square float32 cannot hold.
    wide = x.astype(np.float64, copy=False)
    return np.einsum("...d,...d->...", wide, wide)


def layer_norm_rows(x: Array, eps: float) -> NormalizedRows:
    """(x − μ) / √(σ² + ε) for each row of x [..., d], σ² with divisor d.

    Source: Ba, Kiros and Hinton 2016, Layer Normalization, equation 4, without gain and bias.
    """
    width = x.shape[-1]
    centred = x - np.add.reduce(x, axis=-1, keepdims=True) * x.dtype.type(1.0 / width)
    inverse = _inverse_root(_sum_of_squares(centred), width, eps, x.dtype)
    return NormalizedRows(np.multiply(centred, inverse, out=centred), inverse)


def rms_norm_rows(x: Array, eps: float) -> NormalizedRows:
    """x / √(mean(x²) + ε) for each row of x [..., d].

    Source: Zhang and Sennrich 2019, Root Mean Square Layer Normalization, equation 4, with ε.
    """
    inverse = _inverse_root(_sum_of_squares(x), x.shape[-1], eps, x.dtype)
    return NormalizedRows(x * inverse, inverse)


def layer_norm_rows_backward(gradient: Array, saved: NormalizedRows) -> Array:
    """dL/dx of `layer_norm_rows`: (g − mean(g) − x̂·mean(g·x̂)) / √(σ² + ε), row by row."""
    scale = gradient.dtype.type(1.0 / gradient.shape[-1])
    along = np.einsum("...d,...d->...", gradient, saved.rows)[..., None] * scale
    result = saved.rows * along
    np.subtract(gradient, result, out=result)
    result -= np.add.reduce(gradient, axis=-1, keepdims=True) * scale
    result *= saved.inverse
    return result


def rms_norm_rows_backward(gradient: Array, saved: NormalizedRows) -> Array:
    """dL/dx of `rms_norm_rows`: (g − x̂·mean(g·x̂)) / √(mean(x²) + ε), row by row."""
    scale = gradient.dtype.type(1.0 / gradient.shape[-1])
    along = np.einsum("...d,...d->...", gradient, saved.rows)[..., None] * scale
    result = saved.rows * along
    np.subtract(gradient, result, out=result)
    result *= saved.inverse
    return result


@dataclass(frozen=True, slots=True)
class RowNorm:
    """A normalizer of rows: its forward pass and its backward pass."""

    forward: Callable[[Array, float], NormalizedRows]
    backward: Callable[[Array, NormalizedRows], Array]


ROW_NORMS: dict[str, RowNorm] = {
    "layer_norm": RowNorm(layer_norm_rows, layer_norm_rows_backward),
    "rms_norm": RowNorm(rms_norm_rows, rms_norm_rows_backward),
}
