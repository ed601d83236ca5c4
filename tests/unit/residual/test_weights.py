"""The same weights for every placement."""

import numpy as np
import pytest

from kernels.weights import GELU_MEAN_SQUARE, WeightStore, draw_layer, draw_vocabulary


def test_a_layers_weights_are_the_same_in_every_draw() -> None:
    first, again = draw_layer(7, 32, 3), draw_layer(7, 32, 3)
    np.testing.assert_array_equal(first.query_key_value, again.query_key_value)
    np.testing.assert_array_equal(first.down, again.down)


def test_layers_seeds_and_widths_differ() -> None:
    base = draw_layer(7, 32, 3).hidden
    for other in (draw_layer(8, 32, 3), draw_layer(7, 32, 4)):
        assert abs(np.corrcoef(base.ravel(), other.hidden.ravel())[0, 1]) < 0.1
    assert abs(np.corrcoef(base[:16].ravel(), draw_layer(7, 64, 3).hidden[:8].ravel())[0, 1]) < 0.1


def test_shapes_are_features_in_by_features_out() -> None:
    layer = draw_layer(0, 16, 0)
    assert layer.query_key_value.shape == (16, 48)
    assert layer.output.shape == (16, 16)
    assert layer.hidden.shape == (16, 64)
    assert layer.down.shape == (64, 16)


def test_gelu_mean_square_is_the_gaussian_integral() -> None:
    nodes, weights = np.polynomial.hermite_e.hermegauss(200)
    gelu = 0.5 * nodes * (1 + np.tanh(np.sqrt(2 / np.pi) * (nodes + 0.044715 * nodes**3)))
    integral = (weights * gelu**2).sum() / weights.sum()
    assert pytest.approx(integral, abs=1e-12) == GELU_MEAN_SQUARE


def test_each_projection_keeps_unit_mean_square_in_expectation() -> None:
    layer = draw_layer(1, 256, 0)
    for matrix in (layer.query_key_value, layer.output, layer.hidden):
        assert np.square(matrix).sum(axis=0).mean() == pytest.approx(1.0, rel=0.02)
    assert np.square(layer.down).sum(axis=0).mean() == pytest.approx(1 / 0.42519, rel=0.02)


def test_a_longer_text_begins_with_the_shorter_one() -> None:
    short, long = draw_vocabulary(5, 16, 8, 30), draw_vocabulary(5, 16, 20, 30)
    np.testing.assert_array_equal(long.tokens[:8], short.tokens)
    np.testing.assert_array_equal(long.targets[:-1], long.tokens[1:])
    assert long.tokens.min() >= 0
    assert long.tokens.max() < 30


def test_store_returns_the_layer_it_holds() -> None:
    store = WeightStore()
    assert store.layer(0, 16, 0) is store.layer(0, 16, 0)


def test_store_without_room_draws_the_same_numbers_again() -> None:
    store = WeightStore(limit_bytes=0)
    first, again = store.layer(0, 16, 0), store.layer(0, 16, 0)
    assert first is not again
    np.testing.assert_array_equal(first.down, again.down)


def test_full_store_keeps_the_first_layers_and_drops_other_widths() -> None:
    size = 12 * 16 * 16 * 4
    store = WeightStore(limit_bytes=2 * size)
    kept = [store.layer(0, 16, index) for index in range(3)]
    assert store.layer(0, 16, 0) is kept[0]
    assert store.layer(0, 16, 2) is not kept[2]
    other = store.layer(1, 16, 0)
    assert store.layer(1, 16, 0) is other
    assert store.layer(0, 16, 0) is not kept[0]
