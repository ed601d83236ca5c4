"""Precision: what rounding does to mean and variance, and what a normalizer costs."""

from app.scenes.precision.scene import PrecisionScene

__all__ = ["PrecisionScene"]
