"""Attention and FFN: forward against formulas written out, backward against finite differences."""

from collections.abc import Callable

import numpy as np
import pytest

from kernels.feed_forward import ffn, ffn_backward
from kernels.products import WeightGradient, gradient_rms
from kernels.self_attention import AttentionForm, attention, attention_backward
from kernels.weights import WEIGHT_NAMES, LayerWeights, draw_layer

WIDTH, LENGTH, BATCH = 16, 5, 2

FORMS = {
    "plain": AttentionForm(heads=4),
    "one_head": AttentionForm(heads=1),
    "no_scale": AttentionForm(heads=2, score_scale=1.0),
    "rms_per_head": AttentionForm(heads=4, qk_norm="rms"),
    "layer_per_head": AttentionForm(heads=2, qk_norm="layer"),
    "l2_per_head": AttentionForm(heads=4, qk_norm="l2", score_scale=5.0),
    "l2_over_heads": AttentionForm(heads=4, qk_norm="l2", qk_norm_over_heads=True),
    "rms_over_heads": AttentionForm(heads=4, qk_norm="rms", qk_norm_over_heads=True),
    "soft_cap": AttentionForm(heads=4, soft_cap=0.7),
    "capped_and_normed": AttentionForm(heads=4, qk_norm="rms", soft_cap=2.0),
}


def setting(seed: int = 3) -> tuple[np.ndarray, np.ndarray, LayerWeights]:
    generator = np.random.default_rng(seed)
    x = generator.standard_normal((BATCH, LENGTH, WIDTH))
    return x, generator.standard_normal(x.shape), draw_layer(9, WIDTH, 0).astype(np.float64)


def slopes(function: Callable[[], float], values: np.ndarray, indices: list) -> list[float]:
    step = 1e-5
    found = []
    for index in indices:
        kept = values[index]
        values[index] = kept + step
        high = function()
        values[index] = kept - step
        low = function()
        values[index] = kept
        found.append((high - low) / (2 * step))
    return found


def some_indices(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    generator = np.random.default_rng(8)
    return [tuple(generator.integers(0, size) for size in shape) for _ in range(12)]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_attention_backward_is_the_finite_difference(form: AttentionForm) -> None:
    x, weight, weights = setting()
    gains = {"value_gain": 0.6, "output_gain": 1.7}

    def loss() -> float:
        return float((weight * attention(x, weights, form, **gains)[0]).sum())

    _, saved = attention(x, weights, form, **gains)
    by_input, (projection, output) = attention_backward(weight, saved, weights, form, **gains)
    checks = [
        (x, by_input),
        # A weight's gradient is that of the scaled matrix: d/dW̃ = gain · d/d(gain·W̃).
        (weights.output, output.matrix() * gains["output_gain"]),
        (weights.query_key_value[:, : 2 * WIDTH], projection.matrix()[:, : 2 * WIDTH]),
        (
            weights.query_key_value[:, 2 * WIDTH :],
            projection.matrix()[:, 2 * WIDTH :] * gains["value_gain"],
        ),
    ]
    for values, analytic in checks:
        indices = some_indices(values.shape)
        expected = slopes(loss, values, indices)
        np.testing.assert_allclose([analytic[i] for i in indices], expected, atol=2e-7)


def test_ffn_backward_is_the_finite_difference() -> None:
    x, weight, weights = setting()
    gains = {"hidden_gain": 1.3, "output_gain": 0.4}

    def loss() -> float:
        return float((weight * ffn(x, weights, **gains)[0]).sum())

    _, saved = ffn(x, weights, **gains)
    by_input, (hidden, down) = ffn_backward(weight, saved, weights, **gains)
    checks = [
        (x, by_input),
        (weights.hidden, hidden.matrix() * gains["hidden_gain"]),
        (weights.down, down.matrix() * gains["output_gain"]),
    ]
    for values, analytic in checks:
        indices = some_indices(values.shape)
        expected = slopes(loss, values, indices)
        np.testing.assert_allclose([analytic[i] for i in indices], expected, atol=2e-7)


def test_attention_is_softmax_of_scaled_products_head_by_head() -> None:
    x, _, weights = setting()
    result, saved = attention(x, weights, AttentionForm(heads=4))
    context = np.zeros_like(x)
    entropies = []
    q, k, v = np.split(x @ weights.query_key_value, 3, axis=-1)
    for batch in range(BATCH):
        for head in range(4):
            part = slice(4 * head, 4 * head + 4)
            for token in range(LENGTH):
                scores = k[batch, : token + 1, part] @ q[batch, token, part] / 2.0
                p = np.exp(scores) / np.exp(scores).sum()
                entropies.append(-(p * np.log(p)).sum())
                context[batch, token, part] = p @ v[batch, : token + 1, part]
    np.testing.assert_allclose(result, context @ weights.output, atol=1e-12)
    assert saved.entropy == pytest.approx(np.mean(entropies), abs=1e-12)


def test_no_token_sees_a_later_one() -> None:
    x, _, weights = setting()
    before, _ = attention(x, weights, FORMS["plain"])
    x[:, 3:] += 1.0
    after, _ = attention(x, weights, FORMS["plain"])
    np.testing.assert_array_equal(before[:, :3], after[:, :3])
    assert (before[:, 3:] != after[:, 3:]).all()


def test_qk_norm_bounds_every_score_by_root_of_head_size() -> None:
    x, _, weights = setting()
    _, plain = attention(1e3 * x, weights, AttentionForm(heads=4))
    _, normed = attention(1e3 * x, weights, AttentionForm(heads=4, qk_norm="rms"))
    assert plain.largest_score > 1e4
    assert normed.largest_score <= 2.0 + 1e-9  # √d_k, d_k = 4: |q̂|·|k̂|/√d_k


def test_soft_cap_bounds_every_score() -> None:
    x, _, weights = setting()
    _, saved = attention(1e3 * x, weights, AttentionForm(heads=4, soft_cap=30.0))
    assert saved.largest_score <= 30.0


@pytest.mark.parametrize("scale", [1.0, 1e10, 1e25])
def test_ffn_backward_stays_finite_for_any_finite_hidden_value(scale: float) -> None:
    x = np.full((1, 2, WIDTH), scale, np.float32)
    weights = draw_layer(9, WIDTH, 0)
    with np.errstate(over="ignore"):
        _, saved = ffn(x, weights)
        back, _ = ffn_backward(np.ones_like(x), saved, weights)
    assert np.isfinite(back).all()


@pytest.mark.parametrize("rows", [3, 200])
def test_weight_gradients_rms_needs_no_matrix(rows: int) -> None:
    generator = np.random.default_rng(4)
    pairs = [
        (generator.standard_normal((rows, 32)), generator.standard_normal((rows, 48)))
        for _ in range(3)
    ]
    wanted = [np.sqrt(np.square(inputs.T @ gradient).mean()) for inputs, gradient in pairs]
    found = gradient_rms([WeightGradient(*pair) for pair in pairs])
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_weight_gradients_of_1e_minus_30_are_not_lost_beside_larger_ones() -> None:
    tiny = np.full((4, 32), 1e-30, np.float32)
    ones = np.ones_like(tiny)
    found = gradient_rms([WeightGradient(ones, tiny), WeightGradient(ones, ones)])
    np.testing.assert_allclose(found, [4e-30, 4.0], rtol=1e-6)


def test_weight_names_are_the_weights_in_order() -> None:
    assert tuple(LayerWeights.__dataclass_fields__) == WEIGHT_NAMES
