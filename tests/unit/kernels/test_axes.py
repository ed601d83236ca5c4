"""Which elements share a statistic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kernels
from kernels.axes import LAYOUTS, NORMALIZERS, group_ids, resolve_axes


@pytest.mark.parametrize(
    ("normalizer", "layout", "axes"),
    [
        ("batch", "[B,T,d]", (0, 1)),
        ("batch", "[N,C]", (0,)),
        ("batch", "[N,C,L]", (0, 2)),
        ("batch", "[N,C,H,W]", (0, 2, 3)),
        ("batch", "[d]", ()),
        ("layer", "[B,T,d]", (2,)),
        ("layer_sample", "[B,T,d]", (1, 2)),
        ("layer", "[d]", (0,)),
        ("rms", "[B,T,d]", (2,)),
        ("rms_sample", "[B,T,d]", (1, 2)),
        ("group", "[N,C,H,W]", (1, 2, 3)),
        ("instance", "[N,C,L]", (2,)),
        ("instance", "[N,C,H,W]", (2, 3)),
    ],
)
def test_axes_of_each_normalizer(normalizer: str, layout: str, axes: tuple[int, ...]) -> None:
    assert NORMALIZERS[normalizer].axes(LAYOUTS[layout]) == axes


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=lambda layout: layout.name)
def test_each_axis_of_a_layout_has_exactly_one_role(layout) -> None:
    roles = layout.axes_of(["batch", "spatial", "channel"])
    assert roles == tuple(range(layout.ndim)) == tuple(range(len(layout.axis_names)))
    assert layout.name == f"[{','.join(layout.axis_names)}]"


@pytest.mark.parametrize("row", NORMALIZERS.values(), ids=lambda row: row.title)
def test_every_normalizer_is_a_kernel(row) -> None:
    assert callable(getattr(kernels, row.kernel))


def test_layer_norm_groups_are_rows_and_batch_norm_groups_are_columns() -> None:
    np.testing.assert_array_equal(group_ids((2, 3), 1), [[0, 0, 0], [1, 1, 1]])
    np.testing.assert_array_equal(group_ids((2, 3), 0), [[0, 1, 2], [0, 1, 2]])


def test_group_norm_groups_are_neighbouring_channels_of_one_sample() -> None:
    ids = group_ids((2, 4, 3), (1, 2), num_groups=2)
    np.testing.assert_array_equal(ids[:, :, 0], [[0, 0, 1, 1], [2, 2, 3, 3]])
    assert (ids == ids[:, :, :1]).all()


def test_group_norm_groups_with_channels_last() -> None:
    ids = group_ids((2, 3, 4), (1, 2), num_groups=2, channel_axis=-1)
    np.testing.assert_array_equal(ids[:, 0], [[0, 0, 1, 1], [2, 2, 3, 3]])
    assert (ids == ids[:, :1]).all()


def test_no_axes_leave_each_element_alone_and_all_axes_make_one_group() -> None:
    np.testing.assert_array_equal(group_ids((2, 2), ()), [[0, 1], [2, 3]])
    np.testing.assert_array_equal(group_ids((2, 2), None), [[0, 0], [0, 0]])


def test_an_empty_tensor_has_no_groups() -> None:
    assert group_ids((0, 3), 0).shape == (0, 3)
    assert group_ids((2, 0, 3), (1, 2), num_groups=4).shape == (2, 0, 3)


@st.composite
def tensors_and_axes(draw: st.DrawFn) -> tuple[np.ndarray, tuple[int, ...]]:
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    axes = draw(st.sets(st.integers(0, len(shape) - 1)))
    seed = draw(st.integers(0, 2**32 - 1))
    return np.random.default_rng(seed).standard_normal(shape), tuple(sorted(axes))


@given(tensors_and_axes())
def test_groups_are_those_whose_mean_the_kernel_takes(case) -> None:
    x, axes = case
    ids = group_ids(x.shape, axes)
    mean = np.broadcast_to(kernels.normalize(x, axes).mean, x.shape)
    for group in range(ids.max() + 1):
        members = ids == group
        np.testing.assert_allclose(mean[members], x[members].mean(), rtol=1e-12, atol=1e-12)


@given(tensors_and_axes())
def test_groups_are_numbered_from_0_without_gaps(case) -> None:
    x, axes = case
    ids = group_ids(x.shape, axes)
    assert sorted(set(ids.ravel())) == list(range(ids.max() + 1))


@given(
    st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(1, 3), st.integers(1, 4)),
    st.integers(0, 2**32 - 1),
)
def test_group_ids_of_group_norm_are_those_whose_mean_the_kernel_takes(sizes, seed) -> None:
    samples, groups, channels, length = sizes
    x = np.random.default_rng(seed).standard_normal((samples, groups * channels, length))
    ids = group_ids(x.shape, (1, 2), num_groups=groups)
    mean = np.broadcast_to(kernels.group_norm(x, groups, strict=False).mean, x.shape)
    for group in range(ids.max() + 1):
        members = ids == group
        np.testing.assert_allclose(mean[members], x[members].mean(), rtol=1e-12, atol=1e-12)


def test_negative_axes_count_from_the_end() -> None:
    assert resolve_axes((-1, 0), 3) == (0, 2)
    assert resolve_axes(np.int64(-2), 3) == (1,)
    assert resolve_axes(None, 3) == (0, 1, 2)


def test_bad_axes_are_named() -> None:
    with pytest.raises(ValueError, match=r"axes: axis 2 is out of range .* 2 dimensions"):
        resolve_axes(2, 2)
    with pytest.raises(ValueError, match="axes: axis -3 is out of range"):
        resolve_axes(-3, 2)
    with pytest.raises(ValueError, match="axes: duplicate axis 1, given as -1 and as 1"):
        resolve_axes((-1, 1), 2)
    with pytest.raises(TypeError, match=r"axes: expected an integer, got 1\.0"):
        resolve_axes(1.0, 2)
    with pytest.raises(TypeError, match="axes: expected an integer, got True"):
        resolve_axes(True, 2)
    with pytest.raises(TypeError, match="axes: expected an integer, got '0'"):
        resolve_axes("0", 2)


def test_bad_groups_are_named_with_the_right_side_dividing() -> None:
    message = "number of channels must be divisible by num_groups, but 6 channels .* by 4 groups"
    with pytest.raises(ValueError, match=message):
        group_ids((2, 6), 1, num_groups=4)
    with pytest.raises(ValueError, match="num_groups: expected a positive number, got 0"):
        group_ids((2, 6), 1, num_groups=0)
    with pytest.raises(ValueError, match="axes: must include the channel axis 1"):
        group_ids((2, 6), 0, num_groups=2)
