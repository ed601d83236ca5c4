"""What a kernel's passes alone take: its time without the calls and the memory between them.

A pass is one NumPy operation over all values. The kernels make those below, fewer than which have
not been found for a result within 4 units in the last place; what a kernel takes beyond them is its
overhead. Every pass runs over a piece in the cache, and its time is that for all values.
"""

from collections.abc import Callable

import numpy as np

from kernels.piece import PIECE, rows_unbuffered

Pass = Callable[[], object]

# RMSNorm takes no mean; squares in float32 are enough for it. BatchNorm walks twice: sums, then x̂.
_CENTERED = ("cast", "sum of rows", "minus", "squares of rows", "times", "round")
_COLUMNS = ("cast", "sum of columns", "squares of columns")
_AFFINE = ("times γ", "plus β", "round")

PASSES: dict[str, tuple[str, ...]] = {
    "layer_norm": _CENTERED,
    "layer_norm, γ and β": (*_CENTERED, *_AFFINE),
    "rms_norm": ("squares in runs", "times in float32"),
    "rms_norm, γ": ("squares in runs", "times in float32", "times γ in float32"),
    "batch_norm": (*_COLUMNS, *("minus columns in float32",) * 2, "times γ in float32"),
    "batch_norm, γ and β": (*_COLUMNS, "cast", "plus β", "times γ", "round", *_AFFINE),
    "softmax": ("exp", "cast", "sum of rows", "times in float32"),
}


def seconds_of_passes(
    shape: tuple[int, int], seconds: Callable[[Pass, tuple[()]], float], rounds: int
) -> dict[str, float]:
    """The least time of each kernel's passes, and of exp, over a float32 tensor of ``shape``."""
    rows = PIECE // shape[1]
    with rows_unbuffered(shape[1]):
        passes = _passes(rows, shape[1])
        least = {
            name: min(seconds(run, ()) for _ in range(rounds)) * shape[0] / rows
            for name, run in passes.items()
        }
    of_kernels = {name: sum(map(least.__getitem__, names)) for name, names in PASSES.items()}
    return of_kernels | {"exp": least["exp"]}


def _passes(rows: int, width: int) -> dict[str, Pass]:
    """Every pass over one piece, as the kernels make it."""
    x = np.random.default_rng(0).standard_normal((rows, width)).astype(np.float32)
    wide, out, single = x.astype(np.float64), np.empty_like(x), x.copy()
    runs = x.reshape(rows, width // 64, 64)
    folded, of_row, of_column = wide.reshape(-1, 2 * width), np.ones((rows, 1)), np.ones(width)
    row32, column32 = of_row.astype(np.float32), of_column.astype(np.float32)
    return {
        "cast": lambda: np.copyto(wide, x),
        "round": lambda: np.copyto(out, wide, casting="same_kind"),
        "sum of rows": lambda: np.einsum("ab->a", wide),
        "squares of rows": lambda: np.einsum("ab,ab->a", wide, wide),
        "sum of columns": lambda: np.einsum("ab->b", folded),
        "squares of columns": lambda: np.einsum("ab,ab->b", folded, folded),
        "squares in runs": lambda: np.einsum("abc,abc->ba", runs, runs),
        "minus": lambda: np.subtract(wide, 0 * of_row, out=wide),
        "times": lambda: np.multiply(wide, of_row, out=wide),
        "times γ": lambda: np.multiply(wide, of_column, out=wide),
        "plus β": lambda: np.add(wide, 0 * of_column, out=wide),
        "times in float32": lambda: np.multiply(x, row32, out=out),
        "times γ in float32": lambda: np.multiply(x, column32, out=out),
        "minus columns in float32": lambda: np.subtract(single, 0 * column32, out=single),
        "exp": lambda: np.exp(x, out=out),
    }
