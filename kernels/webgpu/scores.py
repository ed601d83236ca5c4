"""Softmax's and attention's calls."""

from __future__ import annotations

import math
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from kernels.arguments import FloatArray, as_float_array, as_number
from kernels.axes import resolve_axes
from kernels.soft_cap import as_cap
from kernels.softmax import as_temperature
from kernels.webgpu.glue import Glue
from kernels.webgpu.matrices import product_of
from kernels.webgpu.request import Request, check_axes, computed, device_array, needs


def softmax(
    rounds: bool, x: npt.ArrayLike, axis: SupportsIndex = -1, *, temperature: float = 1.0
) -> Request:
    """See `kernels.softmax`."""
    array = as_float_array("x", x)
    needs(array.ndim > 0, "x is a scalar")
    axes = resolve_axes(axis, array.ndim, "axis")
    divisor = as_temperature(temperature)
    needs(1e-30 < divisor < 1e30, "the temperature is out of float32's range")
    x32 = device_array("x", array, rounds)
    check_axes(array.shape, axes)
    options = {"axes": axes, "temperature": float(np.float32(divisor))}
    needs(divisor == options["temperature"], "the temperature is no float32")

    async def compute(glue: Glue) -> FloatArray:
        results = await computed(
            glue, {"x": x32}, lambda given: glue.call("softmax", given, options)
        )
        return results["output"]

    return Request("softmax", array.size, compute)


def attention_scores(
    rounds: bool,
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    *,
    scale: float | None = None,
    soft_cap: float | None = None,
    **rest: object,
) -> Request:
    """See `kernels.attention_scores`; norms and rotations are NumPy's here."""
    given = [name for name, value in rest.items() if value and name != "eps"]
    needs(not given, f"{', '.join(given)}: computed by NumPy")
    queries, keys = as_float_array("q", q), as_float_array("k", k)
    needs(queries.ndim >= 2 and keys.ndim >= 2, "q and k must be matrices")
    needs(queries.shape[:-2] == keys.shape[:-2], "q and k differ in their leading axes")
    needs(queries.shape[-1:] == keys.shape[-1:], "q and k differ in d")
    factor = 1 / math.sqrt(queries.shape[-1]) if scale is None else as_number("scale", scale)
    cap = as_cap(soft_cap, "soft_cap") if soft_cap else 0.0
    needs(math.isfinite(factor), "the scale is not finite")
    arrays = {"a": device_array("q", queries, rounds), "b": device_array("k", keys, rounds)}
    finite = all(np.isfinite(array).all() for array in arrays.values())
    needs(bool(finite), "q or k holds NaN or infinity")
    needs(all(a.dtype == np.float32 for a in arrays.values()), "q or k is float16")
    shape, params = product_of(queries.shape, keys.shape, transposed=True)
    params |= {"factor": factor, "soft_cap": cap}

    async def compute(glue: Glue) -> FloatArray:
        what = {"shape": shape, "params": params}
        results = await computed(
            glue, arrays, lambda tensors: glue.call("attention_scores", tensors, what)
        )
        return results["output"]

    return Request("product", math.prod(shape) * queries.shape[-1], compute)
