"""The state of the Softmax scene: one query, its keys, and all that stands before the softmax."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from app.fields import kinds
from app.fields.field import Field
from app.fields.softmax_kinds import Factor, Gains, GainsKind, KeySet
from app.tensor import Tensor

MOST_KEYS = 8
MOST_HEADS = 8
MOST_WIDTH = 512  # heads · d_k
LEAST_SCALE, MOST_SCALE = 1e-3, 1e3

# The row of the query, then one row a key.
SEEDS_VECTORS = Tensor("[N,C]", np.array([[2.0, 1.0], [1.0, 0.0], [0.0, 1.0]]))

FIELDS = (
    Field("softmax_vectors", "sv", kinds.TensorKind(), SEEDS_VECTORS),
    Field("softmax_heads", "sh", kinds.Integer(1, MOST_HEADS), 1),
    Field("softmax_head", "shd", kinds.Integer(0, MOST_HEADS - 1), 0, silent=True),
    Field("softmax_scale", "sw", kinds.Number(LEAST_SCALE, MOST_SCALE), 1.0, deliberate=False),
    Field("softmax_factor", "sf", Factor(), 1.0),
    Field("softmax_norm", "sn", kinds.Choice("off", "rms", "layer", "l2"), "off"),
    Field("softmax_norm_over", "sno", kinds.Choice("head", "all_heads"), "head"),
    Field("softmax_gains", "sg", GainsKind(MOST_WIDTH), None),
    Field("softmax_eps", "se", kinds.Number(0.0, 1.0), 1e-6, deliberate=False),
    Field("softmax_rope", "sr", kinds.Choice("off", "norm_then_rope", "rope_then_norm"), "off"),
    Field("softmax_position", "sp", kinds.Integer(0, 4096), 1, deliberate=False),
    Field("softmax_cap", "sc", kinds.Number(0.0, 1000.0), 0.0, deliberate=False),
    Field("softmax_cap_order", "sco", kinds.Choice("before_mask", "after_mask"), "before_mask"),
    Field("softmax_temperature", "st", kinds.Number(0.01, 100.0), 1.0, deliberate=False),
    Field("softmax_masked", "sm", KeySet(MOST_KEYS), ()),
    Field("softmax_cell", "scl", kinds.Indices(), (0, 0), silent=True),
)


def fit(values: dict[str, Any], patch: Iterable[str]) -> None:
    """Keep vectors, heads, gains, mask and the current cell consistent, in place."""
    vectors = values["softmax_vectors"].values
    if vectors.ndim != 2 or not 2 <= len(vectors) <= 1 + MOST_KEYS or vectors.shape[1] > MOST_WIDTH:
        raise ValueError(
            f"softmax_vectors: expected a query and 1 to {MOST_KEYS} keys of up to {MOST_WIDTH} "
            f"features as rows, got shape {list(vectors.shape)}"
        )
    keys, width = len(vectors) - 1, vectors.shape[1]
    heads = values["softmax_heads"]
    if width % heads:
        if "softmax_heads" in patch:
            raise ValueError(f"softmax_heads: {width} features are not divisible by {heads} heads")
        heads = values["softmax_heads"] = 1
    values["softmax_head"] = min(values["softmax_head"], heads - 1)
    per_head = values["softmax_norm_over"] == "head"
    values["softmax_gains"] = fit_gains(
        values["softmax_gains"], width // heads if per_head else width
    )
    values["softmax_masked"] = tuple(key for key in values["softmax_masked"] if key < keys)
    cell = values["softmax_cell"] if len(values["softmax_cell"]) == 2 else (0, 0)
    values["softmax_cell"] = (min(cell[0], keys), min(cell[1], width - 1))


def fit_gains(gains: Gains | None, size: int) -> Gains | None:
    """Gains for so many features: cut, or filled up with ones."""
    if gains is None or len(gains[0]) == size:
        return gains
    query, key = (part[:size] + (1.0,) * (size - len(part)) for part in gains)
    return GainsKind(size).parse("softmax_gains", (query, key))
