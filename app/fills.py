"""Ways to fill a tensor, as a table; random ones come from a seed, so that a link repeats them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Fill = Callable[[tuple[int, ...], np.random.Generator], np.ndarray]


@dataclass(frozen=True)
class FillRow:
    """One way to fill: its name in `strings`, its rule, and whether a new seed changes it."""

    name: str
    fill: Fill
    seeded: bool = True


def _normal(shape: tuple[int, ...], random: np.random.Generator) -> np.ndarray:
    return np.round(random.standard_normal(shape), 2)


def _heavy(shape: tuple[int, ...], random: np.random.Generator) -> np.ndarray:
    """Student's t with 1.5 degrees of freedom: its variance does not exist."""
    return np.round(random.standard_t(1.5, shape), 2)


def _outlier(shape: tuple[int, ...], random: np.random.Generator) -> np.ndarray:
    values = _normal(shape, random)
    values.flat[int(random.integers(values.size))] = 100.0
    return values


def _constant_row(shape: tuple[int, ...], random: np.random.Generator) -> np.ndarray:
    values = _normal(shape, random)
    rows = values.reshape(-1, shape[-1])
    rows[int(random.integers(len(rows)))] = 3.0
    return values


def _near_duplicates(shape: tuple[int, ...], random: np.random.Generator) -> np.ndarray:
    """Every row the same up to a hundredth, as embeddings of nearly the same token are."""
    row = _normal(shape[-1:], random)
    return np.round(row + 0.01 * random.standard_normal(shape), 3)


def _padding(shape: tuple[int, ...], random: np.random.Generator) -> np.ndarray:
    """The later half of the second-last axis is zero, as padded tokens are."""
    values = _normal(shape, random)
    if len(shape) > 1:
        values[..., (shape[-2] + 1) // 2 :, :] = 0.0
    else:
        values[(shape[0] + 1) // 2 :] = 0.0
    return values


FILLS: dict[str, FillRow] = {
    "constant": FillRow("fill_constant", lambda shape, random: np.full(shape, 3.0), seeded=False),
    "arange": FillRow(
        "fill_arange",
        lambda shape, random: np.arange(np.prod(shape), dtype=np.float64).reshape(shape),
        seeded=False,
    ),
    "normal": FillRow("fill_normal", _normal),
    "heavy": FillRow("fill_heavy", _heavy),
    "outlier": FillRow("fill_outlier", _outlier),
    "constant_row": FillRow("fill_constant_row", _constant_row),
    "duplicates": FillRow("fill_duplicates", _near_duplicates),
    "padding": FillRow("fill_padding", _padding),
}


def filled(key: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """A tensor filled by a row of the table; the same key, shape and seed give the same numbers."""
    return FILLS[key].fill(shape, np.random.default_rng(seed))


def resized(values: np.ndarray, axis: int, size: int) -> np.ndarray:
    """An axis grown or shrunk in place: what stays keeps its number, what is new is seeded.

    A new cell's number depends on its place alone: shrinking and growing again gives it back.
    """
    old = values.shape[axis]
    if size <= old:
        return np.take(values, np.arange(size), axis=axis)
    shape = list(values.shape)
    shape[axis] = size - old
    new = [
        np.random.default_rng([axis, index]).standard_normal(values.size // old)
        for index in range(old, size)
    ]
    slab = np.moveaxis(
        np.round(np.array(new), 1).reshape(size - old, *_without(values, axis)), 0, axis
    )
    return np.concatenate([values, slab], axis=axis)


def _without(values: np.ndarray, axis: int) -> tuple[int, ...]:
    return values.shape[:axis] + values.shape[axis + 1 :]
