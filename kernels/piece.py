"""A piece of a large tensor: its arrays, and the steps of the formula on it."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from kernels.arguments import FloatArray
from kernels.statistics import Float64Array, needs_scaling

# Values in a piece, 3 MiB as float64. Smaller pieces pay more for the calls (30 to 60 µs a piece in
# WebAssembly), larger ones no longer fit the cache.
PIECE = 393_216

# NumPy's own buffer, in values, and a shorter one for rows that are longer than it.
_BUFFER, _SHORT_BUFFER = 8192, 512


@contextmanager
def rows_unbuffered(width: int) -> Iterator[None]:
    """Rows of ``width`` values, each combined with one number, without copies of that number.

    NumPy 2.4 gathers rows that are shorter than its buffer until they fill it, and for that writes
    the number out once a value: 1.1 of 3.2 ms for 3·10⁶ values in WebAssembly. Rows longer than
    the buffer are taken as they are; where they are so short that a loop of their own costs more
    than the copies, the buffer stays. The end of `np.errstate` brings the old buffer back.
    """
    with np.errstate():
        if _SHORT_BUFFER <= width < _BUFFER:
            np.setbufsize(_SHORT_BUFFER)
        yield


class Job(NamedTuple):
    """A tensor in standard form, or a part of it, and where its results go.

    The arrays broadcast to each other; statistics have one index along reduced axes.
    """

    x: FloatArray
    normalized: FloatArray
    output: FloatArray | None  # None without weight and bias: x̂ is the output
    mean: Float64Array
    square: Float64Array
    denominator: Float64Array
    weight: Float64Array | None
    bias: Float64Array | None

    def rows(self, start: int, stop: int) -> "Job":
        """The part between two indices of the first axis."""
        return Job._make(
            [array if array is None or array.shape[0] == 1 else array[start:stop] for array in self]
        )

    def at(self, index: int) -> "Job":
        """The part at one index of the first axis, which vanishes."""
        return Job._make(
            [None if array is None else array[index if len(array) > 1 else 0] for array in self]
        )


class Task(NamedTuple):
    """What is to be done to every piece, and where.

    Attributes:
        kinds: R for each reduced axis, K for each kept one.
        axes: the reduced axes.
        sums: `einsum`'s subscripts for Σx.
        squares: those for Σx².
        center: whether the mean is taken off.
        eps: ε.
        buffers: two pieces of float64 memory, which all pieces share; made when first asked for.
    """

    kinds: str
    axes: tuple[int, ...]
    sums: str
    squares: str
    center: bool
    eps: float
    buffers: list[Float64Array | None]

    def inner(self) -> "Task":
        """The task for what lies at one index of the first axis."""
        return task_of(self.kinds[1:], self.center, self.eps, self.buffers)

    def buffer(self, shape: tuple[int, ...], number: int = 0) -> Float64Array:
        """An uninitialized float64 array, the same memory for every piece."""
        memory = self.buffers[number]
        if memory is not None and memory.shape == shape:
            return memory
        size = math.prod(shape)
        if memory is None or memory.size < size:
            memory = self.buffers[number] = np.empty(shape)
            return memory
        return memory.reshape(-1)[:size].reshape(shape)

    def wide(self, x: FloatArray) -> Float64Array:
        """A float64 copy of x in buffer 0."""
        values = self.buffer(x.shape)
        np.copyto(values, x)
        return values


def task_of(kinds: str, center: bool, eps: float, buffers: list[Float64Array | None]) -> Task:
    """The task for axes of these kinds."""
    letters = "abcdefghijklmnopqrstuvwxyz"[: len(kinds)]
    kept = "".join(x for x, kind in zip(letters, kinds, strict=True) if kind == "K")
    axes = tuple(axis for axis, kind in enumerate(kinds) if kind == "R")
    sums, squares = f"{letters}->{kept}", f"{letters},{letters}->{kept}"
    return Task(kinds, axes, sums, squares, center, eps, buffers)


class OutOfRange(ArithmeticError):
    """A float64 square over- or underflowed: the tensor has to be scaled first."""


def sum_over(values: Float64Array, task: Task) -> Float64Array:
    """Σ over the reduced axes, which vanish.

    `einsum` adds one after the other; where the fast axis is reduced and long, pairwise summation
    keeps the error from growing.
    """
    total: Float64Array
    if task.kinds.endswith("R") and values.shape[-1] > 2048:
        total = np.add.reduce(values, task.axes)
    else:
        total = np.einsum(task.sums, values)
    return total


def sum_of_squares(values: Float64Array, task: Task) -> Float64Array:
    """Σ of squares over the reduced axes, which vanish."""
    total: Float64Array = np.einsum(task.squares, values, values)
    return total


def scaled(values: Float64Array, factor: Float64Array, task: Task) -> Float64Array:
    """``values`` times one factor a group, in place or in buffer 1."""
    if task.kinds == "KR" and values.shape[1] < _SHORT_BUFFER:
        return np.einsum("ab,a->ab", values, factor[:, 0], out=task.buffer(values.shape, 1))
    values *= factor
    return values


def times_rows(x: FloatArray, factor: FloatArray, out: FloatArray) -> FloatArray:
    """Each row of x times its number. For short rows `einsum` has the quicker loop."""
    if x.shape[1] < _SHORT_BUFFER:
        return np.einsum("ab,a->ab", x, factor, out=out)
    return np.multiply(x, factor[:, np.newaxis], out=out)


def set_denominator(job: Job, task: Task) -> None:
    """√(σ² + ε), unless squares left the range of float64."""
    if needs_scaling(job.x.dtype, job.square, task.eps):
        raise OutOfRange
    np.sqrt(job.square + task.eps, out=job.denominator)


def store(piece: Job, values: Float64Array) -> None:
    """Round x̂, and from the unrounded x̂ y."""
    np.copyto(piece.normalized, values, casting="same_kind")
    if piece.output is None:
        return
    if piece.weight is not None:
        values *= piece.weight
    if piece.bias is not None:
        values += piece.bias
    np.copyto(piece.output, values, casting="same_kind")


def far_from_zero(mean: Float64Array, square: Float64Array, dtype: np.dtype[Any]) -> bool:
    """Whether an offset costs some group digits that the type cannot spare.

    Then the mean has to be taken off a second time: float32 and float16 can spare the factor of 16
    in |μ|/σ, float64 cannot spare any.
    """
    harmless = 1.0 if dtype == np.float64 else 256.0
    return bool(np.any(np.square(mean) > harmless * square))
