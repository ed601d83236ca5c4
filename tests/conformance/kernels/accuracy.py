"""The worst error of each kernel over all hard inputs, in units in the last place of float32.

    python -m tests.conformance.kernels.accuracy

prints a row a kernel: the worst error, on small tensors and on large ones that go in pieces, and
the input that gave it. The goal is 4; `test_accuracy.py` holds the kernels to it.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

import kernels
from tests.conformance.kernels.hard_inputs import (
    HardInput,
    by_row,
    exact_log_softmax,
    exact_softmax,
    exact_standardized,
    hard_inputs,
    worst_ulps,
)

GOAL = 4.0
# Groups and values: small, and large enough to go in pieces, also in runs of 32 and 64 squares.
SIZES = {
    "small": (16, 48),
    "long": (4, 3000),
    "large": (300, 700),
    "runs of 32": (300, 480),
    "runs of 64": (180, 768),
}

Matrix = np.ndarray


class Measured(NamedTuple):
    """A kernel that normalizes the rows of a matrix, and its exact counterpart."""

    kernel: Callable[[Matrix, float], Matrix]
    exact: Callable[[Matrix, float], Matrix]


def _gain(rows: Matrix) -> tuple[Matrix, Matrix]:
    """A weight and a bias for the values of a row."""
    weight, bias = np.random.default_rng(1).standard_normal((2, rows.shape[1])).astype(np.float32)
    return weight, bias


def _layer_affine(rows: Matrix, eps: float) -> Matrix:
    weight, bias = _gain(rows)
    return kernels.layer_norm(rows, rows.shape[1], weight, bias, eps).output


def _layer_affine_exact(rows: Matrix, eps: float) -> Matrix:
    weight, bias = _gain(rows)
    return _centered(rows, eps) * weight + bias.astype(np.float64)


def _rms_affine(rows: Matrix, eps: float) -> Matrix:
    return kernels.rms_norm(rows, rows.shape[1], _gain(rows)[0], eps).output


def _batch_by_position(rows: Matrix, eps: float) -> Matrix:
    """Rows as the channels of ``[N, C, L]``, each spread over samples and positions."""
    channels = rows.reshape(len(rows), 4, -1).swapaxes(0, 1)
    output = kernels.batch_norm(channels, training=True, eps=eps).output
    return output.swapaxes(0, 1).reshape(rows.shape)


def _centered(rows: Matrix, eps: float) -> Matrix:
    return by_row(lambda row: exact_standardized(row, True, eps))(rows)


def _uncentered(rows: Matrix, eps: float) -> Matrix:
    return by_row(lambda row: exact_standardized(row, False, eps))(rows)


MEASURED: dict[str, Measured] = {
    "layer_norm": Measured(
        lambda rows, eps: kernels.layer_norm(rows, rows.shape[1], eps=eps).output, _centered
    ),
    "layer_norm, γ and β": Measured(_layer_affine, _layer_affine_exact),
    "rms_norm": Measured(
        lambda rows, eps: kernels.rms_norm(rows, rows.shape[1], eps=eps).output, _uncentered
    ),
    "rms_norm, γ": Measured(
        _rms_affine, lambda rows, eps: _uncentered(rows, eps) * _gain(rows)[0].astype(np.float64)
    ),
    "batch_norm [N,C]": Measured(
        lambda rows, eps: (
            kernels.batch_norm(np.ascontiguousarray(rows.T), training=True, eps=eps).output.T
        ),
        _centered,
    ),
    "batch_norm [N,C,L]": Measured(_batch_by_position, _centered),
    "group_norm": Measured(
        lambda rows, eps: kernels.group_norm(
            rows.reshape(1, -1, 4), len(rows), eps=eps
        ).output.reshape(rows.shape),
        _centered,
    ),
    "instance_norm": Measured(
        lambda rows, eps: kernels.instance_norm(rows[None], eps=eps).output[0], _centered
    ),
    "normalize, slow axis": Measured(
        lambda rows, eps: (
            kernels.normalize(np.ascontiguousarray(rows.T), 0, center=False, eps=eps).output.T
        ),
        _uncentered,
    ),
    "softmax": Measured(
        lambda rows, eps: kernels.softmax(rows), lambda rows, eps: by_row(exact_softmax)(rows)
    ),
    "log_softmax": Measured(
        lambda rows, eps: kernels.log_softmax(rows),
        lambda rows, eps: by_row(exact_log_softmax)(rows),
    ),
}


def errors(name: str) -> Iterator[tuple[str, HardInput, float]]:
    """Size, input and error of one kernel on everything hard."""
    measured = MEASURED[name]
    for size, (groups, values) in SIZES.items():
        for given in hard_inputs(groups, values):
            got = measured.kernel(given.rows, given.eps)
            yield size, given, worst_ulps(got, measured.exact(given.rows, given.eps))


def main() -> None:
    print(f"{'kernel':22} {'worst ulp':>9}  on")
    for name in MEASURED:
        size, given, worst = max(errors(name), key=lambda row: row[2])
        print(f"{name:22} {worst:9.2f}  {given.name}, {size}{'' if worst <= GOAL else '  MISSED'}")


if __name__ == "__main__":
    main()
