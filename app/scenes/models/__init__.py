"""Models: what published systems chose, side by side."""

from app.scenes.models.scene import ModelsScene

__all__ = ["ModelsScene"]
