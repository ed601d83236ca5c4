"""The table of the state: one module of rows a scene."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from app.fields import axes, batch, kinds, models, placement, precision, softmax
from app.fields.field import Field

# The scenes in the order of the header; a link may name each of them.
SCENE_KEYS = ("axes", "batch", "placement", "softmax", "precision", "models")

# Who computes: the faster one for each size, or one for everything it can.
BACKENDS = ("auto", "numpy", "webgpu")

MODULES = (axes, batch, placement, softmax, precision, models)

FIELDS: dict[str, Field] = {
    field.name: field
    for field in (
        Field("scene", "scene", kinds.Choice(*SCENE_KEYS), SCENE_KEYS[0]),
        Field("backend", "backend", kinds.Choice(*BACKENDS), BACKENDS[0]),
        *(field for module in MODULES for field in module.FIELDS),
    )
}

# Each keeps its module's fields consistent, in place, given the new values and the names set.
FITS: tuple[Callable[[dict[str, Any], Iterable[str]], None], ...] = tuple(
    module.fit for module in MODULES if hasattr(module, "fit")
)

__all__ = ["FIELDS", "FITS", "SCENE_KEYS"]
