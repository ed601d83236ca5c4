"""Microbatches, padding, workers: what a batch is composed of decides its statistics.

Numbers: exact arithmetic; gradients as recorded from PyTorch 2.13.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.batch.conventions import Settings
from app.batch.microbatches import send
from app.batch.padding import effect, pad
from app.batch.presets import PARTS, column, tensor
from app.batch.workers import schemes, whole_moments
from app.tensor import Tensor

FOUR = column(0, 2, 10, 12)
SEQUENCES = tensor("[B,T,d]", [[[1], [2], [3], [9], [9]], [[4], [5], [9], [9], [9]]])


def test_microbatches_end_elsewhere_and_have_hardly_a_gradient() -> None:
    whole, parts = send(FOUR, 4, Settings()), send(FOUR, 2, Settings())
    assert whole.history.running.mean[0] == pytest.approx(0.6)
    assert whole.history.running.variance[0] == pytest.approx(4.366666666666667)
    assert parts.history.running.mean[0] == pytest.approx(1.19)
    assert parts.history.running.variance[0] == pytest.approx(1.19)
    assert parts.output.ravel() == pytest.approx([-0.999995, 0.999995] * 2, abs=1e-6)
    expected = [0.0792007577, -0.0942865679, -0.0037714808, 0.0188572909]
    assert whole.gradient.ravel() == pytest.approx(expected, abs=1e-9)
    assert parts.gradient.ravel() == pytest.approx([4.999925e-6, -4.999925e-6, 0, 0], abs=1e-12)


def test_the_last_microbatch_may_be_shorter_and_too_short() -> None:
    parts = send(FOUR, 3, Settings())
    assert parts.sizes == (3, 1)
    assert "got input size torch.Size([1, 1])" in parts.refused
    assert send(FOUR, 2, Settings()).refused == ""


def test_padding_pulls_the_statistics_and_a_mask_does_not_let_it() -> None:
    padded = pad(SEQUENCES, (3, 2), 5, 0.0)
    assert padded.values[..., 0].tolist() == [[1, 2, 3, 0, 0], [4, 5, 0, 0, 0]]
    found = effect(SEQUENCES, (3, 2), padded, 0.0, 1e-5)
    assert (found.blind.mean.item(), found.blind.variance.item()) == pytest.approx((1.5, 3.25))
    assert (found.masked.mean.item(), found.masked.variance.item()) == pytest.approx((3, 2))
    assert found.lengths[0] == 3
    assert found.blind_mean[found.lengths == 10] == pytest.approx(15 / 20)


def test_layer_norm_over_time_counts_padding_too() -> None:
    padded = pad(SEQUENCES, (3, 2), 5, 0.0)
    found = effect(SEQUENCES, (3, 2), padded, 0.0, 0.0)
    assert found.alone[1].output.ravel() == pytest.approx([-1, 1])
    mean, variance = 9 / 5, (16 + 25) / 5 - (9 / 5) ** 2
    assert found.sequence.output[1, 0, 0] == pytest.approx((4 - mean) / variance**0.5)


@given(
    st.lists(st.integers(1, 5), min_size=2, max_size=2),
    st.integers(0, 12),
    st.floats(-100, 100),
)
def test_a_mask_makes_padding_irrelevant(lengths: list[int], more: int, padding: float) -> None:
    ends = (lengths[0], lengths[1])
    padded = pad(SEQUENCES, ends, max(ends) + more, padding)
    found = effect(SEQUENCES, ends, padded, padding, 1e-5).masked
    real = np.concatenate([SEQUENCES.values[row, :end, 0] for row, end in enumerate(ends)])
    assert found.mean.item() == pytest.approx(real.mean(), abs=1e-12)
    assert found.variance.item() == pytest.approx(real.var(), abs=1e-12)


def test_averages_of_workers_are_not_the_statistics_of_the_whole() -> None:
    found = schemes(PARTS["unequal"].tensor, (2,), Settings())
    assert found["local"].mean[:, 0].tolist() == [1, 13]
    assert found["local"].variance[:, 0].tolist() == [1, 5]
    assert (found["averaged"].mean[0, 0], found["averaged"].variance[0, 0]) == (7, 3)
    right = found["synchronized"]
    assert (right.mean[0, 0], right.variance[0, 0]) == pytest.approx((9, 35.666666666666664))
    assert right.running[1].mean[0] == pytest.approx(0.9)
    assert right.running[1].variance[0] == pytest.approx(0.9 + 4.28)
    whole = whole_moments(PARTS["unequal"].tensor, (2,))
    assert whole.unbiased_variance()[0] == pytest.approx(42.8)


def test_what_each_scheme_sends() -> None:
    two = Tensor("[N,C]", np.arange(8.0).reshape(4, 2))
    sent = {key: one.sent for key, one in schemes(two, (2,), Settings()).items()}
    assert sent == {"local": 0, "averaged": 4, "synchronized": 5}


@given(st.sets(st.integers(1, 5), max_size=3))
def test_synchronized_is_one_batch_however_it_is_cut(cuts: set[int]) -> None:
    values = np.random.default_rng(len(cuts)).normal(3, 5, (6, 2))
    batch = Tensor("[N,C]", values)
    found = schemes(batch, tuple(sorted(cuts)), Settings(eps=0.0))["synchronized"]
    expected = (values - values.mean(0)) / values.std(0)
    np.testing.assert_allclose(found.output, expected, rtol=1e-11, atol=1e-11)
