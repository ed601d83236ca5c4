"""Inputs on which normalizers break, and the answers to many more digits than float32 has."""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np


class HardInput(NamedTuple):
    """A matrix whose rows are groups.

    Attributes:
        name: what is hard about it.
        rows: shape ``[groups, values]``.
        eps: an ε that neither hides the input nor is hidden by it.
    """

    name: str
    rows: np.ndarray
    eps: float = 1e-5


def hard_inputs(groups: int, values: int) -> Iterator[HardInput]:
    """Every kind, as float32 matrices of this size."""
    rng = np.random.default_rng(0)
    normal = rng.standard_normal((groups, values))
    heavy = np.exp(3 * normal) * np.sign(rng.standard_normal((groups, values)))
    outlier = normal.copy()
    outlier[:, 0] = 1e6
    last = normal.copy()
    last[:, -1] = -1e6
    kinds = {
        "N(0, 1)": (normal, 1e-5),
        "offset 10": (normal + 10, 1e-5),
        "offset -15": (normal - 15, 1e-5),
        "offset 17": (normal + 17, 1e-5),
        "offset 1e3": (normal + 1e3, 1e-5),
        "offset 1e6": (normal + 1e6, 1e-5),
        "offset -1e6": (normal - 1e6, 1e-5),
        "integers from 40000": (40000 + np.arange(groups * values).reshape(groups, -1) % 7, 1e-5),
        "times 1e30": (1e30 * normal, 1e-5),
        "times 1e-30": (1e-30 * normal, 1e-65),
        "subnormal": (1e-42 * normal, 1e-90),
        "near ε": (1e-3 * normal, 1e-5),
        "heavy tails": (heavy, 1e-5),
        "all positive, heavy": (np.exp(3 * normal), 1e-5),
        "first one huge": (outlier, 1e-5),
        "last one huge": (last, 1e-5),
        "offset 1e6, first one far off": (outlier + 1e6, 1e-5),
        "constant 0.1": (np.full((groups, values), 0.1), 1e-5),
        "constant 1e10": (np.full((groups, values), 1e10), 1e-5),
        "constant rows": (np.repeat(np.exp(normal[:, :1]), values, 1), 1e-5),
        "uniform": (rng.random((groups, values)), 1e-5),
    }
    for name, (rows, eps) in kinds.items():
        yield HardInput(name, rows.astype(np.float32), eps)


def exact_standardized(row: np.ndarray, center: bool, eps: float) -> np.ndarray:
    """x̂ of one group to 15 digits: sums are exact, and the mean is carried in two parts."""
    wide = row.astype(np.float64)
    count = len(wide)
    if not center:
        return wide / math.sqrt(math.fsum(wide * wide) / count + eps)
    high = math.fsum(wide) / count
    low = math.fsum([*wide, *[-high] * count]) / count
    deviation = (wide - high) - low
    return deviation / math.sqrt(math.fsum(deviation * deviation) / count + eps)


def exact_softmax(row: np.ndarray) -> np.ndarray:
    """Softmax of one row to 15 digits."""
    exponential = np.exp(row.astype(np.float64) - float(np.max(row)))
    return exponential / math.fsum(exponential)


def exact_log_softmax(row: np.ndarray) -> np.ndarray:
    """log-softmax of one row to 14 digits, also where it is close to 0."""
    below = row.astype(np.float64) - float(np.max(row))
    at_largest = below == 0
    rest = math.fsum(np.exp(below[~at_largest]))
    ties = int(at_largest.sum())
    return below - (math.log(ties) + math.log1p(rest / ties))


def by_row(
    function: Callable[[np.ndarray], np.ndarray],
) -> Callable[[np.ndarray], np.ndarray]:
    """``function`` of a row, for a matrix."""
    return lambda rows: np.array([function(row) for row in rows])


def worst_ulps(got: np.ndarray, wanted: np.ndarray) -> float:
    """The largest distance in units in the last place of the correctly rounded answer."""
    with np.errstate(over="ignore", under="ignore"):
        unit = np.spacing(np.abs(wanted.astype(got.dtype))).astype(np.float64)
    return float(np.max(np.abs(got.astype(np.float64) - wanted) / unit))
