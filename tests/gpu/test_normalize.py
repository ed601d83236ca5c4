"""LayerNorm, RMSNorm, BatchNorm, GroupNorm and any axes: one formula, over every shape."""

from __future__ import annotations

import numpy as np
import pytest

from tests.gpu import reference
from tests.gpu.device import Call, Device
from tests.gpu.inputs import (
    constant_rows,
    hard_rows,
    noise,
    shapes_and_axes,
    some_shapes_and_axes,
    spoilt_rows,
)

ALLOWED = 2e-6
EPS = 1e-5


def options(axes: object, *, center: bool = True, eps: float = EPS, **rest: object) -> dict:
    """The options of `normalize`."""
    return {"axes": list(axes), "center": center, "eps": eps, **rest}  # type: ignore[call-overload]


def test_every_shape_and_axes_centred(device: Device) -> None:
    grid = list(shapes_and_axes())
    inputs = [noise(shape, 1, 3.0) for shape, _ in grid]
    results = device.run(
        Call("normalize", {"x": x}, options(axes))
        for x, (_, axes) in zip(inputs, grid, strict=True)
    )
    for x, (shape, axes), result in zip(inputs, grid, results, strict=True):
        right = reference.normalized(x, axes, EPS)
        assert reference.error(result["output"], right, 1.0) < ALLOWED, f"{shape} over {axes}"


def test_every_kind_of_shape_and_axes_by_mean_square(device: Device) -> None:
    grid = list(some_shapes_and_axes())
    inputs = [noise(shape, 2) for shape, _ in grid]
    results = device.run(
        Call("normalize", {"x": x}, options(axes, center=False))
        for x, (_, axes) in zip(inputs, grid, strict=True)
    )
    for x, (shape, axes), result in zip(inputs, grid, results, strict=True):
        right = reference.normalized(x, axes, EPS, center=False)
        assert reference.error(result["output"], right) < ALLOWED, f"{shape} over {axes}"


@pytest.mark.parametrize("center", [True, False], ids=["centred", "by mean square"])
@pytest.mark.parametrize("orientation", ["rows", "columns"])
def test_hard_rows(device: Device, orientation: str, center: bool) -> None:
    names, rows = zip(*hard_rows().items(), strict=True)
    x = np.stack(rows)
    for eps in (EPS, 0.0, 1e-12, 1e-40, 1.0):
        given = x.T if orientation == "columns" else x
        axis = 0 if orientation == "columns" else 1
        (result,) = device.run(
            [Call("normalize", {"x": given}, options([axis], center=center, eps=eps))]
        )
        got = result["output"].T if orientation == "columns" else result["output"]
        right = reference.normalized(x, (1,), eps, center=center)
        for index, name in enumerate(names):
            # Tiny values beside a large ε give tiny results: relative to the largest of the row.
            scale = min(1.0, np.abs(right[index]).max())
            assert reference.error(got[index], right[index], scale) < ALLOWED, (name, eps)


def test_constant_rows_are_exactly_0(device: Device) -> None:
    x = constant_rows()
    rows, columns = device.run(
        [
            Call("normalize", {"x": x}, options([1])),
            Call("normalize", {"x": np.ascontiguousarray(x.T)}, options([0])),
        ]
    )
    assert np.array_equal(rows["output"], np.zeros_like(x))
    assert np.array_equal(columns["output"], np.zeros_like(x.T))


def test_constant_rows_without_eps_are_nan_as_in_numpy(device: Device) -> None:
    x = np.concatenate([constant_rows(), noise((1, 257))])
    (result,) = device.run([Call("normalize", {"x": x}, options([1], eps=0.0))])
    assert np.isnan(result["output"][:-1]).all()
    assert np.isfinite(result["output"][-1]).all()


@pytest.mark.parametrize("center", [True, False], ids=["centred", "by mean square"])
@pytest.mark.parametrize("orientation", ["rows", "columns"])
def test_nan_and_infinity_spoil_their_own_row_as_in_numpy(
    device: Device, orientation: str, center: bool
) -> None:
    x = np.concatenate([noise((3, 100), 5), np.stack(list(spoilt_rows().values()))])
    given = x.T if orientation == "columns" else x
    axis = 0 if orientation == "columns" else 1
    (result,) = device.run([Call("normalize", {"x": given}, options([axis], center=center))])
    got = result["output"].T if orientation == "columns" else result["output"]
    right = reference.normalized(x, (1,), EPS, center=center)
    assert reference.error(got, right, 1.0) < ALLOWED


