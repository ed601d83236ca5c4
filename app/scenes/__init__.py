"""The scenes, one module and one row each, loaded when a person first goes there."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.scenes.scene import Scene

# The package below this one, and its class.
SCENES: dict[str, tuple[str, str]] = {
    "axes": ("axes", "AxesScene"),
    "batch": ("batch", "BatchScene"),
    "placement": ("placement", "PlacementScene"),
    "softmax": ("softmax", "SoftmaxScene"),
    "precision": ("precision", "PrecisionScene"),
    "models": ("models", "ModelsScene"),
}


def scene_class(key: str) -> Callable[[Any], Scene]:
    """The class of a scene: called with the application, it makes the scene."""
    package, name = SCENES[key]
    made: Callable[[Any], Scene] = getattr(importlib.import_module(f"app.scenes.{package}"), name)
    return made


__all__ = ["SCENES", "scene_class"]
