"""Means, variances, mean squares, maxima and sums of exponentials, over any axes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.gpu import reference
from tests.gpu.device import Call, Device
from tests.gpu.inputs import (
    constant_rows,
    hard_rows,
    noise,
    some_shapes_and_axes,
    spoilt_rows,
)
from tests.gpu.reference import Float64Array

GRID = list(some_shapes_and_axes())
ALLOWED = 2e-6


def statistics(planes: np.ndarray) -> tuple[Float64Array, Float64Array]:
    """Mean and variance (or mean square) from the planes that the kernels write."""
    high, low, square, scale = planes[:4].astype(np.float64)
    return (high + low) / scale, square / scale**2


def test_mean_and_variance_of_every_shape_and_axes(device: Device) -> None:
    inputs = [noise(shape, 1, 3.0) for shape, _ in GRID]
    results = device.run(
        Call("moments", {"x": x}, {"axes": axes}) for x, (_, axes) in zip(inputs, GRID, strict=True)
    )
    for x, (shape, axes), result in zip(inputs, GRID, results, strict=True):
        mean, variance = statistics(result["statistics"])
        right_mean, right_variance = reference.mean_variance(x, axes)
        where = f"{shape} over {axes}"
        assert reference.error(mean, right_mean.ravel()) < ALLOWED, where
        assert reference.error(variance, right_variance.ravel()) < ALLOWED, where


def test_mean_square_of_every_shape_and_axes(device: Device) -> None:
    inputs = [noise(shape, 2) for shape, _ in GRID]
    results = device.run(
        Call("mean_square", {"x": x}, {"axes": axes})
        for x, (_, axes) in zip(inputs, GRID, strict=True)
    )
    for x, (shape, axes), result in zip(inputs, GRID, results, strict=True):
        _, square = statistics(result["statistics"])
        right = reference.mean_square(x, axes).ravel()
        assert reference.error(square, right) < ALLOWED, f"{shape} over {axes}"


def test_largest_value_of_every_shape_and_axes(device: Device) -> None:
    inputs = [noise(shape, 3) for shape, _ in GRID]
    results = device.run(
        Call("max", {"x": x}, {"axes": axes}) for x, (_, axes) in zip(inputs, GRID, strict=True)
    )
    for x, (shape, axes), result in zip(inputs, GRID, results, strict=True):
        assert np.array_equal(result["output"].ravel(), x.max(axes).ravel()), f"{shape} over {axes}"


def test_sum_of_exponentials_of_every_shape_and_axes(device: Device) -> None:
    inputs = [noise(shape, 4) * 10 for shape, _ in GRID]
    results = device.run(
        Call("sum_exp", {"x": x}, {"axes": axes}) for x, (_, axes) in zip(inputs, GRID, strict=True)
    )
    for x, (shape, axes), result in zip(inputs, GRID, results, strict=True):
        largest, total = result["statistics"]
        wide = x.astype(np.float64)
        right = np.exp(wide - wide.max(axes, keepdims=True)).sum(axes).ravel()
        assert np.array_equal(largest, x.max(axes).ravel()), f"{shape} over {axes}"
        assert reference.error(total, right) < ALLOWED, f"{shape} over {axes}"


@pytest.mark.parametrize("orientation", ["rows", "columns"])
def test_hard_rows_have_the_right_variance(device: Device, orientation: str) -> None:
    names, rows = zip(*hard_rows().items(), strict=True)
    x = np.stack(rows)
    axis = 1
    if orientation == "columns":
        x, axis = np.ascontiguousarray(x.T), 0
    (result,) = device.run([Call("moments", {"x": x}, {"axes": [axis]})])
    mean, variance = statistics(result["statistics"])
    right_mean, right_variance = (m.ravel() for m in reference.mean_variance(x, (axis,)))
    spread = np.sqrt(right_variance)
    for index, name in enumerate(names):
        off = abs(mean[index] - right_mean[index]) / max(abs(right_mean[index]), spread[index])
        assert off < ALLOWED, name
        assert abs(variance[index] / right_variance[index] - 1) < ALLOWED, name


@pytest.mark.parametrize("orientation", ["rows", "columns"])
def test_hard_rows_have_the_right_mean_square(device: Device, orientation: str) -> None:
    names, rows = zip(*hard_rows().items(), strict=True)
    x = np.stack(rows)
    axis = 1
    if orientation == "columns":
        x, axis = np.ascontiguousarray(x.T), 0
    (result,) = device.run([Call("mean_square", {"x": x}, {"axes": [axis]})])
    _, square = statistics(result["statistics"])
    right = reference.mean_square(x, (axis,)).ravel()
    for index, name in enumerate(names):
        assert abs(square[index] / right[index] - 1) < ALLOWED, name


def test_constant_rows_have_variance_exactly_0(device: Device) -> None:
    x = constant_rows()
    rows, columns = device.run(
        [
            Call("moments", {"x": x}, {"axes": [1]}),
            Call("moments", {"x": np.ascontiguousarray(x.T)}, {"axes": [0]}),
        ]
    )
    for result in (rows, columns):
        mean, variance = statistics(result["statistics"])
        assert np.array_equal(variance, np.zeros(len(x)))
        assert np.array_equal(mean.astype(np.float32), x[:, 0])


def test_spoilt_rows_are_marked_and_no_other_row_is(device: Device) -> None:
    spoilt = spoilt_rows()
    x = np.concatenate([np.stack(list(spoilt.values())), noise((3, 100), 5)])
    moments, squares, largest = device.run(
        Call(name, {"x": x}, {"axes": [1]}) for name in ("moments", "mean_square", "max")
    )
    _, variance = statistics(moments["statistics"])
    assert np.isnan(variance[: len(spoilt)]).all()
    assert np.isfinite(variance[len(spoilt) :]).all()
    _, square = statistics(squares["statistics"])
    right = reference.mean_square(x, (1,)).ravel()
    assert reference.error(square, right) < ALLOWED
    assert np.array_equal(largest["output"].ravel(), x.max(1), equal_nan=True)


def test_a_row_of_2_to_the_24_values_is_split_and_merged(device: Device) -> None:
    x = noise((1, 1 << 24), 6, 1e6)
    moments, squares, largest = device.run(
        Call(name, {"x": x}, {"axes": [1]}) for name in ("moments", "mean_square", "max")
    )
    mean, variance = statistics(moments["statistics"])
    right_mean, right_variance = (m.ravel() for m in reference.mean_variance(x, (1,)))
    assert abs(mean - right_mean) < 2e-6
    assert reference.error(variance, right_variance) < ALLOWED
    _, square = statistics(squares["statistics"])
    assert reference.error(square, reference.mean_square(x, (1,)).ravel()) < ALLOWED
    assert largest["output"].item() == x.max()
