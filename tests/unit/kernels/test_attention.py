"""QK-norm, RoPE, the soft-cap and masks on the way from queries and keys to probabilities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kernels
from kernels import Rope, attention_probabilities, attention_scores, normalized_heads

Q, K = np.array([[2.0, 1.0]]), np.eye(2)


def test_the_seeds_chain() -> None:
    np.testing.assert_allclose(attention_scores(Q, K, scale=1.0), [[2, 1]])
    np.testing.assert_allclose(attention_scores(3 * Q, 3 * K, scale=1.0), [[18, 9]])
    for factor in (1, 3):
        scores = attention_scores(factor * Q, factor * K, qk_norm="rms", eps=0.0)
        np.testing.assert_allclose(scores, [[1.2649110640673518, 0.6324555320336759]])
        probabilities = attention_probabilities(scores)
        np.testing.assert_allclose(probabilities, [[0.653046037940768, 0.346953962059232]])


def test_the_default_scale_is_one_over_the_root_of_the_head_dimension() -> None:
    q, k = np.random.default_rng(0).standard_normal((2, 3, 16))
    np.testing.assert_allclose(attention_scores(q, k), q @ k.T / 4)
    np.testing.assert_allclose(attention_scores(q, k, scale=0.1), 0.1 * (q @ k.T))


@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 8, 128]), st.floats(1e-3, 1e3))
def test_rms_norm_bounds_the_scores_by_the_root_of_the_head_dimension(seed, width, size) -> None:
    q, k = size * np.random.default_rng(seed).standard_normal((2, 5, width))
    scores = attention_scores(q, k, qk_norm="rms", eps=0.0, rope=Rope())
    assert np.max(np.abs(scores)) <= np.sqrt(width) * (1 + 1e-14)
    np.testing.assert_allclose(
        np.diagonal(attention_scores(q, -q, qk_norm="rms", eps=0.0)), -np.sqrt(width)
    )


def test_l2_norm_gives_cosines() -> None:
    q, k = np.random.default_rng(0).standard_normal((2, 4, 6))
    got = attention_scores(q, k, qk_norm="l2", eps=0.0, scale=1.0)
    lengths = np.linalg.norm(q, axis=1)[:, None] * np.linalg.norm(k, axis=1)
    np.testing.assert_allclose(got, q @ k.T / lengths)
    unit = normalized_heads(q, qk_norm="l2", eps=0.25)
    np.testing.assert_allclose(unit, q / np.sqrt((q * q).sum(1, keepdims=True) + 0.25))


def test_layer_norm_of_queries_takes_off_the_mean() -> None:
    q = np.random.default_rng(0).standard_normal((4, 6))
    got = normalized_heads(q, qk_norm="layer", eps=1e-6)
    np.testing.assert_allclose(got, kernels.layer_norm(q, 6, eps=1e-6).output)


def test_gains_multiply_and_gemma_adds_1_to_them() -> None:
    q = np.random.default_rng(0).standard_normal((4, 2))
    plain = normalized_heads(q, qk_norm="rms")
    gained = normalized_heads(q, qk_norm="rms", weight=[0.5, -2.0], gain_offset=1.0)
    np.testing.assert_allclose(gained, plain * [1.5, -1.0])


def test_one_statistic_for_all_heads_is_that_of_the_heads_before_they_were_split() -> None:
    tokens = np.random.default_rng(0).standard_normal((2, 5, 12))
    gain = np.random.default_rng(1).standard_normal(12)
    heads = tokens.reshape(2, 5, 3, 4).swapaxes(1, 2)
    got = normalized_heads(
        heads, qk_norm="rms", weight=gain.reshape(3, 4), over_all_heads=True, eps=1e-6
    )
    wanted = kernels.rms_norm(tokens, 12, gain, 1e-6).output
    np.testing.assert_allclose(got.swapaxes(1, 2).reshape(2, 5, 12), wanted)


def test_rotating_before_or_after_the_norm_differs_only_by_gains_that_differ() -> None:
    for gain, same in (([2.0, 2.0], True), ([2.0, 1.0], False)):
        results = [
            normalized_heads(
                [[1.0, 2.0]],
                qk_norm="rms",
                weight=gain,
                eps=0.0,
                rope=Rope(order=order),
                positions=[np.pi / 2],
            )
            for order in ("norm_then_rope", "rope_then_norm")
        ]
        assert np.allclose(*results) == same
    np.testing.assert_allclose(results, [[[-1.26491106, 1.26491106]], [[-2.52982213, 0.63245553]]])


def test_scores_under_rope_depend_on_the_distance_only() -> None:
    q, k = np.random.default_rng(0).standard_normal((2, 1, 8))
    scores = [
        attention_scores(q, k, rope=Rope(query_positions=[p], key_positions=[p - 3]))
        for p in (3.0, 10.0, 1000.0)
    ]
    np.testing.assert_allclose(scores, scores[0][None].repeat(3, 0), rtol=1e-10)
    assert not np.allclose(scores[0], attention_scores(q, k))


def test_rotations_keep_lengths_and_position_0_stays() -> None:
    x = np.random.default_rng(0).standard_normal((2, 5, 8))
    for interleaved in (False, True):
        rope = Rope(interleaved=interleaved)
        turned = normalized_heads(x, rope=rope)
        np.testing.assert_allclose(np.linalg.norm(turned, axis=-1), np.linalg.norm(x, axis=-1))
        np.testing.assert_array_equal(turned[:, 0], x[:, 0])


def test_pairs_are_halves_or_neighbours() -> None:
    quarter = np.full((1, 2), np.pi / 2)
    x = [[1.0, 2.0, 3.0, 4.0]]
    np.testing.assert_allclose(kernels.rotate(x, quarter), [[-3, -4, 1, 2]])
    np.testing.assert_allclose(kernels.rotate(x, quarter, interleaved=True), [[-2, 1, -4, 3]])
    np.testing.assert_allclose(kernels.rotate(x, quarter[:, :1]), [[-2, 1, 3, 4]])


def test_angles_are_positions_times_powers_of_the_base() -> None:
    angles = kernels.rope_angles([0, 1, 2], 4, base=100.0)
    np.testing.assert_allclose(angles, [[0, 0], [1, 0.1], [2, 0.2]])


def test_a_partial_rotation_passes_the_rest() -> None:
    x = np.random.default_rng(0).standard_normal((3, 8))
    turned = normalized_heads(x, rope=Rope(rotary_dim=4))
    np.testing.assert_array_equal(turned[:, 4:], x[:, 4:])
    np.testing.assert_allclose(turned[:, :4], normalized_heads(x[:, :4], rope=Rope()))


def test_each_key_head_serves_neighbouring_query_heads() -> None:
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((2, 6, 3, 4)), rng.standard_normal((2, 2, 5, 4))
    got = attention_scores(q, k)
    np.testing.assert_allclose(got, attention_scores(q, np.repeat(k, 3, axis=1)))
    np.testing.assert_allclose(got[:, 4], attention_scores(q[:, 4], k[:, 1]))


def test_the_soft_cap_comes_before_the_mask() -> None:
    scores = attention_scores(Q, K, scale=1.0, soft_cap=1.0)
    np.testing.assert_allclose(scores, np.tanh([[2.0, 1.0]]))
    mask = [[0.0, -np.inf]]
    np.testing.assert_array_equal(attention_probabilities(scores, mask), [[1, 0]])
    leaked = kernels.softmax(kernels.soft_cap([[2.0, -np.inf]], 1.0))
    np.testing.assert_allclose(leaked, [[0.8769681683739503, 0.12303183162604975]])


def test_a_soft_cap_of_0_is_off() -> None:
    np.testing.assert_array_equal(attention_scores(Q, K, soft_cap=0.0), attention_scores(Q, K))


def test_a_fully_masked_row_is_0_and_leaves_the_others() -> None:
    scores = np.array([[1.0, 2.0], [1.0, 2.0]])
    for mask in ([[False, False], [True, True]], [[-np.inf, -np.inf], [0.0, 0.0]]):
        got = attention_probabilities(scores, mask)
        np.testing.assert_array_equal(got[0], 0)
        np.testing.assert_array_equal(got[1], kernels.softmax(scores[1]))


def test_a_masked_nan_does_not_spoil_its_row() -> None:
    scores = [[1.0, np.nan, 2.0]]
    for mask in ([True, False, True], [0.0, -np.inf, 0.0]):
        got = attention_probabilities(scores, mask)
        np.testing.assert_allclose(got, [[0.2689414213699951, 0, 0.7310585786300049]])


def test_an_additive_mask_is_added() -> None:
    bias = np.array([[0.5, -1.0]])
    np.testing.assert_allclose(
        attention_probabilities([[1.0, 2.0]], bias), kernels.softmax([[1.5, 1.0]])
    )


def test_scores_have_the_wider_type_of_their_inputs() -> None:
    q, k = Q.astype(np.float16), K.astype(np.float32)
    assert attention_scores(q, k).dtype == np.float32
    assert attention_probabilities(attention_scores(q, q)).dtype == np.float16
    assert normalized_heads(q, qk_norm="rms").dtype == np.float16


def test_half_precision_heads_do_not_overflow() -> None:
    q = np.full((1, 4), 300, np.float16)
    np.testing.assert_array_equal(normalized_heads(q, qk_norm="rms"), 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"qk_norm": "batch"}, "qk_norm: expected one of 'rms', 'layer', 'l2' or None"),
        ({"weight_q": [1.0, 1.0]}, "weight_q: a gain needs a norm"),
        ({"weight_k": [1.0, 1.0]}, "weight_k: a gain needs a norm"),
        ({"qk_norm": "rms", "weight_q": [1.0]}, r"weight_q: expected shape \(2,\), got \(1,\)"),
        ({"qk_norm": "rms", "eps": -1.0}, "eps: expected a finite number of at least 0"),
        ({"qk_norm": "rms", "over_all_heads": True}, r"q: expected shape \[\*, heads, T, d\]"),
        ({"soft_cap": -1.0}, "soft_cap: expected a positive, finite number"),
        ({"rope": Rope(order="both")}, "rope.order: expected one of"),
        ({"rope": Rope(rotary_dim=3)}, "rotary_dim: expected an even, positive number, got 3"),
        ({"rope": Rope(rotary_dim=4)}, "angles: 2 pairs need at least 4 coordinates, x has 2"),
        ({"rope": Rope(base=0.0)}, "base: expected a positive number"),
        (
            {"rope": Rope(query_positions=[0, 1])},
            r"angles: leading shape \(2,\) does not broadcast",
        ),
    ],
)
def test_bad_options_are_named(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        attention_scores(Q, K, **options)


def test_queries_and_keys_that_do_not_fit_are_named() -> None:
    heads = np.ones((6, 3, 4))
    with pytest.raises(ValueError, match="k: expected the head dimension of q, 2, got 3"):
        attention_scores(Q, np.eye(3))
    with pytest.raises(ValueError, match="6 query heads are not divisible by 4 key heads"):
        attention_scores(heads, np.ones((4, 3, 4)))
    with pytest.raises(ValueError, match=r"q: expected shape \[\*, T, d\] with d ≥ 1, got \(2,\)"):
        attention_scores([1.0, 2.0], K)
    with pytest.raises(ValueError, match=r"k: leading shape \(3,\) does not fit that of q, \(2,\)"):
        attention_scores(np.ones((2, 1, 3, 4)), np.ones((3, 1, 3, 4)))
    with pytest.raises(TypeError, match="k: expected real numbers"):
        attention_scores(Q, K * 1j)
    with pytest.raises(ValueError, match="mask: expected a shape that broadcasts"):
        attention_probabilities(Q, [True] * 3)
    with pytest.raises(ValueError, match="scores: expected at least one dimension"):
        attention_probabilities(1.0)
