"""What "like this system" means in the other scenes: patches of the state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app import fields
from app.softmax.presets import SOFTMAX_PRESETS
from kernels.models import Model

# What a system says of a stack, by the names of `Model.stack_settings`; in the state the fields of
# the Placement scene have these names after "placement_", the placement itself alone.
OF_A_STACK = (
    "norm",
    "eps",
    "residual_scaling",
    "shared_layers",
    "soft_cap",
    "qk_norm",
    "qk_norm_over_heads",
)


def in_placement(model: Model) -> dict[str, Any] | None:
    """The Placement scene like a system; None where its norm or place is not known.

    Depth, width, tokens and weights stay. A choice of which the source says nothing goes to its
    default, and one that the scene has no field for is left out.
    """
    settings = model.stack_settings()
    if settings is None or "placement" not in fields.SCENE_KEYS:
        return None
    patch: dict[str, Any] = {"scene": "placement", "placement": settings["placement"]}
    for name in OF_A_STACK:
        field = fields.FIELDS.get(f"placement_{name}")
        if field is not None:
            value = settings.get(name)
            patch[field.name] = field.default if value is None else value
    return patch


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
