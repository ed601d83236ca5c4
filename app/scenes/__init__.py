"""The scenes, one module and one row each."""

from app.scenes.axes import AxesScene
from app.scenes.batch import BatchScene
from app.scenes.models import ModelsScene
from app.scenes.placement import PlacementScene
from app.scenes.precision import PrecisionScene
from app.scenes.scene import Scene
from app.scenes.softmax import SoftmaxScene

SCENES: dict[str, type[Scene]] = {
    "axes": AxesScene,
    "batch": BatchScene,
    "placement": PlacementScene,
    "softmax": SoftmaxScene,
    "precision": PrecisionScene,
    "models": ModelsScene,
}

__all__ = ["SCENES", "Scene"]
