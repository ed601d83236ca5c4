"""The kernels that both backends compute: NumPy's function, and the device's call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import kernels
from kernels.webgpu import gradients, normalizers, reductions, scores
from kernels.webgpu.request import Request


@dataclass(frozen=True)
class DualKernel:
    """One row: a kernel by its two forms.

    Attributes:
        numpy: the kernel.
        request: the same call for the device; takes ``rounds`` before the kernel's arguments.
    """

    numpy: Callable[..., Any]
    request: Callable[..., Request]


KERNELS: dict[str, DualKernel] = {
    "normalize": DualKernel(kernels.normalize, normalizers.normalize),
    "layer_norm": DualKernel(kernels.layer_norm, normalizers.layer_norm),
    "rms_norm": DualKernel(kernels.rms_norm, normalizers.rms_norm),
    "group_norm": DualKernel(kernels.group_norm, normalizers.group_norm),
    "batch_norm": DualKernel(kernels.batch_norm, normalizers.batch_norm),
    "softmax": DualKernel(kernels.softmax, scores.softmax),
    "attention_scores": DualKernel(kernels.attention_scores, scores.attention_scores),
    "layer_norm_backward": DualKernel(kernels.layer_norm_backward, gradients.layer_norm_backward),
    "rms_norm_backward": DualKernel(kernels.rms_norm_backward, gradients.rms_norm_backward),
    "moments": DualKernel(reductions.moments, reductions.moments_request),
    "largest": DualKernel(reductions.largest, reductions.largest_request),
    "sum_exp": DualKernel(reductions.sum_exp, reductions.sum_exp_request),
}
