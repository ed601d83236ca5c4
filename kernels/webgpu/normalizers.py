"""The normalizers' calls: checked as the NumPy kernels check them, computed by one formula."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from kernels.arguments import (
    FloatArray,
    as_eps,
    as_float_array,
    as_number,
    as_parameter,
    as_trailing_shape,
    default_eps,
    single_value_error,
)
from kernels.axes import check_groups, resolve_axes, trailing_axes
from kernels.batch_norm import channel_layout, with_copies
from kernels.formula import NormResult, moments_of, viewed
from kernels.running import as_running, update_weights, updated
from kernels.statistics import Float64Array, group_size
from kernels.webgpu.glue import Array, Glue, Handle
from kernels.webgpu.request import Request, check_axes, computed, device_array, needs, parameter


@dataclass(frozen=True)
class Formula:
    """The formula over some axes, and where γ and β lie (static/gpu/gains.js).

    Attributes:
        x: float32 or float16.
        axes: reduced, ascending.
        center: whether μ is subtracted.
        eps: ε ≥ 0.
        weight: γ, or None.
        bias: β, or None.
        gains: where they lie.
    """

    x: FloatArray
    axes: tuple[int, ...]
    center: bool
    eps: float
    weight: Array | None = None
    bias: Array | None = None
    gains: dict[str, Any] | None = None

    async def compute(self, glue: Glue) -> NormResult:
        """What `kernels.formula.apply_formula` gives, computed on the device."""
        arrays = {"x": self.x, "weight": self.weight, "bias": self.bias}
        results = await computed(glue, arrays, lambda given: self._run(glue, dict(given)))
        mean, square = statistics(results["statistics"], kept_shape(self.x.shape, self.axes))
        if self.center:
            mean = spoilt_means(mean, self.x, self.axes)
        with np.errstate(invalid="ignore"):
            denominator = np.sqrt(square + self.eps)
        output = results["output"]
        normalized = results.get("normalized", output)
        if self.center:
            mean_square = square + np.square(mean)
            return NormResult(output, normalized, mean, square, mean_square, denominator, self.axes)
        return NormResult(output, normalized, None, None, square, denominator, self.axes)

    def _run(self, glue: Glue, given: dict[str, Handle | None]) -> dict[str, Handle]:
        """x̂ and its statistics; then, from these, y."""
        options = {"axes": self.axes, "eps": self.eps}
        first = glue.call(
            "normalize",
            {"x": given["x"]},
            {**options, "center": self.center, "statistics": True},
        )
        if self.weight is None and self.bias is None:
            return first
        scaled = glue.call(
            "apply",
            {**given, "statistics": first["statistics"]},
            {**options, "gains": self.gains},
        )
        return {
            "output": scaled["output"],
            "normalized": first["output"],
            "statistics": first["statistics"],
        }

    def request(
        self, finish: Callable[[NormResult], NormResult] = lambda result: result
    ) -> Request:
        """The formula as a request, its result handed through ``finish``."""
        check_axes(self.x.shape, self.axes)

        async def compute(glue: Glue) -> NormResult:
            return finish(await self.compute(glue))

        return Request("normalize", self.x.size, compute)


def kept_shape(shape: Sequence[int], axes: Iterable[int]) -> tuple[int, ...]:
    """The shape of statistics that keep their dimensions."""
    return tuple(1 if axis in axes else size for axis, size in enumerate(shape))


def statistics(planes: Array, shape: tuple[int, ...]) -> tuple[Float64Array, Float64Array]:
    """Mean, and variance or mean square, from the planes of kernels/webgpu/common/statistics.wgsl.

    The mean comes as two float32 and everything scaled by a power of two: in float64 they are
    exact, also where a variance of 1e60 is no float32.
    """
    high, low, square, scale = planes[:4].astype(np.float64)
    return ((high + low) / scale).reshape(shape), (square / np.square(scale)).reshape(shape)


def spoilt_means(mean: Float64Array, x: FloatArray, axes: tuple[int, ...]) -> Float64Array:
    """μ of groups with NaN or infinity in them as NumPy gives it: ±Inf where only one sign is."""
    if np.isfinite(mean).all():
        return mean
    with np.errstate(invalid="ignore"):
        right = np.asarray(np.add.reduce(x, axes, np.float64, keepdims=True))
    return np.where(np.isfinite(mean), mean, np.where(np.isfinite(right), np.nan, right))


# Each function below takes the arguments of the kernel of the same name, and `rounds` before them:
# whether float64 may be rounded to float32.


def normalize(
    rounds: bool,
    x: npt.ArrayLike,
    axes: SupportsIndex | Sequence[SupportsIndex] | None,
    *,
    center: bool = True,
    eps: float = 1e-5,
) -> Request:
    """See `kernels.normalize`."""
    array = as_float_array("x", x)
    reduced = resolve_axes(axes, array.ndim)
    return Formula(device_array("x", array, rounds), reduced, center, as_eps(eps)).request()


def layer_norm(
    rounds: bool,
    x: npt.ArrayLike,
    normalized_shape: SupportsIndex | Sequence[SupportsIndex],
    weight: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    eps: float = 1e-5,
) -> Request:
    """See `kernels.layer_norm`."""
    array = as_float_array("x", x)
    shape = as_trailing_shape("normalized_shape", normalized_shape, array.shape)
    gain = parameter("weight", as_parameter("weight", weight, shape))
    shift = parameter("bias", as_parameter("bias", bias, shape))
    axes = trailing_axes(array.ndim, len(shape))
    along = {"along": "reduced"}
    x32 = device_array("x", array, rounds)
    return Formula(x32, axes, True, as_eps(eps), gain, shift, along).request()


def rms_norm(
    rounds: bool,
    x: npt.ArrayLike,
    normalized_shape: SupportsIndex | Sequence[SupportsIndex],
    weight: npt.ArrayLike | None = None,
    eps: float | None = None,
    *,
    gain_offset: float = 0.0,
    cast_before_weight: bool = False,
) -> Request:
    """See `kernels.rms_norm`."""
    array = as_float_array("x", x)
    shape = as_trailing_shape("normalized_shape", normalized_shape, array.shape)
    gain = as_parameter("weight", weight, shape)
    if gain is not None:
        gain = gain + as_number("gain_offset", gain_offset)
        needs(not cast_before_weight, "cast_before_weight rounds between two steps of one kernel")
    epsilon = default_eps(array.dtype) if eps is None else as_eps(eps)
    axes = trailing_axes(array.ndim, len(shape))
    x32 = device_array("x", array, rounds)
    gained = parameter("weight", gain)
    return Formula(x32, axes, False, epsilon, gained, None, {"along": "reduced"}).request()


def group_norm(
    rounds: bool,
    x: npt.ArrayLike,
    num_groups: SupportsIndex,
    weight: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    eps: float = 1e-5,
    *,
    strict: bool = True,
) -> Request:
    """See `kernels.group_norm`."""
    array = as_float_array("x", x)
    if array.ndim < 2:
        raise ValueError(f"x: expected shape [N, C, *], got {array.shape}")
    samples, channels, *positions = array.shape
    groups = check_groups(channels, num_groups)
    if strict and array.size == groups:
        raise single_value_error("value per channel", array.shape)
    gain = parameter("weight", as_parameter("weight", weight, (channels,)))
    shift = parameter("bias", as_parameter("bias", bias, (channels,)))
    run = group_size(array.shape, range(2, array.ndim))
    in_group = channels // groups
    gains = {"along": "grouped", "period": groups, "step": in_group, "run": run}
    x32 = device_array("x", array, rounds).reshape(samples, groups, -1)

    def ungrouped(result: NormResult) -> NormResult:
        def per_channel(statistic: Float64Array) -> Float64Array:
            return np.repeat(
                statistic.reshape(samples, groups, *(1,) * len(positions)), in_group, axis=1
            )

        whole = tuple(range(1, array.ndim))
        return viewed(result, lambda value: value.reshape(array.shape), per_channel, whole)

    return Formula(x32, (2,), True, as_eps(eps), gain, shift, gains).request(ungrouped)


def batch_norm(
    rounds: bool,
    x: npt.ArrayLike,
    running_mean: npt.ArrayLike | None = None,
    running_var: npt.ArrayLike | None = None,
    weight: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    training: bool = False,
    momentum: float | None = 0.1,
    eps: float = 1e-5,
    *,
    mask: npt.ArrayLike | None = None,
    strict: bool = True,
    channel_axis: SupportsIndex = 1,
    unbiased_running_var: bool = True,
    momentum_convention: str = "pytorch",
    num_batches_tracked: int = 0,
) -> Request:
    """See `kernels.batch_norm`."""
    array = as_float_array("x", x)
    _, channels, axes, along = channel_layout(array, channel_axis)
    running = as_running(running_mean, running_var, channels)
    weights = update_weights(momentum, momentum_convention, num_batches_tracked)
    gain = parameter("weight", as_parameter("weight", weight, (channels,)))
    shift = parameter("bias", as_parameter("bias", bias, (channels,)))
    needs(mask is None, "a mask is counted by NumPy")
    x32 = device_array("x", array, rounds)
    check_axes(array.shape, axes)
    if running is not None and not training:
        inference = Inference(x32, axes, *running, gain, shift, along, as_eps(eps))
        return Request("normalize", array.size, inference.compute)
    num_values = group_size(array.shape, axes)
    if strict and num_values == 1:
        raise single_value_error("value per channel", array.shape)

    def moved(result: NormResult) -> NormResult:
        if running is None:
            return result
        after = updated(running, moments_of(result, num_values), weights, unbiased_running_var)
        return result.with_running(*after)

    gains = {"along": "kept", "period": channels}
    return Formula(x32, axes, True, as_eps(eps), gain, shift, gains).request(moved)


@dataclass(frozen=True)
class Inference:
    """BatchNorm with running statistics: γ/√(σ² + ε) is taken here, in float64.

    Attributes:
        x: float32 or float16.
        axes: all but the channel's.
        running_mean: shape ``[C]``.
        running_var: likewise.
        weight: γ, or None.
        bias: β, or None.
        along: the shape in which ``[C]`` broadcasts against x.
        eps: ε ≥ 0.
    """

    x: FloatArray
    axes: tuple[int, ...]
    running_mean: FloatArray
    running_var: FloatArray
    weight: Array | None
    bias: Array | None
    along: tuple[int, ...]
    eps: float

    def __post_init__(self) -> None:
        """Statistics that give no finite factor are NumPy's."""
        variance = self.running_var.astype(np.float64) + self.eps
        fits = np.isfinite(self.running_mean).all() and np.isfinite(variance).all()
        needs(bool(fits and (variance > 1e-60).all()), "a running statistic gives no finite factor")

    async def compute(self, glue: Glue) -> NormResult:
        """What `kernels.formula.apply_statistics` gives, computed on the device."""
        mean, variance = (s.astype(np.float64) for s in (self.running_mean, self.running_var))
        denominator = np.sqrt(variance + self.eps)
        ones, zeros = np.ones_like(mean), np.zeros_like(mean)
        weight = ones if self.weight is None else self.weight
        bias = zeros if self.bias is None else self.bias
        plain = channel_planes(mean, 1 / denominator, zeros)
        scaled = channel_planes(mean, weight / denominator, bias)
        arrays = {"x": self.x, "plain": plain, "scaled": scaled}
        has_gains = self.weight is not None or self.bias is not None

        def run(given: Any) -> dict[str, Handle]:
            names = (
                {"normalized": "plain", "output": "scaled"} if has_gains else {"output": "plain"}
            )
            return {
                name: glue.call(
                    "batch_norm_inference",
                    {"x": given["x"], "channels": given[channels]},
                    {"axes": self.axes},
                )["output"]
                for name, channels in names.items()
            }

        results = await computed(glue, arrays, run)
        output = results["output"]
        result = NormResult(
            output,
            results.get("normalized", output),
            mean.reshape(self.along),
            variance.reshape(self.along),
            None,
            denominator.reshape(self.along),
            self.axes,
        )
        running = as_running(self.running_mean, self.running_var, len(mean))
        return result if running is None else with_copies(result, running)


def channel_planes(mean: Float64Array, factor: Float64Array, bias: Array) -> Array:
    """μ as two float32, the factor and β, as batch_norm_inference.wgsl wants them."""
    high = mean.astype(np.float32)
    return np.stack([high, mean - high, factor, bias]).astype(np.float32)
