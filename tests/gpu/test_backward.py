"""Gradients of LayerNorm and RMSNorm against the formula in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.gpu import reference
from tests.gpu.device import Call, Device
from tests.gpu.inputs import hard_rows, noise
from tests.gpu.reference import Axes, Float64Array

EPS = 1e-5
# Of the largest term: a gradient is a difference of terms, which may cancel.
ALLOWED = 4e-6

SHAPES: list[tuple[tuple[int, ...], Axes]] = [
    ((1, 1), (1,)),
    ((3, 2), (1,)),
    ((5, 7), (1,)),
    ((6, 64), (1,)),
    ((4, 768), (1,)),
    ((3, 1025), (1,)),
    ((700, 48), (1,)),
    ((2, 3, 20), (1, 2)),
    ((4, 3, 8), (2,)),
    ((2, 20000), (1,)),
    ((1, 300000), (1,)),
    ((70000, 4), (1,)),
]
# ∂L/∂x alone: γ and β lie along trailing axes.
SHAPES_OF_X: list[tuple[tuple[int, ...], Axes]] = [((9, 12), (0,)), ((2, 3, 4, 5), (0, 2))]


def gradients(
    x: np.ndarray, gradient: np.ndarray, axes: Axes, weight: np.ndarray | None, *, center: bool
) -> tuple[Float64Array, Float64Array, Float64Array, float]:
    """∂L/∂x, ∂L/∂γ, ∂L/∂β, and the size of the largest term of ∂L/∂x."""
    normalized = reference.normalized(x, axes, EPS, center=center)
    if center:
        root = np.sqrt(reference.mean_variance(x, axes)[1] + EPS)
    else:
        root = np.sqrt(reference.mean_square(x, axes) + EPS)
    wide = gradient.astype(np.float64)
    g = wide if weight is None else wide * weight
    mean = g.mean(axes, keepdims=True) if center else 0.0
    product = (g * normalized).mean(axes, keepdims=True)
    dx = (g - mean - normalized * product) / root
    kept = tuple(axis for axis in range(x.ndim) if axis not in axes)
    size = float(np.max(np.abs(g / root)))
    return dx, (wide * normalized).sum(kept), wide.sum(kept), size


@pytest.mark.parametrize("center", [True, False], ids=["LayerNorm", "RMSNorm"])
@pytest.mark.parametrize("weighted", [False, True], ids=["bare", "weighted"])
def test_every_kind_of_shape(device: Device, center: bool, weighted: bool) -> None:
    calls, rights = [], []
    for shape, axes in SHAPES + SHAPES_OF_X:
        x, gradient = noise(shape, 1, 2.0), noise(shape, 2)
        tensors: dict[str, Any] = {"x": x, "gradient": gradient}
        if weighted:
            tensors["weight"] = noise(tuple(shape[axis] for axis in axes), 3)
        options = {"axes": axes, "center": center, "eps": EPS}
        options["parameters"] = (shape, axes) in SHAPES
        calls.append(Call("normalize_backward", tensors, options))
        rights.append(
            gradients(
                x, gradient, axes, broadcast(tensors.get("weight"), shape, axes), center=center
            )
        )
    results = device.run(calls)
    for (shape, axes), result, right in zip(SHAPES + SHAPES_OF_X, results, rights, strict=True):
        dx, dweight, dbias, size = right
        where = f"{shape} over {axes}"
        assert reference.error(result["x"], dx, size) < ALLOWED, where
        groups = np.prod([n for axis, n in enumerate(shape) if axis not in axes], dtype=int)
        terms = max(np.sqrt(groups), 1.0)
        if (shape, axes) not in SHAPES:
            continue
        of_weight, of_bias = result["parameters"]
        assert reference.error(of_weight, dweight.ravel(), terms) < ALLOWED, where
        assert reference.error(of_bias, dbias.ravel(), terms) < ALLOWED, where


def broadcast(weight: np.ndarray | None, shape: tuple[int, ...], axes: Axes) -> np.ndarray | None:
    """γ along the reduced axes of x."""
    if weight is None:
        return None
    return weight.reshape([n if axis in axes else 1 for axis, n in enumerate(shape)])


@pytest.mark.parametrize("center", [True, False], ids=["LayerNorm", "RMSNorm"])
def test_hard_rows(device: Device, center: bool) -> None:
    # Of huge values the gradient is below float32's normal numbers, of tiny ones above its largest.
    left_out = ("tiny", "large", "huge")
    rows = {
        name: row for name, row in hard_rows().items() if not any(word in name for word in left_out)
    }
    x = np.stack(list(rows.values()))
    gradient = noise(x.shape, 4)
    options = {"axes": [1], "center": center, "eps": EPS}
    (result,) = device.run([Call("normalize_backward", {"x": x, "gradient": gradient}, options)])
    for index, name in enumerate(rows):
        row = slice(index, index + 1)
        dx, _, _, size = gradients(x[row], gradient[row], (1,), None, center=center)
        assert reference.error(result["x"][row], dx, size) < ALLOWED, name


def test_the_gradient_of_a_constant_row_is_that_of_its_mean_removed(device: Device) -> None:
    x = np.full((1, 8), 5, np.float32)
    gradient = np.arange(8, dtype=np.float32)[None]
    options = {"axes": [1], "center": True, "eps": 1.0}
    (result,) = device.run([Call("normalize_backward", {"x": x, "gradient": gradient}, options)])
    assert np.array_equal(result["x"], gradient - 3.5)


def test_a_spoilt_row_has_no_gradient_and_spoils_no_other(device: Device) -> None:
    x, gradient = noise((4, 64), 5), noise((4, 64), 6)
    x[1, 3], x[2, 5] = np.nan, np.inf
    for center in (True, False):
        options = {"axes": [1], "center": center, "eps": EPS}
        (result,) = device.run(
            [Call("normalize_backward", {"x": x, "gradient": gradient}, options)]
        )
        assert np.array_equal(np.isnan(result["x"]).all(1), [False, True, True, False])
        assert np.isfinite(result["x"][[0, 3]]).all()
