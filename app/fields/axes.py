"""The state of the Axes scene; its tensor is also what other scenes start from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app.fields import kinds
from app.fields.field import Field
from app.presets import DEFAULT_PRESET, PRESETS
from kernels.axes import LAYOUTS

FIELDS = (
    Field("tensor", "x", kinds.TensorKind(), PRESETS[DEFAULT_PRESET].tensor),
    Field("eps", "eps", kinds.Number(0.0, 1.0), 1e-5, deliberate=False),
    Field("compare", "n", kinds.Normalizers(), kinds.DEFAULT_NORMALIZERS),
    Field("selected", "sel", kinds.Integer(0, 2), 1),
    Field("cell", "cell", kinds.Indices(), (0, 1, 2), silent=True),
    Field("affine", "gb", kinds.AffineKind(), None),
    Field("fill_seed", "seed", kinds.Integer(0, 2**31 - 1), 7),
    Field("probe_add", "add", kinds.Number(-1e6, 1e6), 10.0, deliberate=False),
    Field("probe_multiply", "mul", kinds.Number(-1e6, 1e6), 2.0, deliberate=False),
)


def fit(values: dict[str, Any], patch: Iterable[str]) -> None:
    """Keep fields that speak of one another consistent, in place."""
    tensor = values["tensor"]
    channels = tensor.values.shape[LAYOUTS[tensor.layout].channel]
    affine = values["affine"]
    if affine is not None and len(affine[0]) != channels:
        if "affine" in patch and "tensor" not in patch:
            raise ValueError(f"affine: expected {channels} numbers each for γ and β")
        values["affine"] = tuple(
            tuple(part[:channels]) + (neutral,) * (channels - len(part))
            for part, neutral in zip(affine, (1.0, 0.0), strict=True)
        )
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
