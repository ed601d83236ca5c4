"""The normalizers, exactly: pure NumPy, the same on CPython and in the browser."""

from kernels.batch_norm import batch_norm, instance_norm, sync_batch_norm
from kernels.formula import NormResult
from kernels.normalization import group_norm, layer_norm, normalize, rms_norm

__all__ = [
    "NormResult",
    "batch_norm",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "normalize",
    "rms_norm",
    "sync_batch_norm",
]
