"""What is timed, inside the Python that is timed. Needs NumPy and `kernels`, nothing else.

Times are seconds. The textbook and the kernel run in turn, and each number comes from all rounds.
"""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Callable
from statistics import median
from typing import Any, NamedTuple

import numpy as np

import kernels
from tests.bench.kernels import textbook
from tests.bench.kernels.passes import seconds_of_passes

LARGE = (4096, 768)
SMALL = (2, 3, 4)
# So many calls make one timing of a small tensor.
CALLS = 200

Array = np.ndarray


class Contest(NamedTuple):
    """A formula of the textbook and the kernel for it, called alike: with x, weight and bias."""

    textbook: Callable[..., Array]
    kernel: Callable[..., Array | kernels.NormResult]
    affine: bool = False


def _batch_norm(x: Array, weight: Array | None, bias: Array | None) -> kernels.NormResult:
    return kernels.batch_norm(x, None, None, weight, bias, True, channel_axis=-1)


def _batch_norm_evaluation(
    x: Array, weight: Array | None, bias: Array | None
) -> kernels.NormResult:
    mean, var = np.zeros(x.shape[-1], x.dtype), np.ones(x.shape[-1], x.dtype)
    return kernels.batch_norm(x, mean, var, channel_axis=-1)


def _layer_norm(x: Array, weight: Array | None, bias: Array | None) -> kernels.NormResult:
    return kernels.layer_norm(x, x.shape[-1], weight, bias)


def _rms_norm(x: Array, weight: Array | None, bias: Array | None) -> kernels.NormResult:
    return kernels.rms_norm(x, x.shape[-1], weight, 1e-5)


def _softmax(x: Array, weight: Array | None, bias: Array | None) -> Array:
    return kernels.softmax(x)


CONTESTS = {
    "layer_norm": Contest(textbook.layer_norm, _layer_norm),
    "layer_norm, γ and β": Contest(textbook.layer_norm, _layer_norm, affine=True),
    "rms_norm": Contest(textbook.rms_norm, _rms_norm),
    "rms_norm, γ": Contest(textbook.rms_norm, _rms_norm, affine=True),
    "batch_norm": Contest(textbook.batch_norm, _batch_norm),
    "batch_norm, γ and β": Contest(textbook.batch_norm, _batch_norm, affine=True),
    "softmax": Contest(textbook.softmax, _softmax),
}

# What is timed on small tensors only.
SMALL_CONTESTS = {
    "normalize": Contest(textbook.layer_norm, lambda x, w, b: kernels.normalize(x, -1)),
    "instance_norm": Contest(textbook.layer_norm, lambda x, w, b: kernels.instance_norm(x)),
    "group_norm": Contest(textbook.group_norm, lambda x, w, b: kernels.group_norm(x, 3)),
    "batch_norm, evaluation": Contest(textbook.batch_norm_evaluation, _batch_norm_evaluation),
    "log_softmax": Contest(textbook.log_softmax, lambda x, w, b: kernels.log_softmax(x)),
    "entropy": Contest(textbook.entropy, lambda x, w, b: kernels.entropy(np.abs(x))),
    "soft_cap": Contest(textbook.soft_cap, lambda x, w, b: kernels.soft_cap(x, 50.0)),
}


def inputs(shape: tuple[int, ...], affine: bool) -> tuple[Array, Array | None, Array | None]:
    """x, weight and bias in float32."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal(shape).astype(np.float32)
    if not affine:
        return x, None, None
    weight, bias = rng.standard_normal((2, shape[-1])).astype(np.float32)
    return x, weight, bias


def seconds(run: Callable[..., Any], arguments: tuple[Any, ...], times: int = 1) -> float:
    """The time of one call, of so many."""
    start = time.perf_counter()
    for _ in range(times):
        run(*arguments)
    return (time.perf_counter() - start) / times


def contest(name: str, shape: tuple[int, ...], rounds: int, times: int = 1) -> dict[str, Any]:
    """Median and least time of both."""
    row = CONTESTS[name] if name in CONTESTS else SMALL_CONTESTS[name]
    arguments = inputs(shape, row.affine)
    taken: dict[str, list[float]] = {"textbook": [], "kernel": []}
    for function in (row.textbook, row.kernel):
        seconds(function, arguments, 2 * times)
    for _ in range(rounds):
        taken["textbook"].append(seconds(row.textbook, arguments, times))
        taken["kernel"].append(seconds(row.kernel, arguments, times))
    return {who: {"median": median(times), "least": min(times)} for who, times in taken.items()}


def allocated(name: str) -> dict[str, float]:
    """The most memory in use during a call beside the result, in sizes of x.

    With weight and bias a kernel's result is two arrays: y, and x̂ from before.
    """
    row = CONTESTS[name]
    arguments = inputs(LARGE, row.affine)
    found = {}
    for who, function in (("textbook", row.textbook), ("kernel", row.kernel)):
        tracemalloc.start()
        result = function(*arguments)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        arrays = {id(array): array.nbytes for array in _tensors(result)}
        found[who] = (peak - sum(arrays.values())) / arguments[0].nbytes
    return found


def _tensors(result: Array | kernels.NormResult) -> list[Array]:
    """The arrays of the size of x in a result, the output first."""
    if isinstance(result, np.ndarray):
        return [result]
    return [result.output, result.normalized]


def worst_ulps(name: str) -> dict[str, float]:
    """The largest distance from the textbook's formula in float64, in units of the last place."""
    row = CONTESTS[name]
    arguments = inputs((512, 768), row.affine)
    wide = (None if value is None else value.astype(np.float64) for value in arguments)
    exact = row.textbook(*wide)
    unit = np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)
    results = {"textbook": row.textbook(*arguments), "kernel": row.kernel(*arguments)}
    return {
        who: float(np.max(np.abs(_tensors(got)[0].astype(np.float64) - exact) / unit))
        for who, got in results.items()
    }


def as_json(rounds: int) -> str:
    """All measurements."""
    return json.dumps(
        {
            "numpy": np.__version__,
            "large": {name: contest(name, LARGE, rounds) for name in CONTESTS},
            "passes": seconds_of_passes(LARGE, seconds, rounds),
            "small": {
                name: contest(name, SMALL, rounds, CALLS) for name in (*CONTESTS, *SMALL_CONTESTS)
            },
            "allocated": {name: allocated(name) for name in CONTESTS},
            "ulps": {name: worst_ulps(name) for name in CONTESTS},
        }
    )
