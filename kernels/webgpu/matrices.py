"""How matrices lie in memory, as kernels/webgpu/common/matrix_params.wgsl wants it told."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class View:
    """Matrices inside a tensor: element (i, j) of matrix b, b numbered by two axes, lies at
    ``start`` + (b // inner)·``outer`` + (b % inner)·``inner_stride`` + i·``row`` + j·``column``.
    """

    outer: int
    inner_stride: int
    row: int
    column: int
    start: int = 0

    @property
    def transposed(self) -> View:
        """Rows and columns exchanged."""
        return View(self.outer, self.inner_stride, self.column, self.row, self.start)

    def fields(self, name: str) -> dict[str, int]:
        """The fields of operand ``name``: a, b or c."""
        return {
            f"{name}_start": self.start,
            f"{name}_outer": self.outer,
            f"{name}_inner": self.inner_stride,
            f"{name}_row": self.row,
            f"{name}_column": self.column,
        }


def plain(rows: int, columns: int) -> View:
    """A stack of row-major matrices."""
    return View(rows * columns, 0, columns, 1)


def product_of(
    a: Sequence[int], b: Sequence[int], *, transposed: bool = False
) -> tuple[tuple[int, ...], dict[str, float]]:
    """The shape of A·B, or A·Bᵀ, and the parameters of the kernel, for stacks of matrices.

    Raises:
        ValueError: shapes that do not fit.
    """
    inner = b[-1] if transposed else b[-2]
    if len(a) < 2 or len(b) < 2 or a[-1] != inner or tuple(a[:-2]) != tuple(b[:-2]):
        raise ValueError(f"a matrix product of shapes {tuple(a)} and {tuple(b)} does not exist")
    columns = b[-2] if transposed else b[-1]
    of_b = plain(b[-2], b[-1])
    params = parameters(
        math.prod(a[:-2]),
        (a[-2], a[-1], columns),
        plain(a[-2], a[-1]),
        of_b.transposed if transposed else of_b,
        plain(a[-2], columns),
    )
    return (*a[:-1], columns), params


def parameters(
    matrices: int, size: tuple[int, int, int], a: View, b: View, c: View, inner: int = 1
) -> dict[str, float]:
    """For ``matrices`` products of [m, k] and [k, n], ``size`` being (m, k, n)."""
    rows, depth, columns = size
    counts = {"matrices": matrices, "rows": rows, "depth": depth, "columns": columns}
    return {
        **counts,
        "inner": inner,
        "factor": 1.0,
        **a.fields("a"),
        **b.fields("b"),
        **c.fields("c"),
    }
