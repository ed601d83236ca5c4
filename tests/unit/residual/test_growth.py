"""The theory of growth, and naming the assumption that fails."""

import numpy as np
import pytest

from kernels.growth import account_for_growth, predicted_rms, uncorrelated_rms
from kernels.placements import PLACEMENTS


@pytest.mark.parametrize("name", ["pre_ln", "pre_ln_final", "parallel"])
def test_norms_before_the_sublayers_give_root_of_1_plus_2_l_g_squared(name: str) -> None:
    placement = PLACEMENTS[name].placement
    layers = np.arange(25)
    np.testing.assert_allclose(predicted_rms(placement, 24, 0.5), np.sqrt(1 + 2 * layers * 0.25))


def test_gain_one_half_over_24_layers_grows_to_the_root_of_13() -> None:
    final = predicted_rms(PLACEMENTS["pre_ln"].placement, 24, 0.5)[-1]
    assert final == pytest.approx(13**0.5)


def test_without_norms_growth_is_exponential() -> None:
    np.testing.assert_allclose(
        predicted_rms(PLACEMENTS["none"].placement, 10, 1.0), 2.0 ** np.arange(11)
    )


@pytest.mark.parametrize("name", ["branch_output", "before_and_after"])
def test_a_norm_on_the_branch_makes_the_gain_irrelevant(name: str) -> None:
    placement = PLACEMENTS[name].placement
    expected = np.sqrt(1 + 2 * np.arange(9))
    for gain in (0.1, 1.0, 7.0):
        np.testing.assert_allclose(predicted_rms(placement, 8, gain), expected)


@pytest.mark.parametrize("name", ["post_ln", "deep_norm"])
def test_a_norm_after_the_sum_holds_the_stream_at_1(name: str) -> None:
    np.testing.assert_allclose(predicted_rms(PLACEMENTS[name].placement, 8, 3.0), np.ones(9))


def test_uncorrelated_updates_of_measured_size_add_in_squares() -> None:
    sizes = np.array([[3.0, 4.0], [12.0, 84.0]])
    found = uncorrelated_rms(PLACEMENTS["pre_ln"].placement, sizes, 0.0)
    np.testing.assert_allclose(found, [0.0, 5.0, np.hypot(13.0, 84.0)])


def walk(updates: np.ndarray) -> dict[str, np.ndarray]:
    """The measures of a stream that starts at 1 and adds these updates [depth, 2, width]."""
    depth, _, width = updates.shape
    x = np.ones(width)
    stream, cross = [1.0], np.empty((depth, 2))
    for layer in range(depth):
        for branch in range(2):
            cross[layer, branch] = (x * updates[layer, branch]).mean()
            x = x + updates[layer, branch]
        stream.append(np.sqrt((x**2).mean()))
    return {
        "stream_rms": np.array(stream),
        "update_rms": np.sqrt((updates**2).mean(-1)),
        "input_rms": np.ones((depth, 2)),
        "cross_terms": cross,
    }


def test_both_assumptions_hold_for_independent_updates() -> None:
    updates = 0.5 * np.random.default_rng(0).standard_normal((20, 2, 100_000))
    account = account_for_growth(PLACEMENTS["pre_ln"].placement, update_gain=0.5, **walk(updates))
    assert account.failing == ()
    assert account.measured == pytest.approx(account.predicted, rel=0.02)
    assert account.size_ratio == pytest.approx((1.0, 1.0), rel=0.02)
    assert account.cross_ratio == pytest.approx(0.0, abs=0.02)


def test_the_same_update_every_time_fails_independence_and_grows_linearly() -> None:
    updates = np.broadcast_to(0.5 * np.ones(1000), (20, 2, 1000))
    account = account_for_growth(PLACEMENTS["pre_ln"].placement, update_gain=0.5, **walk(updates))
    assert account.failing == ("independence",)
    assert account.measured == pytest.approx(1 + 40 * 0.5)
    assert account.predicted == pytest.approx(np.sqrt(1 + 40 * 0.25))
    assert account.correlation_factor == pytest.approx(21 / np.sqrt(11))


def test_smaller_updates_than_assumed_fail_size() -> None:
    updates = 0.2 * np.random.default_rng(0).standard_normal((20, 2, 100_000))
    account = account_for_growth(PLACEMENTS["pre_ln"].placement, update_gain=0.5, **walk(updates))
    assert account.failing == ("size",)
    assert account.size_ratio == pytest.approx((0.16, 0.16), rel=0.02)


def test_factors_lead_from_prediction_to_measurement() -> None:
    updates = 0.3 + 0.5 * np.random.default_rng(0).standard_normal((6, 2, 5000))
    account = account_for_growth(PLACEMENTS["pre_ln"].placement, update_gain=0.5, **walk(updates))
    product = account.predicted * account.size_factor * account.correlation_factor
    assert product == pytest.approx(account.measured, rel=1e-12)
    assert account.failing == ("size", "independence")
