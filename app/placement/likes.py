"""Stacks like published systems: the table of models as patches of this scene's state."""

from __future__ import annotations

from typing import Any

from kernels.model_table import MODELS
from kernels.models import Model

OWN = "own"  # settings like no system that was picked


def patch_of(model: Model) -> dict[str, Any] | None:
    """The fields that make the stack like a system; None where its choices are not published.

    Sizes, gain and seed stay as they are.
    """
    settings = model.stack_settings()
    if settings is None:
        return None
    return {
        "placement": settings["placement"],
        "placement_norm": settings["norm"],
        "placement_residual_scaling": settings["residual_scaling"],
        "placement_shared_layers": settings["shared_layers"],
        "placement_soft_cap": settings["soft_cap"] or 0.0,
        "placement_eps": settings.get("eps", 1e-5),
        "placement_qk_norm": settings.get("qk_norm", "none"),
        "placement_qk_norm_over_heads": settings.get("qk_norm_over_heads", False),
    }


LIKES: dict[str, dict[str, Any]] = {
    key: patch for key, model in MODELS.items() if (patch := patch_of(model)) is not None
}


def titles() -> dict[str, str]:
    """Name and year → key, in order of appearance."""
    return {f"{MODELS[key].name}, {MODELS[key].year}": key for key in LIKES}


def fitting(like: str, values: dict[str, Any]) -> str:
    """The system picked while the settings are still its own, else `OWN`."""
    patch = LIKES.get(like)
    same = patch is not None and all(values[name] == value for name, value in patch.items())
    return like if same else OWN
