"""Every gradient against finite differences."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernels

STEP = 1e-5


def numerical(function: Callable[[np.ndarray], np.ndarray], at: np.ndarray) -> np.ndarray:
    """∂ Σ function/∂at by central differences."""
    gradient = np.zeros_like(at)
    for index in np.ndindex(at.shape):
        moved = at.copy()
        moved[index] += STEP
        above = function(moved).sum()
        moved[index] -= 2 * STEP
        gradient[index] = (above - function(moved).sum()) / (2 * STEP)
    return gradient


def check(got: np.ndarray | None, function: Callable, at: np.ndarray) -> None:
    assert got is not None
    np.testing.assert_allclose(got, numerical(function, at), rtol=2e-5, atol=2e-7)


def drawn(seed: int, *shapes: tuple[int, ...]) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


seeds = pytest.mark.parametrize("seed", range(3))


@settings(max_examples=30)
@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple),
    st.data(),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_normalize_over_any_axes(shape, data, center: bool, seed: int) -> None:
    axes = tuple(data.draw(st.sets(st.integers(0, len(shape) - 1))))
    x, g = drawn(seed, shape, shape)
    options = {"center": center, "eps": 0.1}
    got = kernels.normalize_backward(g, x, axes, **options)
    check(got.x, lambda v: g * kernels.normalize(v, axes, **options).output, x)
    assert got.weight is None and got.bias is None


@seeds
@pytest.mark.parametrize("normalized_shape", [(4,), (3, 4)])
def test_layer_norm(seed: int, normalized_shape: tuple[int, ...]) -> None:
    x, g, w, b = drawn(seed, (2, 3, 4), (2, 3, 4), normalized_shape, normalized_shape)

    def forward(x=x, w=w, b=b):
        return g * kernels.layer_norm(x, normalized_shape, w, b, 1e-2).output

    got = kernels.layer_norm_backward(g, x, normalized_shape, w, 1e-2)
    check(got.x, lambda v: forward(x=v), x)
    check(got.weight, lambda v: forward(w=v), w)
    check(got.bias, lambda v: forward(b=v), b)


@seeds
@pytest.mark.parametrize("gain_offset", [0.0, 1.0])
def test_rms_norm(seed: int, gain_offset: float) -> None:
    x, g, w = drawn(seed, (5, 4), (5, 4), (4,))

    def forward(x=x, w=w):
        return g * kernels.rms_norm(x, 4, w, 1e-2, gain_offset=gain_offset).output

    got = kernels.rms_norm_backward(g, x, 4, w, 1e-2, gain_offset=gain_offset)
    check(got.x, lambda v: forward(x=v), x)
    check(got.weight, lambda v: forward(w=v), w)
    assert got.bias is None


@seeds
@pytest.mark.parametrize("training", [True, False])
def test_batch_norm(seed: int, training: bool) -> None:
    x, g, w, b, mean, var = drawn(seed, (4, 3, 2), (4, 3, 2), (3,), (3,), (3,), (3,))
    var = np.exp(var)

    def forward(x=x, w=w, b=b):
        return g * kernels.batch_norm(x, mean, var, w, b, training, eps=1e-2).output

    got = kernels.batch_norm_backward(g, x, mean, var, w, training, 1e-2)
    check(got.x, lambda v: forward(x=v), x)
    check(got.weight, lambda v: forward(w=v), w)
    check(got.bias, lambda v: forward(b=v), b)


@seeds
def test_batch_norm_with_a_mask_and_channels_last(seed: int) -> None:
    x, g, w, b = drawn(seed, (4, 3, 2), (4, 3, 2), (2,), (2,))
    mask = np.array([[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 0]], bool)
    options = {"mask": mask, "channel_axis": -1}

    def forward(x=x, w=w, b=b):
        return g * kernels.batch_norm(x, None, None, w, b, True, eps=1e-2, **options).output

    got = kernels.batch_norm_backward(g, x, None, None, w, True, 1e-2, **options)
    check(got.x, lambda v: forward(x=v), x)
    check(got.weight, lambda v: forward(w=v), w)
    check(got.bias, lambda v: forward(b=v), b)


def test_a_masked_out_nan_without_a_gradient_spoils_no_gradient() -> None:
    x, g = drawn(0, (3, 2, 4), (3, 2, 4))
    mask = np.ones((3, 4), bool)
    mask[2, 1:] = False
    g[2, :, 1:] = 0
    clean = kernels.batch_norm_backward(g, x, training=True, mask=mask)
    x[2, :, 2] = np.nan
    spoilt = kernels.batch_norm_backward(g, x, training=True, mask=mask)
    kept = np.broadcast_to(mask[:, None], x.shape)
    np.testing.assert_array_equal(spoilt.x[kept], clean.x[kept])
    np.testing.assert_array_equal(spoilt.weight, clean.weight)


@seeds
@pytest.mark.parametrize("shape", [(2, 6, 3), (2, 6), (1, 6, 2, 2)])
def test_group_norm(seed: int, shape: tuple[int, ...]) -> None:
    x, g, w, b = drawn(seed, shape, shape, (6,), (6,))

    def forward(x=x, w=w, b=b):
        return g * kernels.group_norm(x, 3, w, b, 1e-2).output

    got = kernels.group_norm_backward(g, x, 3, w, 1e-2)
    check(got.x, lambda v: forward(x=v), x)
    check(got.weight, lambda v: forward(w=v), w)
    check(got.bias, lambda v: forward(b=v), b)


@seeds
@pytest.mark.parametrize("shape", [(2, 3, 4), (3, 4), (2, 3, 2, 2)])
@pytest.mark.parametrize("use_input_stats", [True, False])
def test_instance_norm(seed: int, shape: tuple[int, ...], use_input_stats: bool) -> None:
    x, g, w, b, mean, var = drawn(seed, shape, shape, (3,), (3,), (3,), (3,))
    var = np.exp(var)

    def forward(x=x, w=w, b=b):
        return g * kernels.instance_norm(x, mean, var, w, b, use_input_stats, eps=1e-2).output

    got = kernels.instance_norm_backward(g, x, mean, var, w, use_input_stats, 1e-2)
    check(got.x, lambda v: forward(x=v), x)
    check(got.weight, lambda v: forward(w=v), w)
    check(got.bias, lambda v: forward(b=v), b)


@seeds
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("axis", [0, -1])
def test_softmax(seed: int, name: str, axis: int) -> None:
    x, g = drawn(seed, (3, 4), (3, 4))
    forward, backward = getattr(kernels, name), getattr(kernels, f"{name}_backward")
    got = backward(g, x, axis, temperature=0.7)
    check(got, lambda v: g * forward(v, axis, temperature=0.7), x)


@seeds
def test_soft_cap(seed: int) -> None:
    s, g = drawn(seed, (3, 4), (3, 4))
    check(kernels.soft_cap_backward(g, s, 0.8), lambda v: g * kernels.soft_cap(v, 0.8), s)


def test_the_gradient_of_a_saturated_softmax_keeps_its_digits() -> None:
    # p₀(1 − p₀) for scores 40 and 0, with 1 − p₀ = e⁻⁴⁰/(1 + e⁻⁴⁰) to 20 digits.
    got = kernels.softmax_backward([1.0, 0.0], [40.0, 0.0])
    np.testing.assert_allclose(got, [4.24835425529158899e-18, -4.24835425529158899e-18], rtol=1e-14)


def test_gradients_keep_the_type_of_x_and_leave_their_inputs_alone() -> None:
    x, g = (array.astype(np.float32) for array in drawn(0, (3, 4), (3, 4)))
    kept = x.copy(), g.copy()
    for array in (x, g):
        array.flags.writeable = False
    grads = kernels.layer_norm_backward(g, x, 4)
    assert {array.dtype for array in grads} == {np.dtype(np.float32)}
    assert kernels.softmax_backward(g, x).dtype == np.float32
    np.testing.assert_array_equal((x, g), kept)


def test_an_integer_input_has_a_float64_gradient() -> None:
    assert kernels.layer_norm_backward([1, 0, 0, 0], [2, 4, 4, 6], 4).x.dtype == np.float64


def test_a_gradient_of_another_shape_is_named() -> None:
    for call in (
        lambda g, x: kernels.layer_norm_backward(g, x, 4),
        lambda g, x: kernels.rms_norm_backward(g, x, 4),
        lambda g, x: kernels.batch_norm_backward(g, x, training=True),
        lambda g, x: kernels.group_norm_backward(g, x, 2),
        lambda g, x: kernels.instance_norm_backward(g, x),
        lambda g, x: kernels.normalize_backward(g, x, 0),
        lambda g, x: kernels.softmax_backward(g, x),
        lambda g, x: kernels.log_softmax_backward(g, x),
        lambda g, x: kernels.soft_cap_backward(g, x, 1.0),
    ):
        with pytest.raises(ValueError, match=r"grad_output: expected the shape of x, \(2, 4\)"):
            call(np.zeros((4, 2)), np.zeros((2, 4)))
