"""The formula on large tensors, piece by piece, so that all passes but the first read the cache.

Written for NumPy in WebAssembly, which has no SIMD: a pass costs 0.4 to 1 ns a value, and each one
that is left out, or that need not go to memory, shows. Measured there (Pyodide 314, 3·10⁶ values):
a cast 1.4 ms, `einsum` of a sum of squares 1.2 ms, a product or difference in place 2.0 to 3.2 ms.
`np.var` is four such passes, most of them through memory. What a kernel's passes alone come to
stands in the report of ``build.py bench kernels``.

The tensor is first brought into standard form (`kernels.plan`): LayerNorm is KR there, a kept axis
and a reduced one, and BatchNorm is RK or RKR, whatever the rank was.
"""

import math

import numpy as np

from kernels.arguments import FloatArray
from kernels.piece import (
    PIECE,
    Job,
    OutOfRange,
    Task,
    far_from_zero,
    rows_unbuffered,
    scaled,
    set_denominator,
    store,
    sum_of_squares,
    sum_over,
    task_of,
    times_rows,
)
from kernels.plan import plan
from kernels.spread_groups import accumulate
from kernels.statistics import Float64Array, Standardized

# From this many values on, a tensor is cut up.
LARGE = 1 << 17
# Runs of squares that a row of float32 has at least, so that their roundings even out.
_RUNS = 9


def standardize_in_pieces(
    x: FloatArray,
    axes: tuple[int, ...],
    center: bool,
    eps: float,
    weight: Float64Array | None,
    bias: Float64Array | None,
) -> tuple[FloatArray, FloatArray, Standardized] | None:
    """y, x̂ and the statistics, like `kernels.statistics.standardize` but rounded to the type of x.

    Beside the results, one piece in float64 is all that is allocated. The field ``normalized`` of
    the statistics is empty. None when squares leave the range of float64.
    """
    weight, bias = (_of_rank(x.ndim, parameter) for parameter in (weight, bias))
    form = plan(x, axes, weight, bias)
    normalized = np.empty(form.shape, x.dtype)
    output = None if weight is None and bias is None else np.empty(form.shape, x.dtype)
    mean, square, denominator = (np.empty(form.statistic_shape()) for _ in range(3))
    job = Job(
        form.tensor(x),
        normalized,
        output,
        mean,
        square,
        denominator,
        None if weight is None else form.parameter(weight, 0),
        None if bias is None else form.parameter(bias, 1),
    )
    try:
        with rows_unbuffered(form.shape[-1] if form.shape else 0):
            _run(job, task_of(form.kinds, center, eps, [None, None]))
    except OutOfRange:
        return None
    mean, square, denominator = (
        form.statistic_back(statistic, axes) for statistic in (mean, square, denominator)
    )
    back = form.tensor_back(normalized)
    return (
        back if output is None else form.tensor_back(output),
        back,
        Standardized(
            np.empty(0),
            mean if center else None,
            square if center else None,
            square + np.square(mean) if center else square,
            denominator,
        ),
    )


def _of_rank(ndim: int, parameter: Float64Array | None) -> Float64Array | None:
    """A parameter with leading axes of 1 put before its own."""
    if parameter is None:
        return None
    return parameter.reshape((1,) * (ndim - parameter.ndim) + parameter.shape)


def _run(job: Job, task: Task) -> None:
    """Cut along the first axis: independent groups if it is kept, partial sums if it is reduced."""
    if task.kinds.startswith("R"):
        accumulate(job, task)
        return
    size = math.prod(job.x.shape[1:])
    if size > PIECE and "R" in task.kinds:
        for index in range(len(job.x)):
            _run(job.at(index), task.inner())
        return
    in_float32 = not task.center and _can_stay_in_float32(job, task)
    step = max(1, (2 * PIECE if in_float32 else PIECE) // max(size, 1))
    starts = range(0, len(job.x), step)
    count = math.prod([job.x.shape[axis] for axis in task.axes])
    # float64 has no digits to spare; for the other types it is found out afterwards.
    twice = job.x.dtype == np.float64
    for start in starts:
        piece = job.rows(start, start + step)
        if not (in_float32 and _rows_in_float32(piece, task)):
            _whole_groups(piece, task, count, twice)
    if task.center and not twice and far_from_zero(job.mean, job.square, job.x.dtype):
        for start in starts:
            piece = job.rows(start, start + step)
            if far_from_zero(piece.mean, piece.square, job.x.dtype):
                _whole_groups(piece, task, count, twice=True)


def _whole_groups(piece: Job, task: Task, count: int, twice: bool) -> None:
    """A piece that holds its groups from end to end.

    ``twice``: after the mean take off the mean of what is left, which is the rounding error of the
    first; see `kernels.statistics`.
    """
    values = task.wide(piece.x)
    mean, square = piece.mean, piece.square
    if task.center:
        np.divide(sum_over(values, task).reshape(mean.shape), count, out=mean)
        values -= mean
        if twice:
            correction = np.add.reduce(values, task.axes, keepdims=True)
            correction /= count
            values -= correction
            np.add(mean, correction, out=mean, where=correction == correction)
    np.divide(sum_of_squares(values, task).reshape(square.shape), count, out=square)
    set_denominator(piece, task)
    store(piece, scaled(values, 1.0 / piece.denominator, task))


def _can_stay_in_float32(job: Job, task: Task) -> bool:
    """Whether this is RMSNorm of float32 rows with a weight, if any, that float32 can hold."""
    if task.kinds != "KR" or job.x.dtype != np.float32 or job.bias is not None:
        return False
    return job.weight is None or bool(np.max(np.abs(job.weight)) < 1e38)


def _rows_in_float32(piece: Job, task: Task) -> bool:
    """RMSNorm of rows in float32, of which each result has few roundings.

    False, with nothing done, where squares come near the ends of the range of float32.
    """
    square = _mean_squares_by_runs(piece.x)
    if square is None:
        values = task.wide(piece.x)
        square = sum_of_squares(values, task)
        square /= piece.x.shape[1]
    if not (np.minimum.reduce(square) > 1e-25 and np.maximum.reduce(square) < 1e30):
        return False
    piece.square[:, 0] = square
    set_denominator(piece, task)
    reciprocal = (1.0 / piece.denominator[:, 0]).astype(np.float32)
    times_rows(piece.x, reciprocal, piece.normalized)
    if piece.output is not None and piece.weight is not None:
        np.multiply(piece.normalized, piece.weight.astype(np.float32), out=piece.output)
    return True


def _mean_squares_by_runs(x: FloatArray) -> Float64Array | None:
    """E[x²] of float32 rows: runs of squares in float32, four at a time, the rest in float64.

    A run of 64 has 19 roundings at most. Where the runs differ a little they even out, and the
    square root halves what is left: a unit of rounding. They would show where a few runs outweigh
    the others, and where all are alike, as in a constant row. None then, and for rows that do not
    consist of enough such runs.
    """
    rows, count = x.shape
    length = 64 if count >= 768 and count % 64 == 0 else 32
    runs = count // length
    if count % length or runs < _RUNS:
        return None
    cut = x.reshape(rows, runs, length)
    # Rows along the fast axis: reductions over a short one are all overhead.
    squares = np.einsum("abc,abc->ba", cut, cut).astype(np.float64)
    square: Float64Array = np.einsum("ab->b", squares)
    # 1 where all runs are alike, and the number of runs where one has everything.
    spread = runs * np.einsum("ab,ab->b", squares, squares) / np.square(square)
    if not (np.minimum.reduce(spread) > 1 + 1e-9 and np.maximum.reduce(spread) < 1.5):
        return None
    square /= count
    return square
