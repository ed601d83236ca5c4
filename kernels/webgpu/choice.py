"""Which backend is faster for a call of some size, from times measured on this very device."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

# What a call may cost like, with the sizes at which both backends are timed: values, or products.
KINDS: dict[str, tuple[int, int, int]] = {
    "normalize": (1 << 10, 1 << 15, 1 << 20),
    "softmax": (1 << 10, 1 << 15, 1 << 20),
    "product": (1 << 12, 1 << 17, 1 << 23),
}


@dataclass(frozen=True)
class Timing:
    """Both backends on one size.

    Attributes:
        size: values, or products.
        numpy: milliseconds.
        webgpu: milliseconds, upload and reading back included.
    """

    size: int
    numpy: float
    webgpu: float


class Choice:
    """The timings, and what follows from them."""

    def __init__(self, timings: Mapping[str, Sequence[Timing]] | None = None) -> None:
        """Without timings NumPy is taken for everything."""
        self.timings = {
            kind: sorted(of_kind, key=lambda timing: timing.size)
            for kind, of_kind in (timings or {}).items()
            if of_kind
        }

    def faster(self, kind: str, size: int) -> str:
        """``"numpy"`` or ``"webgpu"``."""
        timings = self.timings.get(kind)
        if not timings:
            return "numpy"
        sizes = [timing.size for timing in timings]
        numpy = interpolated(size, sizes, [timing.numpy for timing in timings])
        webgpu = interpolated(size, sizes, [timing.webgpu for timing in timings])
        return "webgpu" if webgpu < numpy else "numpy"


def interpolated(size: float, sizes: Sequence[float], times: Sequence[float]) -> float:
    """The time for ``size``: straight lines through the logarithms, the outer ones going on."""
    if len(sizes) == 1:
        return times[0]
    x = math.log(max(size, 1))
    points = [
        (math.log(at), math.log(max(time, 1e-6))) for at, time in zip(sizes, times, strict=True)
    ]
    segments = list(pairwise(points))
    (x0, y0), (x1, y1) = next((segment for segment in segments if x <= segment[1][0]), segments[-1])
    return math.exp(y0 + (y1 - y0) * (x - x0) / (x1 - x0))
