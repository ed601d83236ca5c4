"""Matrix products as NumPy without BLAS does them fastest.

In WebAssembly `a @ b` runs a plain triple loop (2 to 3 GFLOP/s, and 0.65 when b is too large for
the cache), while `einsum` of two operands has vectorized inner loops: 4 to 5.5 GFLOP/s from
16×64×64 up to 16×1024×4096. Below that the call itself dominates and `@` is quicker, so the small
per-head products of attention stay with `@`. `tests/bench/stack` measures both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]


def project(x: Array, weight: Array) -> Array:
    """x [N, k] times weight [k, n]: [N, n]."""
    return np.einsum("nk,kj->nj", x, weight)


def project_back(gradient: Array, weight: Array) -> Array:
    """gradient [N, n] times the transpose of weight [k, n]: [N, k]."""
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

    def rms(self) -> float:
        """The root mean square of dL/dW's entries.

        For few rows it is had without the matrix: ‖xᵀg‖² is the sum of the entries of
        (x xᵀ) ∘ (g gᵀ), two N×N matrices.
        """
        rows, width = self.inputs.shape
        columns = self.gradient.shape[1]
        few_rows = rows * (width + columns) < width * columns
        squares = _sum_of_squares(self.inputs, self.gradient, few_rows)
        if not 1e-30 < squares < 1e30:
            # Gradients of 1e-25 have squares that float32 rounds to 0.
            wide = self.inputs.astype(np.float64), self.gradient.astype(np.float64)
            squares = _sum_of_squares(*wide, few_rows)
        # Rounding may leave a sum of cancelling terms a little below zero.
        return float(np.sqrt(np.maximum(squares, 0.0) / (width * columns)))


def _sum_of_squares(inputs: Array, gradient: Array, few_rows: bool) -> float:
    """‖inputsᵀ gradient‖²."""
    if few_rows:
        return float(np.vdot(_gram(inputs), _gram(gradient)))
    product = np.einsum("nk,nj->kj", inputs, gradient)
    return float(np.vdot(product, product))


def _gram(x: Array) -> Array:
    """x xᵀ for x [N, k]: [N, N]."""
    return np.einsum("nk,mk->nm", x, x)
