"""Groups that reach over several pieces: BatchNorm, or rows too long for the cache."""

import math
from typing import NamedTuple

import numpy as np

from kernels.arguments import FloatArray
from kernels.piece import (
    PIECE,
    Job,
    Task,
    far_from_zero,
    set_denominator,
    store,
    sum_of_squares,
    sum_over,
)
from kernels.statistics import Float64Array

# Values in a folded row at most: with its sums in float64 it still fits the first-level cache.
_FOLDED = 2048


def accumulate(job: Job, task: Task) -> None:
    """Groups that reach over several pieces: sums first, the formula in a second walk.

    The sums are those of x itself, and of x minus the first value of its group where the mean turns
    out to lie far from 0.
    """
    count = math.prod([job.x.shape[axis] for axis in task.axes])
    folds = _folds(job, task.kinds)
    subtract: list[Float64Array] = []
    offset, square = _moments(job, task, folds, count, subtract)
    if task.center and far_from_zero(offset, square, job.x.dtype):
        first = tuple(slice(0, 1) if kind == "R" else slice(None) for kind in task.kinds)
        subtract = [job.x[first].astype(np.float64)]
        offset, square = _moments(job, task, folds, count, subtract)
    if task.center:
        subtract = [*subtract, offset]
        np.sum(subtract, axis=0, out=job.mean)
    job.square[...] = square
    set_denominator(job, task)
    finish = _finish_in_float32 if len(subtract) == 1 and _fits_float32(job) else _finish
    for fold in folds:
        moved = [fold.of_statistic(statistic) for statistic in subtract]
        finish(fold.of_job(job), task, fold.step, moved, fold.of_statistic(1.0 / job.denominator))


def _moments(
    job: Job, task: Task, folds: list["Fold"], count: int, shift: list[Float64Array]
) -> tuple[Float64Array, Float64Array]:
    """E[x − shift] and the variance, or 0 and E[x²] without a mean; dimensions kept.

    ``shift`` is empty or has one entry.
    """
    total, squares = np.zeros(job.square.shape), np.zeros(job.square.shape)
    for fold in folds:
        rows, moved = fold.of_tensor(job.x), [fold.of_statistic(value) for value in shift]
        sum_of_fold = squares_of_fold = np.zeros(())
        for start in range(0, len(rows), fold.step):
            values = task.wide(rows[start : start + fold.step])
            for statistic in moved:
                values -= statistic
            if task.center:
                sum_of_fold = sum_of_fold + sum_over(values, task)
            squares_of_fold = squares_of_fold + sum_of_squares(values, task)
        if task.center:
            total += fold.unfold(sum_of_fold, total.shape)
        squares += fold.unfold(squares_of_fold, squares.shape)
    offset = total / count
    return offset, np.maximum(squares / count - np.square(offset), 0.0)


def _finish(
    job: Job, task: Task, step: int, subtract: list[Float64Array], reciprocal: Float64Array
) -> None:
    """(x − what is to be subtracted)/√(σ² + ε), and from that y, in float64."""
    for start in range(0, len(job.x), step):
        piece = job.rows(start, start + step)
        values = task.wide(piece.x)
        for statistic in subtract:
            values -= statistic
        values *= reciprocal
        store(piece, values)


def _finish_in_float32(
    job: Job, task: Task, step: int, subtract: list[Float64Array], reciprocal: Float64Array
) -> None:
    """((x − h) − l)/√(σ² + ε), where h + l is the mean, in three float32 operations.

    x − h is exact where x is within a factor of two of h, and elsewhere far from 0: so each result
    carries four roundings and no cancellation.
    """
    (mean,) = subtract
    high = mean.astype(np.float32)
    low = (mean - high).astype(np.float32)
    factor = reciprocal.astype(np.float32)
    for start in range(0, len(job.x), step):
        piece = job.normalized[start : start + step]
        np.subtract(job.x[start : start + step], high, out=piece)
        np.subtract(piece, low, out=piece)
        np.multiply(piece, factor, out=piece)


class Fold(NamedTuple):
    """Rows of a tensor, several of them read as one: a long inner loop costs less than many.

    Attributes:
        start: the first row.
        stop: one past the last.
        rows: how many are read as one.
        step: rows, after folding, in a piece.
    """

    start: int
    stop: int
    rows: int
    step: int

    def of_tensor(self, x: FloatArray) -> FloatArray:
        """The folded rows: a view."""
        part = x[self.start : self.stop]
        return part.reshape(len(part) // self.rows, -1) if self.rows > 1 else part

    def of_statistic(self, value: Float64Array) -> Float64Array:
        """A statistic or parameter of one row, repeated for all rows read as one."""
        return np.concatenate([value] * self.rows, axis=-1) if self.rows > 1 else value

    def of_job(self, job: Job) -> Job:
        """A job of the folded rows; its statistics stay as they are."""
        return job._replace(
            x=self.of_tensor(job.x),
            normalized=self.of_tensor(job.normalized),
            output=None if job.output is None else self.of_tensor(job.output),
            weight=None if job.weight is None else self.of_statistic(job.weight),
            bias=None if job.bias is None else self.of_statistic(job.bias),
        )

    def unfold(self, sums: Float64Array, shape: tuple[int, ...]) -> Float64Array:
        """Sums over folded rows as sums over the rows themselves, in a statistic's shape."""
        unfolded: Float64Array = np.add.reduce(sums.reshape(self.rows, -1), 0)
        return unfolded.reshape(shape)


def _folds(job: Job, kinds: str) -> list[Fold]:
    """All rows, folded as far as they are few values wide and lie in one piece."""
    count, width = len(job.x), math.prod(job.x.shape[1:])
    step = max(1, PIECE // max(width, 1))
    # A power of two: sizes of batches are often divisible by one.
    rows = 1 << (_FOLDED // max(width, 1)).bit_length() >> 1
    differ = any(array is not None and array.shape[0] > 1 for array in (job.weight, job.bias))
    if kinds != "RK" or differ or not job.x.flags.c_contiguous or not 2 <= rows <= count:
        return [Fold(0, count, 1, step)]
    even = count - count % rows
    folded = Fold(0, even, rows, max(1, step // rows))
    return [folded] if even == count else [folded, Fold(even, count, 1, step)]


def _fits_float32(job: Job) -> bool:
    """Whether `_finish_in_float32` is exact enough, and wanted: float32, and no weight or bias."""
    if job.x.dtype != np.float32 or job.output is not None:
        return False
    return bool(np.all((job.denominator > 1e-25) & (job.denominator < 1e25)))