def test_statistics_come_with_the_output(device: Device) -> None:
    x = noise((6, 300), 7, 1e4)
    (result,) = device.run([Call("normalize", {"x": x}, options([1], statistics=True))])
    high, low, square, scale = result["statistics"][:4].astype(np.float64)
    mean, variance = (m.ravel() for m in reference.mean_variance(x, (1,)))
    assert reference.error((high + low) / scale, mean) < 1e-7
    assert reference.error(square / scale**2, variance) < ALLOWED


LAYER_SHAPES = [
    ((5, 64), 1),
    ((5, 63), 1),
    ((3, 4, 6), 2),
    ((2, 3, 8), 1),
    ((7, 1), 1),
    ((2, 70000), 1),
]


@pytest.mark.parametrize("center", [True, False], ids=["LayerNorm", "RMSNorm"])
def test_weight_and_bias_along_the_normalized_shape(device: Device, center: bool) -> None:
    calls, right = [], []
    for shape, reduced in LAYER_SHAPES:
        axes = tuple(range(len(shape) - reduced, len(shape)))
        x, parameters = noise(shape, 8, 2.0), shape[len(shape) - reduced :]
        weight, bias = noise(parameters, 9), noise(parameters, 10)
        for tensors in ({"weight": weight}, {"bias": bias}, {"weight": weight, "bias": bias}):
            y = reference.normalized(x, axes, EPS, center=center)
            y = y * tensors.get("weight", np.float32(1)).astype(np.float64)
            right.append(y + tensors.get("bias", np.float32(0)).astype(np.float64))
            given = options(axes, center=center, gains={"along": "reduced"})
            calls.append(Call("normalize", {"x": x, **tensors}, given))
    for call, result, y in zip(calls, device.run(calls), right, strict=True):
        assert reference.error(result["output"], y, 1.0) < ALLOWED, call.tensors["x"].shape


CHANNEL_SHAPES = [(8, 6), (8, 64), (5, 3, 7), (4, 8, 16), (2, 3, 4, 5), (2, 4, 8, 8), (70000, 4)]


def test_batch_norm_takes_one_weight_a_channel(device: Device) -> None:
    calls, right = [], []
    for shape in CHANNEL_SHAPES:
        axes = tuple(axis for axis in range(len(shape)) if axis != 1)
        x, weight, bias = noise(shape, 11, 5.0), noise((shape[1],), 12), noise((shape[1],), 13)
        along = [1, shape[1], *[1] * (len(shape) - 2)]
        y = reference.normalized(x, axes, EPS)
        right.append(y * weight.reshape(along).astype(np.float64) + bias.reshape(along))
        gains = {"along": "kept", "period": shape[1]}
        tensors = {"x": x, "weight": weight, "bias": bias}
        calls.append(Call("normalize", tensors, options(axes, gains=gains)))
    for call, result, y in zip(calls, device.run(calls), right, strict=True):
        assert reference.error(result["output"], y, 1.0) < ALLOWED, call.tensors["x"].shape


GROUP_SHAPES = [((2, 6, 5), 3), ((2, 8, 16), 2), ((3, 12), 4), ((2, 4, 3, 3), 4), ((2, 8, 7, 7), 2)]


def test_group_norm_takes_one_weight_a_channel(device: Device) -> None:
    calls, right = [], []
    for shape, groups in GROUP_SHAPES:
        x, weight, bias = noise(shape, 14, 5.0), noise((shape[1],), 15), noise((shape[1],), 16)
        run = int(np.prod(shape[2:], dtype=int))
        cut = x.reshape(shape[0], groups, -1)
        y = reference.normalized(cut, (2,), EPS).reshape(shape)
        along = [1, shape[1], *[1] * (len(shape) - 2)]
        right.append((y * weight.reshape(along) + bias.reshape(along)).reshape(cut.shape))
        gains = {"along": "grouped", "period": groups, "step": shape[1] // groups, "run": run}
        tensors = {"x": cut, "weight": weight, "bias": bias}
        calls.append(Call("normalize", tensors, options([2], gains=gains)))
    for call, result, y in zip(calls, device.run(calls), right, strict=True):
        assert reference.error(result["output"], y, 1.0) < ALLOWED, call.tensors["x"].shape


def test_a_row_of_2_to_the_24_values(device: Device) -> None:
    x = noise((1, 1 << 24), 17, 1e6)
    (result,) = device.run([Call("normalize", {"x": x}, options([1]))])
    assert reference.error(result["output"], reference.normalized(x, (1,), EPS), 1.0) < ALLOWED
