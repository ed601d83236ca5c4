"""What kernels accept: checks that name the argument, what was expected and what came."""

import math
from collections.abc import Sequence
from numbers import Real
from operator import index
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.floating[Any]]

_FLOAT_TYPES = (np.dtype(np.float64), np.dtype(np.float32), np.dtype(np.float16))


def as_float_array(name: str, value: npt.ArrayLike) -> FloatArray:
    """``value`` as an array of float16, float32 or float64; integers and booleans become float64.

    A float array is returned as it is, not copied: no kernel writes to its inputs.

    Raises:
        TypeError: complex numbers, text, objects, masked arrays, or another float type.
        ValueError: nested lists of unequal length.
    """
    if isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray):
        array = value
    else:
        array = _array_of(name, value)
    if array.dtype in _FLOAT_TYPES and array.dtype.isnative:
        return array
    if array.dtype.kind in "iub":
        return array.astype(np.float64)
    if array.dtype.kind == "f" and array.dtype.itemsize <= 8:
        return array.astype(array.dtype.newbyteorder("="))
    raise TypeError(
        f"{name}: expected real numbers (float16, float32, float64, integers or booleans), "
        f"got {array.dtype}"
    )


def _array_of(name: str, value: npt.ArrayLike) -> npt.NDArray[Any]:
    """An array from anything NumPy can read, with the argument named when it cannot."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name}: a masked array's mask would be lost; pass the mask by itself")
    try:
        return np.asarray(value)
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"{name}: expected a rectangular array of numbers, got nested sequences of unequal "
            f"length or a value NumPy cannot read ({error})"
        ) from None


def as_index(name: str, value: SupportsIndex) -> int:
    """``value`` as an int.

    Raises:
        TypeError: not an integer. A boolean is refused too: ``axes=True`` is a slip.
    """
    if isinstance(value, bool | np.bool_):
        raise TypeError(f"{name}: expected an integer, got {value!r}")
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{name}: expected an integer, got {value!r}") from None


def as_number(name: str, value: float) -> float:
    """``value`` as a float.

    Raises:
        TypeError: not a real number (an array with one element is not one either).
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real | np.floating):
        raise TypeError(f"{name}: expected a real number, got {value!r}")
    return float(value)


def as_eps(eps: float) -> float:
    """``eps`` as a float.

    Raises:
        ValueError: negative, NaN or infinite. Zero is allowed: it gives the bare formula, and NaN
            where a group is constant.
    """
    number = as_number("eps", eps)
    if not (number >= 0 and math.isfinite(number)):
        raise ValueError(f"eps: expected a finite number of at least 0, got {number}")
    return number


def as_parameter(
    name: str, value: npt.ArrayLike | None, shape: Sequence[int]
) -> npt.NDArray[np.float64] | None:
    """A weight, bias or running statistic as float64, when it has exactly ``shape``.

    Raises:
        TypeError: not real numbers.
        ValueError: another shape. Nothing is broadcast, as in PyTorch.
    """
    if value is None:
        return None
    array = as_float_array(name, value)
    if array.shape != tuple(shape):
        raise ValueError(f"{name}: expected shape {tuple(shape)}, got {array.shape}")
    return array.astype(np.float64, copy=False)
