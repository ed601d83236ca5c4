"""Matrix products as NumPy without BLAS does them fastest.

In WebAssembly `a @ b` runs a plain triple loop (2 to 3 GFLOP/s, and 0.65 when b is too large for
the cache), while `einsum` of two operands has vectorized inner loops: 4 to 5.5 GFLOP/s from
16×64×64 up to 16×1024×4096. Below that the call itself dominates and `@` is quicker, so the small
per-head products of attention stay with `@`. `tests/bench/stack` measures both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]


SMALL = 1024  # entries of a weight up to which `@` is quicker


def project(x: Array, weight: Array) -> Array:
    """x [N, k] times weight [k, n]: [N, n]."""
    return x @ weight if weight.size <= SMALL else np.einsum("nk,kj->nj", x, weight)


def project_back(gradient: Array, weight: Array) -> Array:
    """gradient [N, n] times the transpose of weight [k, n]: [N, k]."""
    if weight.size <= SMALL:
        return gradient @ weight.T
    return np.einsum("nj,kj->nk", gradient, weight)


@dataclass(frozen=True, slots=True)
class WeightGradient:
    """The gradient of a matrix W [k, n] in y = x W, not multiplied out: xᵀ · dL/dy.

    inputs x [N, k]; gradient dL/dy [N, n].
    """

    inputs: Array
    gradient: Array

    def matrix(self) -> Array:
        """dL/dW [k, n]."""
        return np.einsum("nk,nj->kj", self.inputs, self.gradient)


def gradient_rms(weights: Sequence[WeightGradient]) -> NDArray[np.float64]:
    """The root mean square of dL/dW's entries [L], for the gradients of L matrices of one shape.

    For few rows it is had without the matrix: ‖xᵀg‖² is the sum of the entries of (x xᵀ) ∘ (g gᵀ),
    two N×N matrices.
    """
    inputs, gradients = (
        _together([getattr(one, name) for one in weights]) for name in ("inputs", "gradient")
    )
    rows, width = inputs.shape[1:]
    columns = gradients.shape[2]
    few_rows = rows * (width + columns) < width * columns
    squares = _sums_of_squares(inputs, gradients, few_rows)
    # Gradients of 1e-25 have squares that float32 rounds to 0.
    for one in np.flatnonzero(~((squares > 1e-30) & (squares < 1e30))):
        wide = inputs[one : one + 1].astype(np.float64), gradients[one : one + 1].astype(np.float64)
        squares[one] = _sums_of_squares(*wide, few_rows)[0]
    # Rounding may leave a sum of cancelling terms a little below zero.
    return np.sqrt(np.maximum(squares, 0.0) / (width * columns))


def _together(arrays: Sequence[Array]) -> Array:
    """Arrays of one shape on a new first axis; a single one is not copied."""
    return arrays[0][None] if len(arrays) == 1 else np.array(arrays)


def _sums_of_squares(inputs: Array, gradients: Array, few_rows: bool) -> NDArray[np.float64]:
    """‖inputsᵀ gradient‖² of each [L]."""
    if few_rows:
        sums = np.einsum("lnm,lnm->l", _gram(inputs), _gram(gradients))
    else:
        products = _product(inputs.swapaxes(1, 2), gradients)
        sums = np.einsum("lkj,lkj->l", products, products)
    return sums.astype(np.float64)


def _gram(x: Array) -> Array:
    """x xᵀ for x [L, N, k]: [L, N, N]."""
    return _product(x, x.swapaxes(1, 2))


def _product(a: Array, b: Array) -> Array:
    """a [L, m, k] times b [L, k, n]: [L, m, n]. Where there are several, they are small."""
    return a @ b if len(a) > 1 else np.einsum("mk,kn->mn", a[0], b[0])[None]
