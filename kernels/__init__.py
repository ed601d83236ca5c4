"""The normalizers, exactly: pure NumPy, the same on CPython and in the browser."""

from kernels.attention import attention_probabilities, attention_scores, normalized_heads
from kernels.backward import (
    NormGrads,
    group_norm_backward,
    layer_norm_backward,
    normalize_backward,
    rms_norm_backward,
)
from kernels.batch_norm import batch_norm, instance_norm
from kernels.batch_norm_backward import batch_norm_backward, instance_norm_backward
from kernels.formula import NormResult
from kernels.normalization import group_norm, layer_norm, normalize, rms_norm
from kernels.precision import EmulatedMoments, emulate_moments, emulate_rms_norm, round_to
from kernels.residual import StackTrace, simulate_stack
from kernels.rope import Rope, rope_angles, rotate
from kernels.soft_cap import soft_cap, soft_cap_backward
from kernels.softmax import (
    entropy,
    log_softmax,
    log_softmax_backward,
    softmax,
    softmax_backward,
)
from kernels.sync_batch_norm import sync_batch_norm

__all__ = [
    "EmulatedMoments",
    "NormGrads",
    "NormResult",
    "Rope",
    "StackTrace",
    "attention_probabilities",
    "attention_scores",
    "batch_norm",
    "batch_norm_backward",
    "emulate_moments",
    "emulate_rms_norm",
    "entropy",
    "group_norm",
    "group_norm_backward",
    "instance_norm",
    "instance_norm_backward",
    "layer_norm",
    "layer_norm_backward",
    "log_softmax",
    "log_softmax_backward",
    "normalize",
    "normalize_backward",
    "normalized_heads",
    "rms_norm",
    "rms_norm_backward",
    "rope_angles",
    "rotate",
    "round_to",
    "simulate_stack",
    "soft_cap",
    "soft_cap_backward",
    "softmax",
    "softmax_backward",
    "sync_batch_norm",
]
