"""The kernels as compute shaders: awaited like the NumPy ones, chosen by size, and checked.

    from kernels import webgpu

    await webgpu.self_test()                              # once, off the first interaction
    result = await webgpu.layer_norm(x, 768, weight, bias)   # NumPy or WebGPU, whichever is faster
    result = await webgpu.layer_norm(x, 768, backend="webgpu")
    webgpu.status()                                       # which one answered, its time, and why

Every name of `KERNELS` is such a function. Whatever the device does, the result is right: where it
is lost, full, or wrong in the self-test, NumPy answers and `on_notice` is told once, in words.
"""

from kernels.webgpu.api import (
    attention_scores,
    batch_norm,
    choice,
    force,
    group_norm,
    largest,
    last_run,
    layer_norm,
    layer_norm_backward,
    moments,
    normalize,
    rms_norm,
    rms_norm_backward,
    run,
    say,
    self_test,
    softmax,
    start,
    status,
    sum_exp,
    tested,
)
from kernels.webgpu.backend import MODES, Backend, Run
from kernels.webgpu.glue import GpuFailed, Notice
from kernels.webgpu.reductions import GroupMoments, SumExp
from kernels.webgpu.table import KERNELS
from kernels.webgpu.tensors import Scope, Tensor, scope
from kernels.webgpu.trial import Report

__all__ = [
    "KERNELS",
    "MODES",
    "Backend",
    "GpuFailed",
    "GroupMoments",
    "Notice",
    "Report",
    "Run",
    "Scope",
    "SumExp",
    "Tensor",
    "attention_scores",
    "batch_norm",
    "choice",
    "force",
    "group_norm",
    "largest",
    "last_run",
    "layer_norm",
    "layer_norm_backward",
    "moments",
    "normalize",
    "rms_norm",
    "rms_norm_backward",
    "run",
    "say",
    "scope",
    "self_test",
    "softmax",
    "start",
    "status",
    "sum_exp",
    "tested",
]
