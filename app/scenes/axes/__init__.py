"""Axes: which numbers share a statistic, and what that does to them."""

from app.scenes.axes.scene import AxesScene

__all__ = ["AxesScene"]
