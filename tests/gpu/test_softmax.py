"""Softmax over every shape, hard logits, temperatures."""

from __future__ import annotations

import numpy as np
import pytest

from tests.gpu import reference
from tests.gpu.device import Call, Device
from tests.gpu.inputs import noise, some_shapes_and_axes, spoilt_rows

ALLOWED = 2e-6


def test_every_kind_of_shape_and_axes(device: Device) -> None:
    grid = list(some_shapes_and_axes())
    inputs = [noise(shape, 1) * 8 for shape, _ in grid]
    results = device.run(
        Call("softmax", {"x": x}, {"axes": axes}) for x, (_, axes) in zip(inputs, grid, strict=True)
    )
    for x, (shape, axes), result in zip(inputs, grid, results, strict=True):
        right = reference.softmax(x, axes)
        assert reference.error(result["output"], right) < ALLOWED, f"{shape} over {axes}"


LOGITS = {
    "the seeds'": [2.0, 1.0, 0.0, -1.0],
    "overflow in the bare formula": [1000.0, 1001.0, 1002.0, 1000.5],
    "underflow in the bare formula": [-1000.0, -1001.0, -1002.0, -1000.5],
    "equal": [-200.0, -200.0, -200.0, -200.0],
    "far below the largest": [40.3, -40.7, 12.9, -45.21],
    "masked": [1.0, -np.inf, 0.5, -np.inf],
    "one is all": [0.0, -500.0, -1e30, -np.inf],
    "huge": [3e38, -3e38, 1e38, 2.9e38],
}


@pytest.mark.parametrize("temperature", [1.0, 0.1, 0.7, 3.0, 100.0])
def test_hard_logits(device: Device, temperature: float) -> None:
    x = np.array(list(LOGITS.values()), np.float32)
    given = {"axes": [1], "temperature": temperature}
    (result,) = device.run([Call("softmax", {"x": x}, given)])
    right = reference.softmax(x, (1,), float(np.float32(temperature)))
    for name, got, row in zip(LOGITS, result["output"], right, strict=True):
        assert reference.error(got, row) < ALLOWED, (name, got, row)


@pytest.mark.parametrize("temperature", [1.0, 0.3])
def test_small_probabilities_are_as_exact_as_large_ones(device: Device, temperature: float) -> None:
    x = np.linspace(-60, 26, 4000, dtype=np.float32)[None] * np.float32(temperature)
    given = {"axes": [1], "temperature": temperature}
    (result,) = device.run([Call("softmax", {"x": x}, given)])
    right = reference.softmax(x, (1,), float(np.float32(temperature)))
    assert right.min() < 1e-37
    kept = right > 1.2e-38
    assert reference.error(result["output"][kept], right[kept]) < ALLOWED


@pytest.mark.parametrize("orientation", ["rows", "columns"])
def test_nan_and_infinity_follow_numpy(device: Device, orientation: str) -> None:
    x = np.concatenate([noise((3, 100), 2), np.stack(list(spoilt_rows().values()))])
    given = x.T if orientation == "columns" else x
    axis = 0 if orientation == "columns" else 1
    softmax, sums = device.run(
        Call(name, {"x": given}, {"axes": [axis]}) for name in ("softmax", "sum_exp")
    )
    got = softmax["output"].T if orientation == "columns" else softmax["output"]
    assert reference.error(got, reference.softmax(x, (1,))) < ALLOWED
    largest, total = sums["statistics"]
    assert np.array_equal(largest, x.max(1), equal_nan=True)
    wide = x.astype(np.float64)
    with np.errstate(invalid="ignore"):
        right = np.exp(wide - wide.max(1, keepdims=True)).sum(1)
    assert reference.error(total, right) < ALLOWED


def test_a_long_row_with_a_fully_masked_part(device: Device) -> None:
    x = noise((1, 1 << 20), 3)
    x[0, : 1 << 19] = -np.inf
    softmax, sums = device.run(
        Call(name, {"x": x}, {"axes": [1]}) for name in ("softmax", "sum_exp")
    )
    assert reference.error(softmax["output"], reference.softmax(x, (1,))) < ALLOWED
    wide = x.astype(np.float64)
    right = np.exp(wide - wide.max()).sum(1)
    assert reference.error(sums["statistics"][1], right) < ALLOWED


def test_a_row_of_2_to_the_24_values(device: Device) -> None:
    x = noise((1, 1 << 24), 4) * 5
    (result,) = device.run([Call("softmax", {"x": x}, {"axes": [1]})])
    assert reference.error(result["output"], reference.softmax(x, (1,))) < ALLOWED
