"""Laws that hold for every input."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import kernels


@st.composite
def tensors(draw: st.DrawFn, min_dims: int = 1) -> np.ndarray:
    """Small float64 tensors of moderate numbers."""
    shape = tuple(draw(st.lists(st.integers(2, 4), min_size=min_dims, max_size=4)))
    seed = draw(st.integers(0, 2**32 - 1))
    return np.random.default_rng(seed).standard_normal(shape)


@st.composite
def tensors_with_axes(draw: st.DrawFn) -> tuple[np.ndarray, tuple[int, ...]]:
    x = draw(tensors())
    axes = draw(st.sets(st.integers(0, x.ndim - 1), min_size=1))
    return x, tuple(sorted(axes))


def close(a: Any, b: Any, digits: float = 1e-11) -> None:
    np.testing.assert_allclose(a, b, rtol=digits, atol=digits)


@given(tensors_with_axes(), st.floats(-1e3, 1e3))
def test_adding_a_number_changes_nothing_but_the_mean(case, shift: float) -> None:
    x, axes = case
    before, after = kernels.normalize(x, axes), kernels.normalize(x + shift, axes)
    close(after.output, before.output, 1e-9)
    close(after.mean, before.mean + shift, 1e-9)
    close(after.variance, before.variance, 1e-9)


@given(tensors_with_axes(), st.floats(1e-3, 1e3), st.booleans())
def test_without_eps_scaling_changes_nothing_but_the_denominator(case, scale, center) -> None:
    x, axes = case
    before = kernels.normalize(x, axes, center=center, eps=0.0)
    after = kernels.normalize(scale * x, axes, center=center, eps=0.0)
    close(after.output, before.output)
    close(after.denominator, scale * before.denominator, 1e-9)


@given(tensors_with_axes(), st.floats(0, 10))
def test_layer_norm_is_rms_norm_of_what_is_left_after_the_mean(case, eps: float) -> None:
    x, axes = case
    layer = kernels.normalize(x, axes, eps=eps)
    rms = kernels.normalize(x - layer.mean, axes, center=False, eps=eps)
    close(rms.output, layer.output)
    close(rms.mean_square, layer.variance)


@given(tensors_with_axes())
def test_outputs_have_mean_0_and_variance_below_1(case) -> None:
    x, axes = case
    output = kernels.normalize(x, axes, eps=1e-3).output
    close(output.mean(axes), 0.0)
    assert (output.var(axes) < 1).all()


@given(tensors_with_axes(), st.data())
def test_permuting_any_axis_permutes_the_output(case, data) -> None:
    x, axes = case
    axis = data.draw(st.integers(0, x.ndim - 1))
    order = data.draw(st.permutations(range(x.shape[axis])))
    permuted = kernels.normalize(np.take(x, order, axis), axes).output
    close(permuted, np.take(kernels.normalize(x, axes).output, order, axis))


@given(tensors_with_axes(), st.data())
def test_transposing_transposes(case, data) -> None:
    x, axes = case
    order = data.draw(st.permutations(range(x.ndim)))
    moved = tuple(order.index(axis) for axis in axes)
    result = kernels.normalize(np.transpose(x, order), moved)
    plain = kernels.normalize(x, axes)
    close(result.output, np.transpose(plain.output, order))
    close(result.variance, np.transpose(plain.variance, order))


@given(tensors_with_axes(), st.data())
def test_the_result_does_not_depend_on_strides_and_the_input_is_not_changed(case, data) -> None:
    x, axes = case
    wanted = kernels.normalize(x, axes).output
    spread = np.zeros([2 * size for size in x.shape])
    every_other = spread[tuple(slice(None, None, 2) for _ in x.shape)]
    every_other[...] = x
    backwards = x[tuple(slice(None, None, -1) for _ in x.shape)].copy()
    views = {
        "Fortran order": np.asfortranarray(x),
        "every other value": every_other,
        "negative strides": backwards[tuple(slice(None, None, -1) for _ in x.shape)],
        "big-endian": x.astype(">f8"),
    }
    view = views[data.draw(st.sampled_from(sorted(views)))]
    view.flags.writeable = False
    close(kernels.normalize(view, axes).output, wanted, 1e-13)
    np.testing.assert_array_equal(view, x)


@given(tensors_with_axes())
def test_float32_is_float64_rounded(case) -> None:
    x, axes = case
    narrow = x.astype(np.float32)
    wide = kernels.normalize(narrow.astype(np.float64), axes).output
    got = kernels.normalize(narrow, axes).output
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, wide.astype(np.float32))


@given(tensors(min_dims=3))
def test_one_group_is_layer_norm_and_a_group_a_channel_is_instance_norm(x: np.ndarray) -> None:
    close(kernels.group_norm(x, 1).output, kernels.layer_norm(x, x.shape[1:]).output)
    close(kernels.group_norm(x, x.shape[1]).output, kernels.instance_norm(x).output)


@given(tensors(min_dims=3))
def test_batch_norm_of_one_sample_is_instance_norm(x: np.ndarray) -> None:
    sample = x[:1]
    close(kernels.batch_norm(sample, training=True).output, kernels.instance_norm(sample).output)


@given(tensors(min_dims=2), st.integers(0, 2**32 - 1))
def test_weight_and_bias_multiply_and_add(x: np.ndarray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    width = x.shape[-1]
    weight, bias = rng.standard_normal((2, width))
    result = kernels.layer_norm(x, width, weight, bias)
    close(result.output, result.normalized * weight + bias)
    close(result.normalized, kernels.layer_norm(x, width).output)
    gained = kernels.rms_norm(x, width, weight, 1e-6, gain_offset=1.0)
    close(gained.output, gained.normalized * (1 + weight))


@given(tensors(min_dims=2))
def test_channels_last_is_channels_first_moved(x: np.ndarray) -> None:
    first = kernels.batch_norm(x, training=True)
    last = kernels.batch_norm(np.moveaxis(x, 1, -1), training=True, channel_axis=-1)
    close(np.moveaxis(last.output, -1, 1), first.output)
    assert last.axes == tuple(range(x.ndim - 1))


@given(tensors(), st.floats(-50, 50), st.data())
def test_softmax_sums_to_1_and_does_not_see_a_shift(x: np.ndarray, shift: float, data) -> None:
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    p = kernels.softmax(x, axis)
    close(p.sum(axis), 1.0)
    close(kernels.softmax(x + shift, axis), p)
    close(np.exp(kernels.log_softmax(x, axis)), p)


@given(tensors(), st.floats(0.1, 10))
def test_temperature_divides_the_scores(x: np.ndarray, temperature: float) -> None:
    close(kernels.softmax(x, temperature=temperature), kernels.softmax(x / temperature))
    close(kernels.log_softmax(x, temperature=temperature), kernels.log_softmax(x / temperature))


@given(tensors())
def test_entropy_is_between_0_and_log_n(x: np.ndarray) -> None:
    h = kernels.entropy(kernels.softmax(10 * x))
    assert (h >= 0).all() and (h <= np.log(x.shape[-1]) + 1e-12).all()
    close(kernels.entropy(np.full(x.shape, 1 / x.shape[-1])), np.log(x.shape[-1]))


@settings(max_examples=50)
@given(tensors(min_dims=2))
def test_merged_parts_have_the_moments_of_the_whole(x: np.ndarray) -> None:
    parts = [x[:1], x[1:], x[:0]]
    whole = kernels.batch_norm(x, np.zeros(x.shape[1]), np.ones(x.shape[1]), training=True)
    synced = kernels.sync_batch_norm(parts, np.zeros(x.shape[1]), np.ones(x.shape[1]))
    close(np.concatenate([result.output for result in synced]), whole.output)
    for result in synced:
        close(result.running_mean, whole.running_mean)
        close(result.running_var, whole.running_var)
