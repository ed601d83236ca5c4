"""The scenes, one module and one row each."""

from app.scenes.axes import AxesScene
from app.scenes.placement import PlacementScene
from app.scenes.scene import Scene

SCENES: dict[str, type[Scene]] = {
    "axes": AxesScene,
    "placement": PlacementScene,
}

__all__ = ["SCENES", "Scene"]
