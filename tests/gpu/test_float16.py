"""float16 in memory, float32 in the arithmetic: on every device, whether it has f16 or not."""

from __future__ import annotations

import numpy as np
import pytest

from tests.gpu import reference
from tests.gpu.device import Call, Device
from tests.gpu.inputs import noise, spoilt_rows

HALF_UNIT = 2.0**-11  # of a float16 result, relative: the rounding of the store alone
ALLOWED = HALF_UNIT * 1.002

ALL_HALVES = np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def test_every_float16_becomes_its_own_float32(device: Device) -> None:
    (result,) = device.run([Call("widen", {"x": ALL_HALVES})])
    assert np.array_equal(result["output"], ALL_HALVES.astype(np.float32), equal_nan=True)


def test_float32_is_rounded_to_float16_as_numpy_rounds(device: Device) -> None:
    finite = ALL_HALVES[np.isfinite(ALL_HALVES)].astype(np.float32)
    between = (np.sort(finite)[:-1] + np.sort(finite)[1:]) / 2  # ties
    spread = np.concatenate([noise((20001,)), noise((999,)) * 1e5, noise((999,)) * 1e-6])
    edges = [
        65503,
        65504,
        65519.99,
        65520,
        7e4,
        -65520,
        1e-8,
        2**-25,
        2**-24,
        np.inf,
        -np.inf,
        np.nan,
    ]
    x = np.concatenate([finite, between, spread, np.array(edges, np.float32)])
    (result,) = device.run([Call("narrow", {"x": x})])
    with np.errstate(over="ignore"):
        assert np.array_equal(result["output"], x.astype(np.float16), equal_nan=True)


SHAPES: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((4, 64), (1,)),
    ((4, 20), (1,)),
    ((3, 5), (1,)),
    ((64, 12), (0,)),
    ((7, 3), (0,)),
]
SHAPES += [((2, 3, 4, 8), (1, 2)), ((1, 100000), (1,)), ((2, 30001), (1,))]


@pytest.mark.parametrize("center", [True, False], ids=["LayerNorm", "RMSNorm"])
def test_normalizers_are_off_by_the_rounding_of_the_store_alone(
    device: Device, center: bool
) -> None:
    inputs = [noise(shape, 1, 2.0).astype(np.float16) for shape, _ in SHAPES]
    calls = [
        Call("normalize", {"x": x}, {"axes": axes, "center": center, "eps": 1e-5})
        for x, (_, axes) in zip(inputs, SHAPES, strict=True)
    ]
    for x, (shape, axes), result in zip(inputs, SHAPES, device.run(calls), strict=True):
        assert result["output"].dtype == np.float16
        right = reference.normalized(x, axes, 1e-5, center=center)
        assert reference.error(result["output"], right, 2.0**-3) < ALLOWED, f"{shape} over {axes}"


def test_a_square_of_256_does_not_overflow(device: Device) -> None:
    # onnx#8439: 256² is above float16's 65504; LayerNorm([256, -256]) is [1, -1] all the same.
    x = np.array([[256, -256, 256, -256]], np.float16)
    (result,) = device.run([Call("normalize", {"x": x}, {"axes": [1], "center": True, "eps": 0.0})])
    assert np.array_equal(result["output"], [[1, -1, 1, -1]])


def test_weights_stay_float32(device: Device) -> None:
    x = noise((5, 64), 2).astype(np.float16)
    weight, bias = noise((64,), 3), noise((64,), 4)
    options = {"axes": [1], "center": True, "eps": 1e-5, "gains": {"along": "reduced"}}
    (result,) = device.run([Call("normalize", {"x": x, "weight": weight, "bias": bias}, options)])
    right = reference.normalized(x, (1,), 1e-5) * weight + bias
    assert reference.error(result["output"], right, 2.0**-3) < ALLOWED


def test_softmax_and_statistics(device: Device) -> None:
    x = (noise((6, 48), 5) * 4).astype(np.float16)
    softmax, moments, sums = device.run(
        Call(name, {"x": x}, {"axes": [1]}) for name in ("softmax", "moments", "sum_exp")
    )
    assert reference.error(softmax["output"], reference.softmax(x, (1,)), 2.0**-14) < ALLOWED
    high, low, square, scale = moments["statistics"][:4].astype(np.float64)
    mean, variance = (m.ravel() for m in reference.mean_variance(x, (1,)))
    assert reference.error((high + low) / scale, mean, 1.0) < 1e-6
    assert reference.error(square / scale**2, variance) < 2e-6
    assert np.array_equal(sums["statistics"][0], x.max(1))


def test_nan_and_infinity(device: Device) -> None:
    x = np.stack(list(spoilt_rows().values())).astype(np.float16)
    options = {"axes": [1], "center": False, "eps": 1e-5}
    (result,) = device.run([Call("normalize", {"x": x}, options)])
    right = reference.normalized(x, (1,), 1e-5, center=False)
    assert np.array_equal(np.isnan(result["output"]), np.isnan(right))
