"""A kernel's call as the device sees it: arguments checked, arrays in the device's types."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernels.arguments import FloatArray
from kernels.webgpu.glue import TYPES, Array, Glue, Handle


class NotOnGpu(Exception):
    """This call is NumPy's: the reason, in words."""


@dataclass(frozen=True)
class Request:
    """One call of a kernel, ready for the device.

    Attributes:
        kind: what it costs like: a key of `kernels.webgpu.choice.KINDS`.
        size: how much of it: values, or products of numbers.
        compute: does it, and gives what the NumPy kernel gives.
    """

    kind: str
    size: int
    compute: Callable[[Glue], Awaitable[Any]]


def device_array(name: str, array: FloatArray, rounds: bool) -> FloatArray:
    """``array`` in a type of the device.

    Raises:
        NotOnGpu: it is float64, which WGSL lacks, and may not be rounded; or it is empty.
    """
    if not array.size:
        raise NotOnGpu(f"{name} is empty")
    if array.dtype in TYPES:
        return array
    if not rounds:
        raise NotOnGpu(f"{name} is {array.dtype}, and a GPU computes in float32")
    with np.errstate(over="ignore"):
        return array.astype(np.float32)


def parameter(name: str, array: Array | None) -> Array | None:
    """A weight or bias as float32.

    Raises:
        NotOnGpu: it holds NaN or infinity, for which WGSL promises nothing.
    """
    if array is None:
        return None
    if not np.isfinite(array).all():
        raise NotOnGpu(f"{name} holds NaN or infinity")
    with np.errstate(over="ignore"):
        rounded = array.astype(np.float32)
    if not np.isfinite(rounded).all():
        raise NotOnGpu(f"{name} holds numbers that are no float32")
    return rounded


def needs(condition: bool, otherwise: str) -> None:
    """Raises `NotOnGpu` with the reason where the condition does not hold."""
    if not condition:
        raise NotOnGpu(otherwise)


def runs_of(shape: Sequence[int], axes: Sequence[int]) -> int:
    """How many runs of neighbouring reduced axes there are; axes of size 1 count for neither."""
    reduced = [axis in axes for axis, size in enumerate(shape) if size != 1]
    return sum(now and not before for now, before in zip(reduced, [False, *reduced], strict=False))


def check_axes(shape: Sequence[int], axes: Sequence[int]) -> None:
    """Raises `NotOnGpu` where kernels cannot address the groups: more than two runs of axes."""
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    fits = runs_of(shape, axes) <= 2 and runs_of(shape, kept) <= 2
    needs(fits, f"axes {tuple(axes)} of shape {tuple(shape)} alternate too often")


async def computed(
    glue: Glue,
    arrays: Mapping[str, Array | None],
    run: Callable[[Mapping[str, Handle | None]], Mapping[str, Handle]],
) -> dict[str, Array]:
    """Upload, run, read back, give everything back."""
    given: dict[str, Handle | None] = {}
    results: Mapping[str, Handle] = {}
    try:
        for name, array in arrays.items():
            given[name] = None if array is None else glue.upload(array)
        results = run(given)
        names = list(results)
        values = await glue.read([results[name] for name in names])
        return dict(zip(names, values, strict=True))
    finally:
        used = [handle for handle in given.values() if handle is not None]
        glue.release(*used, *results.values())
