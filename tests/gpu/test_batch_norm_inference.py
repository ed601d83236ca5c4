"""BatchNorm with running statistics: every value on its own."""

from __future__ import annotations

import numpy as np

from tests.gpu import reference
from tests.gpu.device import Call, Device
from tests.gpu.inputs import noise

ALLOWED = 2e-6
SHAPES = [(8, 6), (8, 64), (5, 3, 7), (4, 8, 16), (2, 3, 4, 5), (2, 4, 8, 8), (70000, 3), (1, 5)]


def planes(mean: np.ndarray, factor: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """μ in two parts, the factor and β, as the kernel wants them."""
    high = mean.astype(np.float32)
    return np.stack([high, mean - high, factor, bias]).astype(np.float32)


def along_channel(values: np.ndarray, rank: int) -> np.ndarray:
    """One value a channel, to be broadcast against [N, C, *]."""
    return values.reshape([1, -1, *[1] * (rank - 2)])


def test_every_layout(device: Device) -> None:
    calls, rights = [], []
    for offset in (0.0, 1e6):
        for shape in SHAPES:
            channels = shape[1]
            x = noise(shape, 1, offset)
            mean = noise((channels,), 2).astype(np.float64) + offset
            factor, bias = noise((channels,), 3), noise((channels,), 4)
            axes = [axis for axis in range(len(shape)) if axis != 1]
            tensors = {"x": x, "channels": planes(mean, factor, bias)}
            calls.append(Call("batch_norm_inference", tensors, {"axes": axes}))
            rank = len(shape)
            y = (x - along_channel(mean, rank)) * along_channel(factor.astype(np.float64), rank)
            rights.append(y + along_channel(bias, rank))
    for call, result, right in zip(calls, device.run(calls), rights, strict=True):
        assert reference.error(result["output"], right, 1.0) < ALLOWED, call.tensors["x"].shape


def test_nan_and_infinity_stay_where_they_are(device: Device) -> None:
    x = noise((4, 5), 5)
    x[0, 0], x[1, 1], x[2, 2], x[3, 3] = np.nan, np.inf, -np.inf, np.inf
    factor = np.array([1, -2, 3, 0, 1], np.float32)
    mean = np.zeros(5)
    tensors = {"x": x, "channels": planes(mean, factor, np.ones(5))}
    (result,) = device.run([Call("batch_norm_inference", tensors, {"axes": [0]})])
    with np.errstate(invalid="ignore"):
        right = x.astype(np.float64) * factor + 1
    assert reference.error(result["output"], right, 1.0) < ALLOWED
