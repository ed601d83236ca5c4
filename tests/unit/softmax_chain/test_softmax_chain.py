"""The chain from q and k to the gradient: the seeds' numbers, and every step's own law."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from kernels.rope import Rope
from kernels.softmax_chain import (
    PRESETS,
    ScoreSettings,
    SoftmaxChain,
    after_scores,
    score_bound,
    softmax_chain,
    sweep_scale,
)

Q, K = [2.0, 1.0], [[1.0, 0.0], [0.0, 1.0]]


def preset(name: str) -> SoftmaxChain:
    chosen = PRESETS[name]
    return softmax_chain(chosen.query, chosen.keys, chosen.settings, mask=chosen.mask)


# The seeds' chain: facts 17 to 22, exact values by exp and tanh in float64.
SEED_PROBABILITIES = {
    "plain": [0.7310585786300049, 0.2689414213699951],
    "tripled": [0.9998766054240137, 0.0001233945759862],
    "tripled_scaled": [0.9982804318220542, 0.0017195681779458],
    "qk_norm": [0.6530460379407679, 0.3469539620592321],
    "qk_norm_tripled": [0.6530460379407679, 0.3469539620592321],
    "cap_before_mask": [1.0, 0.0],
    "cap_after_mask": [0.8769681683739503, 0.1230318316260497],
}


@pytest.mark.parametrize("name", SEED_PROBABILITIES)
def test_presets_have_the_seeds_probabilities(name: str) -> None:
    np.testing.assert_allclose(
        preset(name).probabilities, SEED_PROBABILITIES[name], rtol=0, atol=1e-12
    )


def test_tripling_both_projections_widens_the_gap_from_1_to_9() -> None:
    np.testing.assert_allclose(preset("plain").scores, [2.0, 1.0])
    np.testing.assert_allclose(preset("tripled").scores, [18.0, 9.0])


def test_tripling_divides_gradient_by_1594_and_entropy_falls_to_0_0012() -> None:
    plain, tripled = preset("plain"), preset("tripled")
    np.testing.assert_allclose(plain.own_slope, [0.19661193324148185] * 2, rtol=1e-12)
    np.testing.assert_allclose(tripled.own_slope, [0.0001233793497648489] * 2, rtol=1e-11)
    ratio = plain.own_slope[0] / tripled.own_slope[0]
    assert ratio == pytest.approx(1593.556244348899, rel=1e-10)
    assert plain.entropy == pytest.approx(0.5822031, abs=1e-7)
    assert tripled.entropy == pytest.approx(0.0012340, abs=1e-7)


def test_qk_norm_brings_q_and_k_to_length_root_2() -> None:
    chain = preset("qk_norm_tripled")
    np.testing.assert_allclose(chain.query_hat, [1.2649110640673518, 0.6324555320336759])
    np.testing.assert_allclose(chain.keys_hat, np.sqrt(2) * np.eye(2))
    np.testing.assert_allclose(chain.query, [6.0, 3.0])


def test_epsilon_makes_qk_norm_only_almost_blind_to_scale() -> None:
    settings = ScoreSettings(qk_norm="rms", eps=1e-6)
    once = softmax_chain(Q, K, settings)
    thrice = softmax_chain(Q, K, replace(settings, query_scale=3.0, key_scale=3.0))
    difference = np.abs(once.scores - thrice.scores).max()
    assert difference == pytest.approx(1.3492362698e-6, rel=1e-6)


def test_bound_for_128_features_is_11_31_and_reached() -> None:
    chain = preset("bound")
    assert chain.score_bound == pytest.approx(11.313708498984761)
    np.testing.assert_allclose(chain.scores, [11.313708498984761, -11.313708498984761])


@pytest.mark.parametrize(
    ("settings", "bound"),
    [
        (ScoreSettings(), None),
        (ScoreSettings(soft_cap=50.0), 50.0),
        (ScoreSettings(qk_norm="rms"), 8.0),
        (ScoreSettings(qk_norm="rms", soft_cap=5.0), 5.0),
        (ScoreSettings(qk_norm="l2", scale=10.0), 10.0),
        (ScoreSettings(qk_norm="rms", weight_q=[1.0, -3.0], weight_k=[2.0, 0.0]), 48.0),
        (ScoreSettings(qk_norm="rms", weight_q=[0.0], gain_offset=1.0), 8.0),
    ],
)
def test_what_bounds_a_score_of_64_features(settings: ScoreSettings, bound: float | None) -> None:
    assert score_bound(settings, 64) == bound


# One head has all the length: with ε = 0 the sum of squares over both heads is H·d, so q̂ in head 0
# is √(H·d) times a unit vector, and q̂·k̂ = √(H_q·d)·√(H_k·d). LayerNorm's vectors have mean 0.
ONE_HEAD_HAS_ALL = [
    ("rms", [3.0, 4.0, 0.0, 12.0], 2, 2, 2 * 4 / 2),
    ("rms", [3.0, 4.0, 0.0, 12.0], 4, 2, math.sqrt(8) * 4 / 2),
    ("rms", [5.0], 9, 9, 9.0),
    ("layer", [1.0, -1.0, 2.0, -2.0], 3, 3, 3 * 4 / 2),
    ("l2", [3.0, 4.0, 0.0, 12.0], 2, 2, 1 / 2),
]


@pytest.mark.parametrize(("norm", "vector", "heads", "key_heads", "bound"), ONE_HEAD_HAS_ALL)
def test_a_norm_over_all_heads_lets_one_head_have_the_length_of_all(
    norm: str, vector: list[float], heads: int, key_heads: int, bound: float
) -> None:
    query = np.zeros((heads, 1, len(vector)))
    keys = np.zeros((key_heads, 2, len(vector)))
    query[0, 0] = keys[0, 0] = vector
    keys[0, 1] = np.negative(vector)
    chain = softmax_chain(query, keys, ScoreSettings(qk_norm=norm, eps=0.0, over_all_heads=True))
    assert chain.score_bound == pytest.approx(bound, rel=1e-15)
    np.testing.assert_allclose(chain.scores[0, 0], [bound, -bound], rtol=1e-15)
    of_one = ScoreSettings(qk_norm=norm, eps=0.0)
    assert chain.score_bound >= score_bound(of_one, len(vector), heads, key_heads)


@given(st.integers(1, 4), st.integers(1, 5), st.sampled_from(["rms", "layer", "l2"]), st.booleans())
@hypothesis_settings(deadline=None)
def test_no_score_passes_the_bound(heads: int, dim: int, norm: str, over_all: bool) -> None:
    rng = np.random.default_rng(heads + 8 * dim)
    lengths = np.exp(3 * rng.standard_normal((2, heads, 1, 1)))
    query, keys = lengths * rng.standard_normal((2, heads, 6, dim))
    gains = 3 * rng.standard_normal((2, heads, dim) if over_all else (2, dim))
    asked = ScoreSettings(
        qk_norm=norm, weight_q=gains[0], weight_k=gains[1], over_all_heads=over_all
    )
    chain = softmax_chain(query, keys, asked)
    assert chain.score_bound == score_bound(asked, dim, heads)
    assert np.abs(chain.scores).max() <= chain.score_bound * (1 + 1e-14)


def test_a_sweep_does_not_take_its_scales_for_heads() -> None:
    over_all = ScoreSettings(qk_norm="rms", over_all_heads=True)
    with pytest.raises(ValueError, match="over_all_heads needs shape"):
        sweep_scale(Q, K, [1.0, 3.0], over_all)
    query, keys = np.array([[Q], [K[0]]]), np.array([K, K])
    swept = sweep_scale(query, keys, [1.0, 3.0], over_all)
    once = softmax_chain(query, keys, over_all)
    np.testing.assert_array_equal(swept.largest_score[0], once.scores.max(-1))


@pytest.mark.parametrize("counts", [(0,), (4, 0), (4, 2, 0)])
def test_a_bound_needs_a_head_and_a_feature(counts: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="expected at least 1, got 0"):
        score_bound(ScoreSettings(), *counts)


def test_soft_cap_squeezes_18_and_9_to_17_26_and_8_90() -> None:
    chain = preset("soft_cap")
    np.testing.assert_allclose(chain.capped, [17.260701706776043, 8.904043405866508])
    slope = np.array(chain.own_slope) / (chain.probabilities * (1 - chain.probabilities))
    np.testing.assert_allclose(slope, 1 / np.cosh([18 / 50, 9 / 50]) ** 2, rtol=1e-9)


def test_cap_after_mask_leaks_12_percent_and_says_so() -> None:
    assert preset("cap_after_mask").leaked == pytest.approx(0.12303183162604975)
    assert preset("cap_before_mask").leaked == 0.0


def test_masked_key_gets_neither_probability_nor_gradient() -> None:
    chain = softmax_chain(Q, K, mask=[True, False])
    np.testing.assert_array_equal(chain.probabilities, [1.0, 0.0])
    np.testing.assert_array_equal(chain.jacobian, np.zeros((2, 2)))


def test_fully_masked_row_is_0() -> None:
    chain = softmax_chain(Q, K, mask=[False, False])
    np.testing.assert_array_equal(chain.probabilities, [0.0, 0.0])
    assert chain.entropy == 0.0


def test_slope_of_a_saturated_softmax_is_not_rounded_to_0() -> None:
    chain = softmax_chain([1.0], [[50.0], [0.0]], ScoreSettings(scale=1.0))
    assert chain.probabilities[0] == 1.0
    assert chain.own_slope[0] == pytest.approx(np.exp(-50.0), rel=1e-12)


SETTINGS = st.builds(
    ScoreSettings,
    query_scale=st.floats(0.2, 3.0),
    key_scale=st.floats(0.2, 3.0),
    scale=st.sampled_from([None, 1.0, 0.3]),
    qk_norm=st.sampled_from([None, "rms", "layer", "l2"]),
    rope=st.sampled_from([None, Rope(query_positions=[3]), Rope(order="rope_then_norm")]),
    soft_cap=st.sampled_from([None, 1.5, 20.0]),
    temperature=st.floats(0.3, 3.0),
)


@given(SETTINGS, st.integers(0, 10_000))
def test_jacobian_is_the_derivative_of_the_probabilities(
    settings: ScoreSettings, seed: int
) -> None:
    generator = np.random.default_rng(seed)
    q, k = generator.standard_normal(4), generator.standard_normal((5, 4))
    chain = softmax_chain(q, k, settings, mask=[True, True, False, True, True])

    def probabilities(scores: np.ndarray) -> np.ndarray:
        c, t = settings.soft_cap, settings.temperature
        read = (scores if c is None else c * np.tanh(scores / c)) / t
        read[2] = -np.inf
        weights = np.exp(read - read.max())
        return weights / weights.sum()

    np.testing.assert_allclose(probabilities(chain.scores.copy()), chain.probabilities, atol=1e-12)
    for column in range(5):
        step = np.zeros(5)
        step[column] = 1e-6
        slope = (probabilities(chain.scores + step) - probabilities(chain.scores - step)) / 2e-6
        np.testing.assert_allclose(chain.jacobian[:, column], slope, atol=1e-8)
    direction = generator.standard_normal(5)
    np.testing.assert_allclose(chain.gradient(direction), chain.jacobian.T @ direction)


def test_rows_of_the_jacobian_sum_to_0_without_a_cap() -> None:
    chain = softmax_chain(np.random.default_rng(0).standard_normal((3, 4)), np.eye(4))
    np.testing.assert_allclose(chain.jacobian.sum(-1), 0.0, atol=1e-16)
    assert chain.jacobian.shape == (3, 4, 4)


def test_steps_fit_together() -> None:
    generator = np.random.default_rng(3)
    q, k = generator.standard_normal((2, 3, 8)), generator.standard_normal((2, 6, 8))
    settings = ScoreSettings(
        qk_norm="rms", weight_q=generator.standard_normal(8), weight_k=np.ones(8), scale=0.7
    )
    chain = softmax_chain(q, k, settings)
    np.testing.assert_allclose(
        chain.scores, 0.7 * chain.query_hat @ chain.keys_hat.swapaxes(-1, -2), rtol=1e-12
    )


def test_sweep_is_the_chain_at_each_scale() -> None:
    generator = np.random.default_rng(4)
    q, k, scales = generator.standard_normal(6), generator.standard_normal((4, 6)), [0.5, 1.0, 3.0]
    settings = ScoreSettings(soft_cap=5.0)
    swept = sweep_scale(q, k, scales, settings)
    for index, scale in enumerate(scales):
        one = softmax_chain(q, k, replace(settings, query_scale=scale, key_scale=scale))
        assert swept.largest_score[index] == pytest.approx(one.masked.max(), rel=1e-12)
        assert swept.entropy[index] == pytest.approx(float(one.entropy), rel=1e-12)
        assert swept.slope[index] == pytest.approx(one.own_slope.max(), rel=1e-12)


def test_growing_projections_end_the_gradient_unless_qk_norm_stops_them() -> None:
    scales = np.geomspace(0.1, 30, 40)
    plain = sweep_scale(Q, K, scales, ScoreSettings(scale=1.0))
    normed = sweep_scale(Q, K, scales, ScoreSettings(qk_norm="rms", eps=0.0))
    assert (np.diff(plain.largest_score) > 0).all()
    assert (np.diff(plain.entropy) < 0).all()
    assert plain.slope[-1] < 1e-300
    np.testing.assert_allclose(normed.entropy, normed.entropy[0])
    np.testing.assert_allclose(normed.slope, normed.slope[0])


def test_seed_scales_lie_on_the_curve() -> None:
    swept = sweep_scale(Q, K, [1.0, 3.0], ScoreSettings(scale=1.0))
    np.testing.assert_allclose(swept.largest_score, [2.0, 18.0])
    np.testing.assert_allclose(swept.slope, [0.19661193324148185, 0.0001233793497648489])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"qk_norm": "l1"}, "qk_norm: expected one of"),
        ({"temperature": 0.0}, "temperature: expected a positive"),
        ({"soft_cap": -1.0}, "soft_cap|cap: expected a positive"),
        ({"query_scale": float("inf")}, "query_scale: expected a finite number"),
    ],
)
def test_settings_out_of_range_are_refused_by_name(change: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        softmax_chain(Q, K, ScoreSettings(**change))


def test_mask_must_be_booleans_that_fit() -> None:
    with pytest.raises(TypeError, match="mask: expected booleans, got int"):
        softmax_chain(Q, K, mask=[1, 0])
    with pytest.raises(ValueError, match=r"mask: expected a shape that broadcasts to \(1, 2\)"):
        softmax_chain(Q, K, mask=[True, False, True])


def test_scores_can_be_used_again_under_another_cap_order_temperature_and_mask() -> None:
    rng = np.random.default_rng(3)
    q, k = rng.normal(size=(2, 1, 6)), rng.normal(size=(2, 5, 6))
    mask = np.array([True, True, False, True, False])
    first = ScoreSettings(3.0, 3.0, qk_norm="rms", weight_q=rng.normal(size=6), rope=Rope())
    chain = softmax_chain(q, k, first)
    for changes in (
        {"soft_cap": 2.0},
        {"soft_cap": 2.0, "cap_after_mask": True, "temperature": 0.5},
    ):
        settings = replace(first, **changes)
        again, fresh = (
            after_scores(chain, settings, mask=mask),
            softmax_chain(q, k, settings, mask=mask),
        )
        assert again.settings is settings
        for name in (
            "scores",
            "capped",
            "masked",
            "probabilities",
            "entropy",
            "jacobian",
            "leaked",
        ):
            np.testing.assert_array_equal(getattr(again, name), getattr(fresh, name))
        assert again.score_bound == fresh.score_bound


def test_scores_are_not_used_again_where_they_would_be_others() -> None:
    first = ScoreSettings(qk_norm="rms", weight_q=[1.0, 2.0])
    chain = softmax_chain(Q, K, first)
    for changes in ({"query_scale": 2.0}, {"scale": 1.0}, {"weight_q": [2.0, 1.0]}, {"eps": 0.5}):
        (name,) = changes
        with pytest.raises(ValueError, match=f"{name} changes the scores"):
            after_scores(chain, replace(first, **changes))
    alike = replace(first, weight_q=np.array([1.0, 2.0]), soft_cap=1.0)
    assert after_scores(chain, alike).scores is chain.scores


def test_a_sweep_over_all_heads_needs_heads_in_both_q_and_k() -> None:
    over = ScoreSettings(qk_norm="rms", over_all_heads=True)
    heads, flat = np.ones((2, 1, 4)), np.ones((3, 4))
    for q, k in ((heads, flat), (flat, heads), (flat, flat)):
        with pytest.raises(ValueError, match=r"over_all_heads needs shape \[\*, heads, T, d\]"):
            sweep_scale(q, k, [1.0, 2.0], over)
    assert sweep_scale(heads, np.ones((2, 3, 4)), [1.0, 2.0], over).entropy.shape == (2, 2, 1)
