"""What was measured at one size, and what follows from it."""

from __future__ import annotations

import statistics
from typing import NamedTuple

VALUE_BYTES = 4  # float32
LARGE = 5  # sizes that a sentence is about

# kernel → seconds a call, or another number
Numbers = dict[str, float]


class Measured(NamedTuple):
    """One size. A backend that was not measured has no entry, and a reason instead.

    Attributes:
        size: number of float32 values.
        seconds: median of a call, by backend and kernel.
        share: by backend and kernel, of the bandwidth that copying the same values reached there.
        bandwidth: bytes a second that the copy read and wrote, by backend.
        missing: why a backend was not measured, by backend, in words.
        held: seconds of the longest piece of work that nothing could interrupt.
        handing: seconds in which Python hands one call to the device; it is not in `seconds`.
        difference: the largest relative difference of WebGPU's results from NumPy's; None where
            they were not compared.
    """

    size: int
    seconds: dict[str, Numbers]
    share: dict[str, Numbers]
    bandwidth: Numbers
    missing: dict[str, str]
    held: float
    handing: float | None
    difference: float | None


def measured(
    size: int,
    samples: dict[str, dict[str, list[float]]],
    missing: dict[str, str],
    *,
    held: float,
    handing: float | None,
    difference: float | None,
) -> Measured:
    """Medians, and each kernel's share: all read x and write y once at least, as the copy does."""
    seconds = {
        backend: {kernel: statistics.median(each) for kernel, each in of_kernel.items()}
        for backend, of_kernel in samples.items()
    }
    return Measured(
        size,
        seconds,
        {backend: shares(numbers) for backend, numbers in seconds.items()},
        {backend: 2 * VALUE_BYTES * size / numbers["copy"] for backend, numbers in seconds.items()},
        missing,
        held,
        handing,
        difference,
    )


def shares(seconds: Numbers) -> Numbers:
    """Bytes of x and y a second, over the bytes a second that a copy moved."""
    return {kernel: seconds["copy"] / each for kernel, each in seconds.items()}


class Typical(NamedTuple):
    """A backend at its largest sizes: medians over them, since a machine has other work as well.

    Attributes:
        sizes: the sizes, from the smallest.
        ratio: RMSNorm's time in parts of LayerNorm's.
        share: by kernel, of the copy's bandwidth.
        bandwidth: bytes a second that the copy read and wrote.
    """

    sizes: tuple[int, ...]
    ratio: float
    share: Numbers
    bandwidth: float


def typical(all_measured: list[Measured], backend: str) -> Typical | None:
    """Over up to `LARGE` of the largest sizes at which a backend was measured."""
    large = [one for one in all_measured if backend in one.seconds][-LARGE:]
    if not large:
        return None
    kernels = large[-1].share[backend]
    return Typical(
        tuple(one.size for one in large),
        statistics.median(ratio(one, backend) for one in large),
        {
            kernel: statistics.median(one.share[backend][kernel] for one in large)
            for kernel in kernels
        },
        statistics.median(one.bandwidth[backend] for one in large),
    )


def ratio(one: Measured, backend: str, kernel: str = "rms", over: str = "layer") -> float:
    """How much of another kernel's time a kernel takes."""
    return one.seconds[backend][kernel] / one.seconds[backend][over]


def takes_over(all_measured: list[Measured], kernel: str) -> int | None:
    """The size from which on WebGPU is the faster at every size measured, or None."""
    both = [one for one in all_measured if {"numpy", "webgpu"} <= one.seconds.keys()]
    found = None
    for one in both:
        if one.seconds["webgpu"][kernel] >= one.seconds["numpy"][kernel]:
            found = None
        elif found is None:
            found = one.size
    return found
