"""What kernels accept: checks that name the argument, what was expected and what came."""

import math
from collections.abc import Iterable
from numbers import Real
from operator import index
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.floating[Any]]

# What is computed with as it comes: these types in the machine's own byte order.
_NATIVE_FLOATS = frozenset(map(np.dtype, ("float16", "float32", "float64")))
FLOAT64 = np.dtype(np.float64)


def as_float_array(name: str, value: npt.ArrayLike) -> FloatArray:
    """``value`` as an array of float16, float32 or float64; integers and booleans become float64.

    A float array is returned as it is, not copied: no kernel writes to its inputs.

    Raises:
        TypeError: complex numbers, text, objects, masked arrays, or another float type.
        ValueError: nested lists of unequal length.
    """
    array = value if type(value) is np.ndarray else _array_of(name, value)
    if array.dtype in _NATIVE_FLOATS:
        return array
    kind = array.dtype.kind
    if kind == "f" and array.dtype.itemsize <= 8:
        return array.astype(array.dtype.newbyteorder("="))
    if kind in "iub":
        return array.astype(np.float64)
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
    if type(value) is int:
        return value
    if isinstance(value, (bool, np.bool_)):
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
    if type(value) is float:
        return value
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (Real, np.floating)):
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
    name: str, value: npt.ArrayLike | None, shape: tuple[int, ...]
) -> npt.NDArray[np.float64] | None:
    """A weight, bias or running statistic as float64, when it has exactly ``shape``.

    Raises:
        TypeError: not real numbers.
        ValueError: another shape. Nothing is broadcast, as in PyTorch.
    """
    if value is None:
        return None
    array = as_float_array(name, value)
    if array.shape != shape:
        raise ValueError(f"{name}: expected shape {shape}, got {array.shape}")
    return array.astype(FLOAT64, copy=False)


def as_channel_parameter(
    name: str, value: npt.ArrayLike | None, channels: int, shape: tuple[int, ...]
) -> npt.NDArray[np.float64] | None:
    """A parameter of shape ``[C]``, laid out in ``shape`` so that it broadcasts against x."""
    parameter = as_parameter(name, value, (channels,))
    return None if parameter is None else parameter.reshape(shape)


def as_trailing_shape(
    name: str, value: SupportsIndex | Iterable[SupportsIndex], shape: tuple[int, ...]
) -> tuple[int, ...]:
    """``value`` as a tuple of sizes, when these are the last ones of ``shape``.

    Raises:
        TypeError: a size is not an integer.
        ValueError: no size at all, or other sizes than those of ``shape``.
    """
    if type(value) is int and shape and shape[-1] == value:
        return (value,)
    sizes = (value,) if isinstance(value, (int, np.integer)) else value
    if not isinstance(sizes, Iterable):
        raise TypeError(f"{name}: expected an integer, or several, got {value!r}")
    trailing = tuple([as_index(name, size) for size in sizes])
    if not trailing:
        raise ValueError(f"{name}: expected to be at least 1-dimensional, got ()")
    if shape[-len(trailing) :] != trailing:
        wanted = ", ".join(map(str, trailing))
        # The wording is that of torch 2.13, which people search for.
        raise ValueError(
            f"Given {name}=[{wanted}], expected input with shape [*, {wanted}], but got input of "
            f"size{list(shape)}"
        )
    return trailing


def as_mask(name: str, value: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """``value`` as booleans: true where a value counts. Zeros and ones are accepted.

    Raises:
        TypeError: not booleans or real numbers.
        ValueError: a number other than 0 and 1: an additive mask is something else.
    """
    array = _array_of(name, value)
    if array.dtype.kind == "b":
        return array
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name}: expected booleans, got {array.dtype}")
    mask: npt.NDArray[np.bool_] = array != 0
    if not np.array_equal(array, mask):
        raise ValueError(f"{name}: expected booleans, or zeros and ones, got other numbers")
    return mask


def default_eps(dtype: np.dtype[Any]) -> float:
    """What ``eps=None`` means to torch 2.13: the epsilon of the type it computes ``dtype`` in."""
    return 2.0**-52 if dtype == np.float64 else 2.0**-23


def single_value_error(what: str, shape: tuple[int, ...]) -> ValueError:
    """The error of torch 2.13, in its words, for statistics of a single value."""
    return ValueError(
        f"x: Expected more than 1 {what} when training, got input size {list(shape)}; "
        "strict=False gives what the bare formula gives"
    )


def as_gradient(grad_output: npt.ArrayLike, x: FloatArray) -> npt.NDArray[np.float64]:
    """``grad_output`` as a float64 array of its own.

    Raises:
        TypeError: not real numbers.
        ValueError: another shape than that of x.
    """
    gradient = as_float_array("grad_output", grad_output)
    if gradient.shape != x.shape:
        raise ValueError(f"grad_output: expected the shape of x, {x.shape}, got {gradient.shape}")
    return gradient.astype(np.float64)
