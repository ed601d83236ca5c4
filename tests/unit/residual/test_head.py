"""The head: probabilities, what a final norm does to them, and the temperature that undoes it."""

import numpy as np
import pytest

from kernels.head import head_loss, read_head, undoing_temperature


def stream(scale: float = 1.0, shape: tuple[int, ...] = (3, 5, 16)) -> np.ndarray:
    return scale * np.random.default_rng(1).standard_normal(shape)


UNEMBEDDING = np.random.default_rng(2).standard_normal((16, 10)) / 4.0


@pytest.mark.parametrize(
    ("scale", "first"), [(1, 0.7310585786), (2, 0.8807970780), (4, 0.9820137900), (8, 0.9996646499)]
)
def test_logits_2_1_sharpen_as_the_stream_grows(scale: float, first: float) -> None:
    # 1/(1 + e^-scale): the seeds' head without a final norm, facts row 33.
    reading = read_head(scale * np.array([[2.0, 1.0]]), np.eye(2))
    assert reading.probabilities[0, 0] == pytest.approx(first, abs=1e-9)
    assert reading.top_token[0] == 0
    assert reading.top_probability[0] == reading.probabilities[0, 0]


def test_entropy_of_equal_logits_is_log_of_their_number() -> None:
    reading = read_head(np.zeros((2, 16)), UNEMBEDDING)
    np.testing.assert_allclose(reading.entropy, np.log(10), rtol=1e-12)


def test_final_norm_takes_the_streams_scale_away() -> None:
    small = read_head(stream(), UNEMBEDDING, norm="rms_norm", eps=0.0)
    large = read_head(stream(50.0), UNEMBEDDING, norm="rms_norm", eps=0.0)
    np.testing.assert_allclose(small.probabilities, large.probabilities, atol=1e-12)
    assert (read_head(stream(50.0), UNEMBEDDING).entropy < large.entropy).all()


def test_temperature_undoes_a_missing_rms_norm_exactly() -> None:
    x = stream(6.0)
    without = read_head(x, UNEMBEDDING, temperature=undoing_temperature(x, "rms_norm"))
    with_norm = read_head(x, UNEMBEDDING, norm="rms_norm")
    np.testing.assert_allclose(without.probabilities, with_norm.probabilities, atol=1e-12)


def test_temperature_leaves_the_mean_of_a_missing_layer_norm() -> None:
    x = stream(6.0)
    temperature = undoing_temperature(x, "layer_norm")
    without = read_head(x, UNEMBEDDING, temperature=temperature)
    with_norm = read_head(x, UNEMBEDDING, norm="layer_norm")
    left_over = x.mean(-1)[..., None] * UNEMBEDDING.sum(0) / temperature[..., None]
    difference = without.logits / temperature[..., None] - with_norm.logits
    np.testing.assert_allclose(difference, left_over, atol=1e-12)
    assert np.abs(left_over).max() > 0.01


@pytest.mark.parametrize("temperature", [0.0, -1.0, np.nan, np.array([1.0, 0.0])])
def test_temperature_must_be_above_0(temperature: float) -> None:
    with pytest.raises(ValueError, match="temperature: expected numbers above 0"):
        read_head(stream(shape=(2, 16)), UNEMBEDDING, temperature=temperature)


@pytest.mark.parametrize("norm", [None, "layer_norm", "rms_norm"])
def test_loss_gradient_is_the_finite_difference(norm: str | None) -> None:
    x, targets = stream(shape=(1, 4, 16)), np.array([[1, 9, 0, 9]])
    found = head_loss(x, UNEMBEDDING, targets, norm=norm)
    direction = np.random.default_rng(5).standard_normal(x.shape)
    step = 1e-6
    high = head_loss(x + step * direction, UNEMBEDDING, targets, norm=norm).loss
    low = head_loss(x - step * direction, UNEMBEDDING, targets, norm=norm).loss
    assert (found.gradient * direction).sum() == pytest.approx((high - low) / (2 * step), abs=1e-8)
    turn = np.random.default_rng(6).standard_normal(UNEMBEDDING.shape)
    high = head_loss(x, UNEMBEDDING + step * turn, targets, norm=norm).loss
    low = head_loss(x, UNEMBEDDING - step * turn, targets, norm=norm).loss
    slope = (found.unembedding_gradient * turn).sum()
    assert slope == pytest.approx((high - low) / (2 * step), abs=1e-8)


def test_loss_of_a_head_that_knows_nothing_is_log_of_the_vocabulary() -> None:
    found = head_loss(np.zeros((1, 4, 16)), UNEMBEDDING, np.zeros((1, 4), int))
    assert found.loss == pytest.approx(np.log(10), rel=1e-12)
