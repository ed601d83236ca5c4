"""Against exact arithmetic: rational numbers, and roots and exponentials to 60 digits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernels
from tests.unit.kernels import exact

WIDTHS = {"float16": 16, "float32": 32, "float64": 64}


def finite(dtype: str, limit: float) -> st.SearchStrategy[float]:
    return st.floats(-limit, limit, width=WIDTHS[dtype], allow_subnormal=True)


@st.composite
def rows(draw: st.DrawFn) -> np.ndarray:
    dtype = draw(st.sampled_from(sorted(WIDTHS)))
    limit = draw(
        st.sampled_from(
            {"float16": [2048.0, 65504.0], "float32": [8.0, 1e30]}.get(dtype, [8.0, 1e200])
        )
    )
    limit = float(np.dtype(dtype).type(limit))
    values = draw(st.lists(finite(dtype, limit), min_size=1, max_size=9))
    return np.array(values, dtype)


def lost_by_cancelling(row: np.ndarray, eps: float, center: bool) -> float:
    """What rounding a sum to float64 can cost x̂, where huge values cancel in the mean."""
    exact_denominator = kernels.normalize(row, 0, center=center, eps=eps).denominator.item()
    largest = float(np.max(np.abs(row)))
    return 2.0**-52 * len(row) * largest / exact_denominator if center else 0.0


@settings(max_examples=300)
@given(rows(), st.sampled_from([0.0, 1e-12, 1e-5, 1.0]), st.booleans())
def test_any_row_is_right_in_its_last_place(row: np.ndarray, eps: float, center: bool) -> None:
    if eps == 0 and len(set(row.tolist() if center else [*row.tolist(), 0.0])) == 1:
        assert np.isnan(kernels.normalize(row, 0, center=center, eps=eps).output).all()
        return
    wanted = exact.standardized(row, center, eps)
    got = kernels.normalize(row, 0, center=center, eps=eps).output
    spared = lost_by_cancelling(row, eps, center)
    assert exact.ulps(got, wanted, spared) <= (4.0 if row.dtype == np.float64 else 1.0)


@settings(max_examples=200)
@given(rows())
def test_softmax_of_any_row_is_right_in_its_last_place(row: np.ndarray) -> None:
    got = kernels.softmax(row)
    wanted = exact.softmax(row)
    # In float64 the difference to the largest score is rounded itself: half a unit each.
    below = float(np.max(row) / 2 - np.min(row) / 2) * 2
    assert exact.ulps(got, wanted) <= (4.0 + min(below, 750) if row.dtype == np.float64 else 1.0)


@pytest.mark.parametrize("scale", [1e200, 1e150, 1.0, 1e-150, 1e-200, 1e-300])
@pytest.mark.parametrize("center", [True, False])
def test_no_scale_of_float64_overflows_or_underflows(scale: float, center: bool) -> None:
    row = scale * np.array([1.0, 2.0, 3.0, 4.0])
    got = kernels.normalize(row, 0, center=center, eps=0.0).output
    assert exact.ulps(got, exact.standardized(row, center, 0.0)) <= 4


@pytest.mark.parametrize(
    "row", [[1.7e308, -1.7e308, 1e308], [1.7e308, 1.7e308, 1.6e308], [5e-324, 0]]
)
@pytest.mark.parametrize("center", [True, False])
def test_the_ends_of_float64(row: list[float], center: bool) -> None:
    got = kernels.normalize(np.array(row), 0, center=center, eps=0.0).output
    assert exact.ulps(got, exact.standardized(row, center, 0.0)) <= 4


def test_the_denominator_is_right_where_the_variance_overflows() -> None:
    result = kernels.normalize([1e200, 3e200], 0, eps=0.0)
    assert np.isinf(result.variance).all()
    np.testing.assert_allclose(result.denominator, [1e200], rtol=1e-15)
    np.testing.assert_allclose(result.mean, [2e200], rtol=1e-15)


def test_a_tiny_group_under_a_large_eps_keeps_its_digits() -> None:
    result = kernels.normalize([1e-200, 3e-200], 0, eps=1e-5)
    np.testing.assert_allclose(result.output, np.array([-1e-200, 1e-200]) / np.sqrt(1e-5))


def test_a_group_out_of_range_costs_its_neighbours_nothing() -> None:
    x = np.array([[1e-200, 3e-200], [1e200, 3e200], [1.0, 3.0]])
    for eps in (1e-5, 1e-300, 0.0):
        got = kernels.normalize(x, 1, eps=eps).output
        for row, output in zip(x, got, strict=True):
            assert exact.ulps(output, exact.standardized(row, True, eps)) <= 4


@pytest.mark.parametrize("dtype", sorted(WIDTHS))
@pytest.mark.parametrize("value", [0.1, 5.0, 1e4, -3.3])
@pytest.mark.parametrize("count", [3, 7, 1000])
def test_a_constant_group_is_exactly_0(dtype: str, value: float, count: int) -> None:
    x = np.full((count, 2), value, dtype)
    for axis in (0, 1, None):
        result = kernels.normalize(x, axis)
        np.testing.assert_array_equal(result.output, 0)
        np.testing.assert_array_equal(result.variance, 0)
        np.testing.assert_array_equal(result.mean, np.float64(x[0, 0]))


@pytest.mark.parametrize("value", [1e7, 1e10, 1e30, 3e38])
def test_a_huge_constant_float32_is_exactly_0(value: float) -> None:
    x = np.full((5, 3), value, np.float32)
    np.testing.assert_array_equal(kernels.batch_norm(x, training=True).output, 0)
    np.testing.assert_array_equal(kernels.layer_norm(x, 3).output, 0)


@pytest.mark.parametrize("offset", [1e3, 1e6, -1e6])
@pytest.mark.parametrize("axis", [0, 1])
def test_an_offset_costs_float32_nothing(offset: float, axis: int) -> None:
    x = np.random.default_rng(1).standard_normal((40, 30)).astype(np.float32)
    x += np.float32(offset)
    got = kernels.normalize(x, axis).output
    groups = x if axis == 1 else x.T
    outputs = got if axis == 1 else got.T
    for group, output in zip(groups, outputs, strict=True):
        assert exact.ulps(output, exact.standardized(group, True, 1e-5)) <= 1


def test_sum_of_many_values_down_the_slow_axis_does_not_drift() -> None:
    # 2²⁵ values of 0.1, which float32 sums to 2097152 when it adds one by one, instead of 3355443.
    x = np.broadcast_to(np.float32(0.1), (2**25, 1))
    result = kernels.normalize(x, 0)
    assert result.mean.item() == float(np.float32(0.1))
    assert not result.output.any()


def test_nan_and_inf_spoil_their_own_group_only() -> None:
    x = np.arange(20.0).reshape(5, 4)
    x[1, 2], x[3, 0] = np.nan, np.inf
    clean = kernels.layer_norm(np.arange(20.0).reshape(5, 4), 4).output
    got = kernels.layer_norm(x, 4)
    assert np.isnan(got.output[[1, 3]]).all()
    np.testing.assert_array_equal(got.output[[0, 2, 4]], clean[[0, 2, 4]])
    assert np.isnan(got.mean[1]) and np.isinf(got.mean[3])
    np.testing.assert_array_equal(got.mean[[0, 2, 4], 0], [1.5, 9.5, 17.5])
