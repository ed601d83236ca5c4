"""What kernels are tried on: sizes at which they change their way of working, and hard values."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

Float32Array = npt.NDArray[np.float32]
Axes = tuple[int, ...]

# Lengths around every boundary of a plan: chunks of 4 and 16, lanes, tiles, parts of long groups.
LENGTHS = (
    1, 2, 3, 4, 5, 7, 16, 31, 32, 33, 48, 63, 64, 65, 100, 255, 256, 257, 1000, 1024, 1025,
    4095, 4096, 4097, 16384, 16385, 65535, 65536, 1 << 18,
)  # fmt: skip

# One of each kind: where another test takes all of them through the same plans.
SOME_LENGTHS = (1, 5, 64, 100, 257, 1024, 65536)

# More groups than one dimension of a dispatch can hold: 65535.
MANY_GROUPS = (65535, 65536, 70000)


def noise(shape: tuple[int, ...], seed: int = 0, offset: float = 0.0) -> Float32Array:
    """Normally distributed values around ``offset``."""
    return (np.random.default_rng(seed).standard_normal(shape) + offset).astype(np.float32)


def some_shapes_and_axes() -> Iterator[tuple[tuple[int, ...], Axes]]:
    """Rows and columns of some lengths, many groups, and all axes of one tensor of rank 4."""
    for length in SOME_LENGTHS:
        yield (3, length), (1,)
        yield (length, 12), (0,)
    yield (70000, 4), (1,)
    for size in range(1, 5):
        for axes in itertools.combinations(range(4), size):
            yield (4, 3, 5, 8), axes


def shapes_and_axes() -> Iterator[tuple[tuple[int, ...], Axes]]:
    """Rows and columns of every length, many groups, and all axes of tensors up to rank 4."""
    for length in LENGTHS:
        yield (3, length), (1,)
        yield (length, 5 if length > 4096 else 12), (0,)
    for groups in MANY_GROUPS:
        yield (groups, 3), (1,)
        yield (groups, 4), (1,)
        yield (2, groups), (0,)
    for shape in ((5,), (3, 8), (2, 3, 4), (3, 5, 7), (2, 3, 4, 5), (4, 3, 8, 16), (3, 1, 6, 1)):
        for size in range(1, len(shape) + 1):
            for axes in itertools.combinations(range(len(shape)), size):
                yield shape, axes


def hard_rows() -> dict[str, Float32Array]:
    """Rows of 1000 on which other libraries fail, by what is hard about them."""
    size = 1000
    rows: dict[str, Any] = {
        f"offset {offset:g}": noise((size,), 1, offset)
        for offset in (1.0, 1e2, 1e3, 1e4, 1e5, 1e6, -1e6)
    }
    rows |= {
        # burn#5607
        "ramp": 1e4 + np.arange(size) * 1e-3,
        "an outlier first": np.concatenate([[1e6], noise((size - 1,), 2)]),
        "an outlier in the middle": np.where(np.arange(size) == 517, 1e6, noise((size,), 3)),
        "huge": noise((size,), 4) * 1e30,
        "huge with an offset": noise((size,), 5, 100.0) * 1e34,
        "near the largest float32": noise((size,), 6).clip(-3, 3) * 1e38,
        "tiny": noise((size,), 7) * 1e-30,
        "tiny with an offset": noise((size,), 8, 1000.0) * 1e-32,
        "at the edge of the scales": noise((size,), 9) * 2.0**48,
        "at the other edge": noise((size,), 10) * 2.0**-31,
        "mostly zero": np.where(np.arange(size) % 97 == 0, 1.0, 0.0),
        "two values far apart": np.where(np.arange(size) % 2 == 0, 1e-3, 1e3),
        # mlx#2238: values near 1449
        "mlx 2238": 1449.0 + (np.arange(size) % 16) * 0.0625,
    }
    return {name: np.asarray(row, np.float32) for name, row in rows.items()}


def spoilt_rows() -> dict[str, Float32Array]:
    """Rows with NaN and infinities in them, of 100."""
    base = noise((100,), 11)
    rows = {}
    for name, values in {
        "nan": (np.nan,),
        "negative nan": (-np.nan,),
        "inf": (np.inf,),
        "-inf": (-np.inf,),
        "inf and -inf": (np.inf, -np.inf),
        "inf and nan": (np.inf, np.nan),
        "nan first": (np.nan,),
    }.items():
        row = base.copy()
        at = 0 if name == "nan first" else 40
        row[at : at + len(values)] = values
        rows[name] = row
    rows["nothing but inf"] = np.full(100, np.inf, np.float32)
    rows["nothing but -inf"] = np.full(100, -np.inf, np.float32)
    rows["nothing but nan"] = np.full(100, np.nan, np.float32)
    return rows


def constant_rows() -> Float32Array:
    """Rows of equal values, 1e38 to 1e-38 and both signs; and 0."""
    values = [0.0, 1.0, -1.0, 0.1, 1234.0, -1e6, 16777217.0, 1e10, 1e20, -1e30, 3e38, 1e-10, 1e-30]
    return np.repeat(np.array(values, np.float32)[:, None], 257, axis=1)
