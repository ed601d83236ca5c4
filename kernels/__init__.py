"""The normalizers, exactly: pure NumPy, the same on CPython and in the browser."""

from kernels.normalization import NormResult, batch_norm, layer_norm, normalize, rms_norm

__all__ = ["NormResult", "batch_norm", "layer_norm", "normalize", "rms_norm"]
