"""Statistics as an accelerator computes them: every operation rounded, in a type of one's choice.

Storage and accumulation are chosen apart: numbers are kept in one type, sums are taken in another.
Nothing here is meant to be accurate. It shows what overflows, what cancels, and what survives.

Every +, −, ×, ÷ and √ is done in float64 and rounded once to the accumulation type. For types of up
to 24 bits that is what the hardware's own operation gives (Figueroa 1995, "When is double rounding
innocuous?"). Fused multiply-add is not modelled.
"""

import math
from collections.abc import Callable
from typing import NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from kernels.arguments import as_eps, as_float_array, as_number, as_parameter
from kernels.axes import resolve_axes
from kernels.statistics import Float64Array


class FloatFormat(NamedTuple):
    """A binary floating-point format with gradual underflow, rounded to nearest, ties to even.

    Attributes:
        significant_bits: p, the leading one included.
        largest_exponent: e of the largest power of two, 2ᵉ; the smallest normal one is 2^(1 − e).
    """

    significant_bits: int
    largest_exponent: int

    @property
    def largest(self) -> float:
        """The largest finite number; what rounds beyond it is Inf."""
        ones = 2.0 - 2.0 ** (1 - self.significant_bits)
        return math.ldexp(ones, self.largest_exponent)


FORMATS: dict[str, FloatFormat] = {
    "float16": FloatFormat(11, 15),
    "bfloat16": FloatFormat(8, 127),
    "float32": FloatFormat(24, 127),
    "float64": FloatFormat(53, 1023),
}

Rounding = Callable[[Float64Array], Float64Array]


class EmulatedMoments(NamedTuple):
    """Mean and variance with the rounding errors of a type.

    Attributes:
        mean: μ, of the shape of x without the axis, in float64 arrays of values of the type.
        variance: σ²; negative or NaN where the method failed.
        steps: every intermediate result by name, in the order in which it was computed, so that
            the first to be Inf, NaN or negative can be found.
    """

    mean: Float64Array
    variance: Float64Array
    steps: dict[str, Float64Array]


@np.errstate(over="ignore", under="ignore", invalid="ignore")
def round_to(x: npt.ArrayLike, float_format: str) -> Float64Array:
    """x rounded to a format: to nearest, ties to even, subnormals kept, Inf beyond the largest.

    Args:
        x: any real array.
        float_format: ``"float16"``, ``"bfloat16"``, ``"float32"`` or ``"float64"``.

    Returns:
        A float64 array of values that the format has.

    Raises:
        TypeError: x is not real numbers.
        ValueError: an unknown format.

    Source: IEEE 754-2019, 4.3.1; bfloat16 as in Intel's whitepaper 338302 (with subnormals).
    """
    return rounding(float_format)(as_float_array("x", x).astype(np.float64))


def rounding(float_format: str) -> Rounding:
    """The function that rounds float64 arrays to ``float_format``.

    Raises:
        ValueError: an unknown format.
    """
    if float_format not in FORMATS:
        known = ", ".join(map(repr, FORMATS))
        raise ValueError(f"float_format: expected one of {known}, got {float_format!r}")
    if float_format == "float64":
        return lambda x: x
    if float_format == "bfloat16":
        return _to_bfloat16
    narrow = np.dtype(float_format)
    return lambda x: x.astype(narrow).astype(np.float64)


def _to_bfloat16(x: Float64Array) -> Float64Array:
    """x rounded to bfloat16, which NumPy does not have."""
    bits, largest_exponent = FORMATS["bfloat16"]
    # x = m·2ᵉ with ½ ≤ |m| < 1, so that the last bit kept is worth 2^(e − bits).
    exponent = np.maximum(np.frexp(x)[1], 2 - largest_exponent)
    last_bit = exponent - bits
    rounded = np.asarray(np.ldexp(np.rint(np.ldexp(x, -last_bit)), last_bit))
    beyond = np.abs(rounded) > FORMATS["bfloat16"].largest
    return np.where(beyond, np.copysign(np.inf, x), rounded)


@np.errstate(over="ignore", under="ignore", invalid="ignore")
def emulate_moments(
    x: npt.ArrayLike,
    method: str = "two_pass",
    *,
    storage: str = "float32",
    accumulation: str = "float32",
    axis: SupportsIndex = -1,
) -> EmulatedMoments:
    """Mean and variance along one axis, by one of three methods, in the arithmetic of a type.

    Args:
        x: any real array with at least one value along the axis.
        method: ``"one_pass"``: E[x²] − E[x]², which cancels for |μ| ≫ σ and overflows early.
            ``"two_pass"``: the mean first, then E[(x − μ)²].
            ``"welford"``: μ and Σ(x − μ)² updated value by value, in one pass.
        storage: the type x is rounded to before anything else.
        accumulation: the type of every operation. Sums run from the first value to the last.
        axis: the axis to reduce.

    Raises:
        TypeError: x is not real numbers.
        ValueError: an unknown method or type; a bad axis, or one without a value.

    Source: Welford 1962, Technometrics 4(3); Chan, Golub, LeVeque 1983, The American Statistician
    37(3), eq. 1.1 to 1.3.
    """
    if method not in METHODS:
        known = ", ".join(map(repr, METHODS))
        raise ValueError(f"method: expected one of {known}, got {method!r}")
    array = as_float_array("x", x)
    along = resolve_axes(axis, array.ndim, "axis")
    if len(along) != 1 or not array.shape[along[0]]:
        raise ValueError(f"axis: expected one axis with at least one value, got {axis!r}")
    values = np.moveaxis(round_to(array, storage), along[0], 0)
    return METHODS[method](values, rounding(accumulation))


