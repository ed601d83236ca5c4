"""The self-test: both backends on hard inputs, and both timed at three sizes.

WGSL lets a compiler reorder sums, flush subnormal numbers and assume that there are no NaN, and
some do. So nothing is taken for granted: what a device gets wrong here it is not asked again.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from kernels.webgpu.choice import KINDS, Timing
from kernels.webgpu.glue import Array, Glue
from kernels.webgpu.table import KERNELS

# Of the larger of the value and the spread of its group: the promise of the kernels is 2e-6.
ALLOWED = 4e-6

# How often a backend is timed at a size; the fastest counts.
REPETITIONS = 3

# Seconds a timing takes at least: a page that is not isolated has a clock of 0.1 ms.
LONG_ENOUGH = 2e-3

ROW = 256


@dataclass(frozen=True)
class Report:
    """What the self-test found.

    Attributes:
        differences: the largest difference from NumPy a kernel and input, relative as `ALLOWED`.
        timings: both backends at three sizes, by kind of call.
        failure: which kernel was wrong on what, empty where none was.
        milliseconds: how long it took.
    """

    differences: Mapping[str, float]
    timings: Mapping[str, list[Timing]]
    failure: str
    milliseconds: float

    @property
    def passed(self) -> bool:
        """Whether the device may be used."""
        return not self.failure

    @property
    def largest_difference(self) -> float:
        """Over all kernels and inputs."""
        return max(self.differences.values(), default=0.0)

    def as_json(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "passed": self.passed,
            "failure": self.failure,
            "largest_difference": self.largest_difference,
            "differences": dict(self.differences),
            "timings": {
                kind: [vars(timing) for timing in timings] for kind, timings in self.timings.items()
            },
            "milliseconds": self.milliseconds,
        }


async def self_test(glue: Glue) -> Report:
    """Compare and time; raises `GpuFailed` where the device does not answer at all."""
    start = perf_counter()
    await glue.warm_up()
    differences: dict[str, float] = {}
    failure = ""
    for name, (kernel, arguments) in checks().items():
        request = KERNELS[kernel].request(False, **arguments)
        got = await request.compute(glue)
        off = difference(got, KERNELS[kernel].numpy(**arguments))
        differences[name] = off
        if not off <= ALLOWED:
            failure = f"{name}: off by {off:.1e}"
            break
    timings = {} if failure else {kind: await timed(glue, kind) for kind in KINDS}
    return Report(differences, timings, failure, (perf_counter() - start) * 1000)


def hard_rows() -> Array:
    """Rows on which a wrong order of operations, a lost NaN or a wrong scale shows."""
    random = np.random.default_rng(0)
    noise = random.standard_normal((7, ROW))
    ramp = np.arange(ROW) * 1e-3
    spoilt = np.stack([noise[5], noise[6]])
    spoilt[0, 9], spoilt[1, 17] = np.nan, -np.inf
    rows = [
        noise[0],
        noise[1] + 1e6,
        1e4 + ramp,
        np.concatenate([[1e6], noise[2, 1:]]),
        noise[3] * 1e30,
        noise[4] * 1e-30,
        np.full(ROW, 1234.0),
        np.full(ROW, -3e30),
    ]
    return np.concatenate([np.stack(rows), spoilt]).astype(np.float32)


def checks() -> dict[str, tuple[str, dict[str, Any]]]:
    """What is compared: a name, the kernel, its arguments."""
    rows = hard_rows()
    columns = np.ascontiguousarray(rows.T)
    odd = np.ascontiguousarray(rows[:, : ROW - 3])
    ordinary, huge, tiny = rows[:1] * np.float32(3), rows[4:5], rows[5:6]
    weight = np.linspace(-2, 2, ROW, dtype=np.float32)
    logits = np.where(np.abs(rows) > 1e9, 0, rows).astype(np.float32)
    heads = rows[:1].reshape(2, 8, 16)
    backward = {"grad_output": ordinary, "x": ordinary, "normalized_shape": ROW, "weight": weight}
    return {
        "LayerNorm of rows": ("layer_norm", {"x": rows, "normalized_shape": ROW}),
        "LayerNorm with weight": (
            "layer_norm",
            {"x": ordinary, "normalized_shape": ROW, "weight": weight, "bias": weight},
        ),
        "LayerNorm of columns": ("normalize", {"x": columns, "axes": 0}),
        "LayerNorm of odd rows": ("normalize", {"x": odd, "axes": 1}),
        "RMSNorm of rows": ("rms_norm", {"x": rows, "normalized_shape": ROW, "eps": 1e-6}),
        "LayerNorm of tiny values": (
            "layer_norm",
            {"x": tiny, "normalized_shape": ROW, "eps": 0.0},
        ),
        "RMSNorm of huge values": ("rms_norm", {"x": huge, "normalized_shape": ROW, "eps": 0.0}),
        "moments": ("moments", {"x": rows, "axes": 1}),
        "softmax of rows": ("softmax", {"x": logits}),
        "softmax of columns": ("softmax", {"x": np.ascontiguousarray(logits.T), "axis": 0}),
        "gradient of LayerNorm": ("layer_norm_backward", backward),
        "attention scores": ("attention_scores", {"q": heads, "k": heads, "soft_cap": 5.0}),
    }


def difference(got: Any, right: Any) -> float:
    """The largest difference of all arrays of two results.

    A mean is compared beside the spread of its group, since values that cancel leave a small one.
    """
    if not isinstance(right, tuple):
        return array_difference(np.asarray(got), np.asarray(right))
    largest = 0.0
    for field, mine, theirs in zip(_names(right), got, right, strict=True):
        if isinstance(theirs, np.ndarray):
            variance = getattr(right, "variance", None) if field == "mean" else None
            spread = 0.0 if variance is None else np.sqrt(variance)
            largest = max(largest, array_difference(mine, theirs, spread))
    return largest


def _names(record: tuple[Any, ...]) -> tuple[str, ...]:
    """The fields of a record."""
    names: tuple[str, ...] = getattr(record, "_fields", ("",) * len(record))
    return names


def array_difference(got: Array, right: Array, spread: Array | float = 0.0) -> float:
    """Relative to the value, to ``spread`` beside it, and to 1 or the largest value.

    Infinite where NaN and infinities are not the same ones.
    """
    finite = np.isfinite(right)
    if got.shape != right.shape or not np.array_equal(got[~finite], right[~finite], equal_nan=True):
        return math.inf
    if not finite.any():
        return 0.0
    wide, exact = got[finite].astype(np.float64), right[finite].astype(np.float64)
    beside = np.maximum(min(1.0, float(np.abs(exact).max())), np.abs(exact))
    size = np.maximum(beside, np.broadcast_to(spread, right.shape)[finite])
    worst = float(np.max(np.abs(wide - exact) / np.where(size == 0, 1.0, size)))
    return math.inf if math.isnan(worst) else worst


async def timed(glue: Glue, kind: str) -> list[Timing]:
    """Both backends at the three sizes of a kind."""
    timings = []
    for size in KINDS[kind]:
        kernel, arguments = SAMPLES[kind](size)
        request = KERNELS[kernel].request(False, **arguments)
        numpy = webgpu = math.inf
        for _ in range(REPETITIONS):
            numpy = min(numpy, time_each(partial(KERNELS[kernel].numpy, **arguments)))
            webgpu = min(webgpu, await time_each_awaited(partial(request.compute, glue)))
        timings.append(Timing(size, numpy, webgpu))
    return timings


def time_each(call: Callable[[], object]) -> float:
    """Milliseconds of one call, of as many as a coarse clock needs."""
    start, calls = perf_counter(), 0
    while not calls or perf_counter() - start < LONG_ENOUGH:
        call()
        calls += 1
    return (perf_counter() - start) * 1000 / calls


async def time_each_awaited(call: Callable[[], Awaitable[object]]) -> float:
    """The same for calls that are awaited."""
    start, calls = perf_counter(), 0
    while not calls or perf_counter() - start < LONG_ENOUGH:
        await call()
        calls += 1
    return (perf_counter() - start) * 1000 / calls


def _rows(size: int) -> Array:
    random = np.random.default_rng(1)
    return random.standard_normal((size // ROW, ROW), dtype=np.float32)


def _heads(size: int) -> Array:
    """Matrices [T, d] whose scores take ``size`` products: T² · d with d = 64."""
    tokens = math.isqrt(size // 64)
    return np.random.default_rng(2).standard_normal((tokens, 64), dtype=np.float32)


SAMPLES: dict[str, Any] = {
    "normalize": lambda size: ("layer_norm", {"x": _rows(size), "normalized_shape": ROW}),
    "softmax": lambda size: ("softmax", {"x": _rows(size)}),
    "product": lambda size: ("attention_scores", {"q": _heads(size), "k": _heads(size)}),
}
