"""A tensor a person edits: named axes and float64 values."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernels.axes import LAYOUTS

MOST_CELLS = 2**20  # what a link or a script may ask for; files may be larger


@dataclass(frozen=True, eq=False)
class Tensor:
    """Values (float64, never changed in place) and the name of their layout in `LAYOUTS`."""

    layout: str
    values: np.ndarray

    def __post_init__(self) -> None:
        """Refuse a rank that does not fit the layout."""
        names = LAYOUTS[self.layout].axis_names
        if self.values.ndim != len(names):
            raise ValueError(
                f"tensor: layout {self.layout} has {len(names)} axes, "
                f"but the values have shape {list(self.values.shape)}"
            )
        self.values.flags.writeable = False

    def __eq__(self, other: object) -> bool:
        """Equal layout, shape and bits (NaN equals NaN: it is the same state)."""
        return (
            isinstance(other, Tensor)
            and self.layout == other.layout
            and self.values.shape == other.values.shape
            and np.array_equal(self.values, other.values, equal_nan=True)
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the axes, slowest first."""
        return LAYOUTS[self.layout].axis_names

    def replaced(self, flat: dict[int, float]) -> Tensor:
        """The tensor with some cells (by flat index) set anew."""
        values = self.values.copy()
        for index, value in flat.items():
            values.flat[index] = value
        return Tensor(self.layout, values)


def shape_text(shape: tuple[int, ...]) -> str:
    """[2, 3, 4]."""
    return f"[{', '.join(map(str, shape))}]"


def cell_names(names: tuple[str, ...]) -> list[str]:
    """How cells are called along each axis: b0, t1, f2 for [B,T,d]."""
    return [{"d": "f"}.get(name, name.lower()) for name in names]


def layout_of_rank(rank: int) -> str:
    """The layout of the table that has so many axes; three mean sequences, [B,T,d]."""
    for name, layout in LAYOUTS.items():
        if layout.ndim == rank and (rank != 3 or "T" in layout.axis_names):
            return name
    raise ValueError(f"tensor: rank 1 to 4 can be shown, not {rank}")


def parse_tensor(value: Any) -> Tensor:
    """A tensor from a script: {"layout": ..., "values": nested lists}, or nested lists alone."""
    if isinstance(value, Tensor):
        return value
    layout = None
    if isinstance(value, dict):
        unknown = set(value) - {"layout", "values"}
        if unknown or "values" not in value:
            raise ValueError(
                "tensor: expected the keys 'layout' and 'values', "
                f"got {', '.join(map(repr, sorted(value))) or 'none'}"
            )
        layout, value = value.get("layout"), value["values"]
    try:
        values = np.array(_with_numbers(value), dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"tensor: expected nested lists of numbers of equal length ({error})"
        ) from error
    if layout is None:
        layout = layout_of_rank(values.ndim)
    if layout not in LAYOUTS:
        raise ValueError(f"tensor: layout must be one of {', '.join(LAYOUTS)}, got {layout!r}")
    if not 0 < values.size <= MOST_CELLS:
        raise ValueError(f"tensor: expected 1 to {MOST_CELLS} values, got {values.size}")
    return Tensor(layout, values)


def _with_numbers(value: Any) -> Any:
    """Nested lists in which the words NaN, Infinity and -Infinity count: JSON lacks them."""
    if isinstance(value, list):
        return [_with_numbers(item) for item in value]
    if isinstance(value, str):
        if value in ("NaN", "Infinity", "-Infinity"):
            return float(value)
        raise ValueError(f"{value!r} is not a number")
    if value is None or isinstance(value, bool):
        raise ValueError(f"{value!r} is not a number")
    return value


def plain(value: Any, told: Callable[[str], Any] = str) -> Any:
    """A value as plain JSON: arrays as nested lists, NaN and infinities as words, or as `told`."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist(), told)
    if isinstance(value, np.generic):
        return plain(value.item(), told)
    if isinstance(value, float) and not math.isfinite(value):
        return told("NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity")
    if isinstance(value, dict):
        return {key: plain(item, told) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, told) for item in value]
    return value


class BadEntry(ValueError):
    """A typed or pasted text that is not a number, with the reason a person reads."""


def parse_entry(text: str) -> float:
    """One typed number; the words nan and inf count, since broken input is part of the subject."""
    word = text.strip().replace("−", "-")
    if not word:
        raise BadEntry("empty: type a number")
    lowered = word.lower().lstrip("+-")
    if lowered in ("nan", "inf", "infinity", "∞"):
        value = float("nan") if lowered == "nan" else math.inf
        return -value if word.startswith("-") else value
    try:
        value = float(word.replace("_", "x"))
    except ValueError:
        raise BadEntry(f"“{word[:24]}” is not a number") from None
    if math.isinf(value):
        raise BadEntry(f"{word[:24]} is beyond float64, whose largest is about 1.8e308")
    return value
