"""Softmax, log-softmax, entropy and the soft-cap where they are hard."""

import numpy as np
import pytest

import kernels


def test_scores_2_and_1_give_0_731_and_0_269_and_three_times_both_weights_saturate() -> None:
    np.testing.assert_allclose(
        kernels.softmax([2.0, 1.0]), [0.7310585786300049, 0.2689414213699951]
    )
    np.testing.assert_allclose(
        kernels.softmax([18.0, 9.0]), [0.9998766054240137, 0.00012339457598623172]
    )


def test_huge_scores_do_not_overflow() -> None:
    got = kernels.softmax([1e308, 1e308, -1e308])
    np.testing.assert_array_equal(got, [0.5, 0.5, 0.0])
    np.testing.assert_array_equal(kernels.softmax(np.array([65504, -65504], np.float16)), [1, 0])


@pytest.mark.parametrize("row", [[-np.inf] * 3, [1.0, np.nan, 2.0], [1.0, np.inf, 2.0]])
def test_rows_without_a_distribution_are_nan_and_leave_the_others(row: list[float]) -> None:
    x = np.array([row, [1.0, 2.0, 3.0]])
    for kernel in (kernels.softmax, kernels.log_softmax):
        got = kernel(x)
        assert np.isnan(got[0]).all()
        np.testing.assert_array_equal(got[1], kernel(x[1]))


def test_a_masked_score_has_probability_0() -> None:
    np.testing.assert_array_equal(kernels.softmax([0.0, -np.inf, 0.0]), [0.5, 0.0, 0.5])
    assert kernels.log_softmax([0.0, -np.inf])[1] == -np.inf


def test_log_softmax_keeps_digits_where_softmax_is_1() -> None:
    # −log(1 + e⁻⁵⁰), to 20 digits: log(softmax) would give 0.
    got = kernels.log_softmax([0.0, -50.0])
    np.testing.assert_allclose(got, [-1.92874984796391777e-22, -50.0], rtol=1e-15)
    assert kernels.softmax([0.0, -50.0])[0] == 1.0


def test_log_softmax_of_ties_is_minus_log_n() -> None:
    np.testing.assert_allclose(kernels.log_softmax(np.full(7, 3.3)), -np.log(7), rtol=1e-15)


def test_log_softmax_where_softmax_underflows() -> None:
    np.testing.assert_allclose(kernels.log_softmax([0.0, -5000.0])[1], -5000.0)


def test_a_low_temperature_sharpens_and_a_high_one_flattens() -> None:
    np.testing.assert_allclose(kernels.softmax([2.0, 1.0], temperature=1e-300), [1, 0])
    np.testing.assert_allclose(kernels.softmax([2.0, 1.0], temperature=1e300), [0.5, 0.5])


def test_entropy_of_a_certain_outcome_is_0_and_not_minus_0() -> None:
    h = kernels.entropy([[1.0, 0.0], [0.5, 0.5]])
    np.testing.assert_allclose(h, [0.0, np.log(2)])
    assert not np.signbit(h[0])
    assert kernels.entropy(np.array([0.5, 0.5], np.float32)).dtype == np.float32
    assert kernels.entropy([[0.5, 0.25], [0.5, 0.75]], axis=0).shape == (2,)


def test_soft_cap_is_the_identity_for_small_scores_and_bounded_for_large_ones() -> None:
    np.testing.assert_allclose(kernels.soft_cap([1e-9, -1e-9], 50.0), [1e-9, -1e-9], rtol=1e-15)
    np.testing.assert_array_equal(kernels.soft_cap([1e300, -np.inf, 0.0], 50.0), [50, -50, 0])
    assert np.isnan(kernels.soft_cap([np.nan], 1.0)).all()
    assert kernels.soft_cap(np.float32([124]), 30).dtype == np.float32


def test_the_gradient_of_the_soft_cap_does_not_cancel() -> None:
    # sech²(10) to 20 digits; 1 − tanh²(10) in float64 has nine right ones.
    got = kernels.soft_cap_backward([1.0], [500.0], 50.0)
    np.testing.assert_allclose(got, [8.2446144557673974e-9], rtol=1e-15)


def test_float32_results_are_rounded_once() -> None:
    x = np.random.default_rng(0).standard_normal((20, 30)).astype(np.float32) * 20
    for kernel in (kernels.softmax, kernels.log_softmax):
        np.testing.assert_array_equal(kernel(x), kernel(x.astype(np.float64)).astype(np.float32))
