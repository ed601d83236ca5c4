"""The one backend of this interpreter, and its kernels as awaitable functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from typing import Any

from kernels.webgpu.backend import Backend, Run
from kernels.webgpu.choice import Choice
from kernels.webgpu.table import KERNELS

BACKEND = Backend()

start = BACKEND.start
self_test = BACKEND.self_test
run = BACKEND.run
force = BACKEND.force
status = BACKEND.status


def tested() -> bool:
    """Whether there is a device now, and it passed the self-test."""
    return BACKEND.available and BACKEND.report is not None and BACKEND.report.passed


def say(key: str, detail: str = "") -> None:
    """Tell a notice of static/gpu/notices.js, unless it was told before."""
    BACKEND.glue.say(key, detail)


def last_run() -> Run | None:
    """What the newest call did."""
    return BACKEND.last


def choice() -> Choice:
    """What the self-test measured; without it NumPy is taken for everything."""
    return BACKEND.choice


def _awaitable(name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
    """The kernel ``name`` on the backend that its size asks for."""
    kernel = KERNELS[name].numpy

    @functools.wraps(kernel)
    async def on_either(*args: Any, backend: str | None = None, **kwargs: Any) -> Any:
        return await BACKEND.run(name, *args, backend=backend, **kwargs)

    return on_either


normalize = _awaitable("normalize")
layer_norm = _awaitable("layer_norm")
rms_norm = _awaitable("rms_norm")
group_norm = _awaitable("group_norm")
batch_norm = _awaitable("batch_norm")
softmax = _awaitable("softmax")
attention_scores = _awaitable("attention_scores")
layer_norm_backward = _awaitable("layer_norm_backward")
rms_norm_backward = _awaitable("rms_norm_backward")
moments = _awaitable("moments")
largest = _awaitable("largest")
sum_exp = _awaitable("sum_exp")
