"""Softmax: what the scale of q and k does to attention, and what holds it back."""

from app.scenes.softmax.scene import SoftmaxScene

__all__ = ["SoftmaxScene"]
