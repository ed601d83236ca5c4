"""The state of the Axes scene; its tensor is also what other scenes start from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app.fields import kinds
from app.fields.field import Field
from app.presets import DEFAULT_PRESET, PRESETS

FIELDS = (
    Field("tensor", "x", kinds.TensorKind(), PRESETS[DEFAULT_PRESET].tensor),
    Field("eps", "eps", kinds.Number(0.0, 1.0), 1e-5, deliberate=False),
    Field("compare", "n", kinds.Normalizers(), kinds.DEFAULT_NORMALIZERS),
    Field("selected", "sel", kinds.Integer(0, 2), 1),
    Field("cell", "cell", kinds.Indices(), (0, 1, 2), deliberate=False),
)


def fit(values: dict[str, Any], patch: Iterable[str]) -> None:
    """Keep fields that speak of one another consistent, in place."""
    tensor = values["tensor"]
    rank = tensor.values.ndim
    cell = values["cell"]
    if len(cell) != rank:
        if "cell" in patch and "tensor" not in patch:
            raise ValueError(f"cell: expected {rank} indices, got {list(cell)}")
        cell = (0,) * rank
    values["cell"] = tuple(
        min(index, size - 1) for index, size in zip(cell, tensor.values.shape, strict=True)
    )
    values["compare"] = tuple(
        kinds.fit_normalizer(item, tensor.layout, strict="compare" in patch)
        for item in values["compare"]
    )
