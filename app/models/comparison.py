"""Two systems side by side, and in what they differ."""

from __future__ import annotations

from dataclasses import dataclass

from app.models.columns import COMPARED
from kernels.model_table import MODELS


@dataclass(frozen=True)
class Line:
    """One choice of up to two systems."""

    title: str
    texts: tuple[str, ...]
    differs: bool


def compared(keys: tuple[str, ...]) -> list[Line]:
    """A line for each choice, of the systems by their keys."""
    models = [MODELS[key] for key in keys]
    lines = []
    for column in COMPARED:
        values = [column.read(model) for model in models]
        differs = len(values) == 2 and values[0] != values[1]
        lines.append(Line(column.title, tuple(column.written(m) for m in models), differs))
    return lines


def picked(before: tuple[str, ...], key: str) -> tuple[str, ...]:
    """The systems to compare after one was clicked: it goes, comes, or takes the second place."""
    if key in before:
        return tuple(other for other in before if other != key)
    return (*before[:1], key)
