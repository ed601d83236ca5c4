"""What "like this system" means in the other scenes: patches of the state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app import fields
from app.softmax.presets import SOFTMAX_PRESETS
from kernels.models import Model

LIKE = "placement_like"  # the Placement scene's own choice of a system, by its key in the table


def in_placement(key: str) -> dict[str, Any] | None:
    """The Placement scene like a system; None where that scene has no such stack.

    The scene itself knows what the choice sets: placement, norm, ε, QK-norm and the rest. Depth,
    width, tokens and weights stay.
    """
    field = fields.FIELDS.get(LIKE)
    if field is None or key not in getattr(field.kind, "options", ()):
        return None
    return {"scene": "placement", LIKE: key}


def in_softmax(model: Model, state: Mapping[str, Any]) -> dict[str, Any] | None:
    """The Softmax scene like a system; None where its scores are not published.

    Vectors, scale and mask stay, but for a norm over all heads: with one head it could not be told
    from one over each, so vectors of two heads take their place.
    """
    vectors = state["softmax_vectors"].values
    head_dim = vectors.shape[1] // state["softmax_heads"]
    settings = model.score_settings(head_dim)
    if settings is None:
        return None
    patch: dict[str, Any] = {
        "scene": "softmax",
        "softmax_factor": None if model.score_scale == "1/√d" else settings.scale,
        "softmax_norm": settings.qk_norm or "off",
        "softmax_norm_over": "all_heads" if settings.over_all_heads else "head",
        "softmax_gains": None,
        "softmax_eps": settings.eps,
        "softmax_rope": settings.rope.order if settings.rope else "off",
        "softmax_cap": settings.soft_cap or 0.0,
        "softmax_cap_order": "before_mask",
        "softmax_temperature": 1.0,
    }
    if settings.over_all_heads and state["softmax_heads"] == 1:
        two_heads = SOFTMAX_PRESETS["over_heads"]
        patch |= {name: two_heads[name] for name in ("softmax_vectors", "softmax_heads")}
    return patch
