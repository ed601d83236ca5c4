"""The scenes, one module and one row each."""

from app.scenes.axes import AxesScene
from app.scenes.precision import PrecisionScene
from app.scenes.scene import Scene

SCENES: dict[str, type[Scene]] = {
    "axes": AxesScene,
    "precision": PrecisionScene,
}

__all__ = ["SCENES", "Scene"]
