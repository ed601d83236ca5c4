"""Softmax of large tensors, piece by piece, and for float32 without subtracting the largest score.

exp is two thirds of softmax in WebAssembly: each value is a call into the C library, 8 ns in
float32 and 12 to 15 ns in float64. Searching the largest score, and subtracting it, are two more
passes. They are needed only where exp would leave the range, and whether it does is seen in Σ exp.
What is left is exp, Σ and a product: 0.77 of the textbook's time, of which exp has 0.65.
"""

import sys
from collections.abc import Callable

import numpy as np

from kernels.arguments import FloatArray
from kernels.piece import PIECE, rows_unbuffered, times_rows
from kernels.plan import plan
from kernels.statistics import Float64Array

# In WebAssembly NumPy calls musl's expf, which is off by 0.502 units in the last place at most. Its
# own vector code elsewhere is off by up to 2.52, too much for a quotient within four.
EXP_IS_ACCURATE = sys.platform == "emscripten"
# exp of the scores themselves is used where its sum lies in between. From 1 on, a probability below
# the range of float32 comes from an exp that is below it too, so that nothing is lost but what
# float32 cannot hold; and up to 2¹⁰⁰, 1/Σ keeps its digits.
_SMALLEST_SUM, _LARGEST_SUM = 1.0, 2.0**100
# Columns a piece has at least where the summed axis is the slow one.
_COLUMNS = 64


@np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore")
def softmax_in_pieces(
    x: FloatArray, along: int, temperature: float, exactly: Callable[..., Float64Array]
) -> FloatArray:
    """Softmax along one axis, in the type of x.

    Args:
        x: large, with at least two dimensions.
        along: the axis.
        temperature: T.
        exactly: softmax of a piece in float64, called with the piece, the axis and T.
    """
    form = plan(x, (along,))
    scores = form.tensor(x)
    output = np.empty(form.shape, x.dtype)
    reduced = form.kinds.find("R")
    if "K" not in form.kinds or reduced < 0:
        output[...] = exactly(scores.reshape(-1), 0, temperature).reshape(form.shape)
        return form.tensor_back(output)
    cut = form.kinds.index("K")
    in_float32 = EXP_IS_ACCURATE and x.dtype == np.float32 and temperature == 1.0
    step = max(1 if cut < reduced else _COLUMNS, PIECE * form.shape[cut] // x.size)
    with rows_unbuffered(form.shape[-1]):
        for start in range(0, form.shape[cut], step):
            piece = (slice(None),) * cut + (slice(start, start + step),)
            done = in_float32 and _of_float32(scores[piece], output[piece], reduced, form.kinds)
            if not done:
                output[piece] = exactly(scores[piece], reduced, temperature)
    return form.tensor_back(output)


def _of_float32(scores: FloatArray, output: FloatArray, reduced: int, kinds: str) -> bool:
    """exp(x)/Σ exp(x); False, with nothing done, where exp left the range."""
    exponential = np.exp(scores)
    # In float64: where one score dominates, rounding the partial sums would cost up to 5 units.
    if kinds == "KR":
        total = np.einsum("ab->a", exponential.astype(np.float64))
    else:
        total = np.add.reduce(exponential, reduced, np.float64, keepdims=True)
    if not np.all((total >= _SMALLEST_SUM) & (total <= _LARGEST_SUM)):
        return False
    reciprocal = (1.0 / total).astype(np.float32)
    if kinds == "KR":
        times_rows(exponential, reciprocal, output)
    else:
        np.multiply(exponential, reciprocal, out=output)
    return True
