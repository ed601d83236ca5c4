"""How long normalizers take on this device, size by size, in steps a page can live between."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from kernels.normalization import layer_norm, rms_norm

ROW = 256  # values that share a statistic; the smallest size is one row
EXPONENTS = range(8, 27)
RUNS = 5
LONGEST_S = 0.25  # a larger size is not begun when a call would hold the page for longer

Array = np.ndarray


class Measured(NamedTuple):
    """The medians of one size.

    Attributes:
        size: number of float32 values.
        seconds: by kernel.
        share: by kernel, of the bandwidth that copying the same values reached.
    """

    size: int
    seconds: dict[str, float]
    share: dict[str, float]


def textbook_layer(x: Array) -> Array:
    """(x − mean)/√(var + ε), as it is written in books."""
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + np.float32(1e-5))


def textbook_rms(x: Array) -> Array:
    """x/√(mean x² + ε), as it is written in books."""
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(1e-5))


KERNELS: dict[str, Callable[[Array], Array]] = {
    "textbook_layer": textbook_layer,
    "textbook_rms": textbook_rms,
    "layer": lambda x: layer_norm(x, ROW).output,
    "rms": lambda x: rms_norm(x, ROW, eps=1e-5).output,
}


def measure(exponents: Iterator[int] | range = EXPONENTS) -> Iterator[Measured | str | None]:
    """None after each single call, `Measured` after each size, and at the end why it ended.

    The end is "end", "memory:k" or "slow:k", where 2ᵏ is the size that was not measured. Runs of
    the kernels are interleaved, so that a busy moment falls on all of them.
    """
    slowest = 0.0
    for exponent in exponents:
        # Sizes double, and so does the time of what goes over memory.
        if slowest * 2 > LONGEST_S:
            yield f"slow:{exponent}"
            return
        try:
            x = np.random.default_rng(7).standard_normal((2**exponent // ROW, ROW), np.float32)
            target = np.empty_like(x)
            times: dict[str, list[float]] = {"copy": [], **{key: [] for key in KERNELS}}
            moved = {"copy": 2 * x.nbytes}
            for _ in range(RUNS):
                times["copy"].append(_timed(np.copyto, target, x)[0])
                yield None
                for key, kernel in KERNELS.items():
                    took, result = _timed(kernel, x)
                    times[key].append(took)
                    moved[key] = x.nbytes + result.nbytes
                    del result
                    yield None
        except MemoryError:
            yield f"memory:{exponent}"
            return
        seconds = {key: statistics.median(each) for key, each in times.items()}
        slowest = max(seconds.values())
        yield Measured(2**exponent, seconds, shares(seconds, moved))
    yield "end"


def shares(seconds: dict[str, float], moved: dict[str, int]) -> dict[str, float]:
    """Bytes of x and y a second, over the bytes a second that a copy moved."""
    copy = moved["copy"] / seconds["copy"]
    return {key: moved[key] / seconds[key] / copy for key in seconds}


def _timed(call: Callable[..., Any], *arrays: Array) -> tuple[float, Any]:
    """Seconds of one call, never 0 where the clock is coarse, and what it returned."""
    began = time.perf_counter()
    result = call(*arrays)
    return max(time.perf_counter() - began, 1e-7), result
