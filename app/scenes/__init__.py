"""The scenes, one module and one row each."""

from app.scenes.axes import AxesScene
from app.scenes.batch import BatchScene
from app.scenes.scene import Scene

SCENES: dict[str, type[Scene]] = {
    "axes": AxesScene,
    "batch": BatchScene,
}

__all__ = ["SCENES", "Scene"]
