"""The Placement scene: one deep stack on one set of weights, under every placement of its norms."""

from app.scenes.placement.scene import PlacementScene

__all__ = ["PlacementScene"]