@np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore")
def emulate_rms_norm(
    x: npt.ArrayLike,
    weight: npt.ArrayLike | None = None,
    eps: float = 1e-6,
    *,
    storage: str = "bfloat16",
    accumulation: str = "float32",
    gain_offset: float = 0.0,
    cast_before_weight: bool = False,
) -> Float64Array:
    """RMSNorm over the last axis as a model computes it: stored in one type, computed in another.

    Args:
        x: shape ``[*, d]``; rounded to ``storage`` first.
        weight: γ of shape ``[d]``, likewise; 1 when not given.
        eps: ε ≥ 0.
        storage: the type of x, γ and the result.
        accumulation: the type of every operation in between.
        gain_offset: added to γ in ``accumulation``. Gemma adds 1 in float32: in bfloat16
            1 + 15.8125 would be 16.75 instead of 16.8125.
        cast_before_weight: round x̂ to ``storage`` before γ multiplies it (Llama, Qwen3), instead of
            only the product (OLMo 2, Gemma, torch). [1, 2, 3] with γ = 1.5 ends in 2.09375 or
            2.078125 in bfloat16.

    Returns:
        y in float64, of values that ``storage`` has.

    Raises:
        TypeError: not real numbers.
        ValueError: an unknown type; a weight of another shape; a bad ε; x without a last axis.

    Source: the modelling files of transformers 5.24 named above.
    """
    array = as_float_array("x", x)
    if not array.ndim or not array.shape[-1]:
        raise ValueError(f"x: expected shape [*, d] with d ≥ 1, got {array.shape}")
    gain = as_parameter("weight", weight, array.shape[-1:])
    epsilon, offset = as_eps(eps), as_number("gain_offset", gain_offset)
    to_storage, to_accumulation = rounding(storage), rounding(accumulation)
    stored = to_storage(array.astype(np.float64))
    squares = np.moveaxis(to_accumulation(stored * stored), -1, 0)
    mean_square = to_accumulation(_running_sum(squares, to_accumulation) / len(squares))
    plus_eps = to_accumulation(mean_square + to_accumulation(np.asarray(epsilon)))
    reciprocal = to_accumulation(1.0 / to_accumulation(np.sqrt(plus_eps)))
    normalized = to_accumulation(stored * np.asarray(reciprocal)[..., np.newaxis])
    if gain is None:
        return to_storage(normalized)
    multiplier = to_accumulation(to_storage(gain) + offset)
    if cast_before_weight:
        normalized = to_storage(normalized)
    return to_storage(to_accumulation(normalized * multiplier))


def _one_pass(values: Float64Array, in_type: Rounding) -> EmulatedMoments:
    """E[x²] − E[x]²."""
    count = float(len(values))
    total = _running_sum(values, in_type)
    squares = _running_sum(in_type(values * values), in_type)
    mean, mean_square = in_type(total / count), in_type(squares / count)
    square_of_mean = in_type(mean * mean)
    variance = in_type(mean_square - square_of_mean)
    steps = {
        "Σx": total,
        "Σx²": squares,
        "E[x]": mean,
        "E[x²]": mean_square,
        "E[x]²": square_of_mean,
        "σ²": variance,
    }
    return EmulatedMoments(mean, variance, steps)


def _two_pass(values: Float64Array, in_type: Rounding) -> EmulatedMoments:
    """μ first, then E[(x − μ)²]."""
    count = float(len(values))
    total = _running_sum(values, in_type)
    mean = in_type(total / count)
    deviations = in_type(values - mean)
    squares = _running_sum(in_type(deviations * deviations), in_type)
    variance = in_type(squares / count)
    steps = {"Σx": total, "μ": mean, "Σ(x − μ)²": squares, "σ²": variance}
    return EmulatedMoments(mean, variance, steps)


def _welford(values: Float64Array, in_type: Rounding) -> EmulatedMoments:
    """μₖ = μₖ₋₁ + (xₖ − μₖ₋₁)/k, and Mₖ = Mₖ₋₁ + (xₖ − μₖ₋₁)(xₖ − μₖ)."""
    mean = np.zeros(values.shape[1:])
    squares = np.zeros(values.shape[1:])
    for index, value in enumerate(values):
        before = in_type(value - mean)
        mean = in_type(mean + in_type(before / (index + 1.0)))
        squares = in_type(squares + in_type(before * in_type(value - mean)))
    variance = in_type(squares / float(len(values)))
    return EmulatedMoments(mean, variance, {"μ": mean, "Σ(x − μ)²": squares, "σ²": variance})


def _running_sum(values: Float64Array, in_type: Rounding) -> Float64Array:
    """Σ along the first axis, from the first value to the last, rounded at every step."""
    total = np.zeros(values.shape[1:])
    for value in values:
        total = in_type(total + value)
    return total


METHODS: dict[str, Callable[[Float64Array, Rounding], EmulatedMoments]] = {
    "one_pass": _one_pass,
    "two_pass": _two_pass,
    "welford": _welford,
}
