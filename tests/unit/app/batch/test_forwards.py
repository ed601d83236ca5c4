"""Running statistics forward by forward, under every reading of momentum.

Numbers: exact arithmetic on [0, 2, 10, 12] (mean 6, Σ(x − 6)² = 104), and what PyTorch 2.13 and
Keras 3.15 were observed to store.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kernels
from app.batch.conventions import CONVENTIONS, Settings
from app.batch.forwards import (
    MOST_FORWARDS,
    Forwards,
    Run,
    count_of,
    history,
    one_less,
    one_more,
)
from app.batch.presets import column
from app.tensor import Tensor

FOUR = column(0, 2, 10, 12)


def after(forwards: Forwards, **settings: object) -> tuple[float, float]:
    """Running mean and variance of one channel at the end."""
    running = history(forwards, 1, Settings(**settings)).running  # type: ignore[arg-type]
    return float(running.mean[0]), float(running.variance[0])


def test_one_forward_over_four_stores_0_6_and_4_3667() -> None:
    assert after((Run(FOUR),)) == pytest.approx((0.6, 0.9 + 0.1 * 104 / 3), abs=1e-12)


def test_two_microbatches_store_1_19_twice() -> None:
    forwards = (Run(column(0, 2)), Run(column(10, 12)))
    past = history(forwards, 1, Settings())
    assert past.mean[:, 0] == pytest.approx([0, 0.1, 1.19], abs=1e-12)
    assert past.variance[:, 0] == pytest.approx([1, 1.1, 1.19], abs=1e-12)


def test_keras_reads_momentum_as_the_weight_of_the_old_and_stores_the_biased_variance() -> None:
    forward = (Run(FOUR),)
    assert after(forward, momentum=0.9, convention="keras") == pytest.approx((0.6, 3.5))
    assert after(forward, momentum=0.1, convention="keras") == pytest.approx((5.4, 23.5))


def test_momentum_none_averages_all_forwards_alike() -> None:
    first = (Run(column(0, 2)),)
    assert after(first, convention="cumulative") == pytest.approx((1, 2))
    both = (*first, Run(column(10, 12)))
    assert after(both, convention="cumulative") == pytest.approx((6, 2))


def test_no_grad_changes_nothing_and_eval_keeps_everything() -> None:
    plain, quiet = (Run(FOUR, count=3),), (Run(FOUR, no_grad=True, count=3),)
    assert after(plain) == after(quiet)
    kept = history((*plain, Run(FOUR, training=False, count=4)), 1, Settings())
    assert kept.mean[3:, 0].tolist() == [kept.mean[3, 0]] * 5
    assert kept.batches_seen == 3


def test_a_forward_is_taken_back_one_at_a_time() -> None:
    one, other = Run(FOUR), Run(column(1, 3), training=False)
    forwards: Forwards = ()
    for run in (one, one, other):
        forwards = one_more(forwards, run)
    assert [run.count for run in forwards] == [2, 1]
    assert one_less(forwards) == (Run(FOUR, count=2),)
    assert one_less(one_less(forwards)) == (one,)
    assert one_less(()) == ()


def test_there_is_an_end_to_forwards() -> None:
    forwards = one_more((), Run(FOUR, count=MOST_FORWARDS))
    assert count_of(one_more(forwards, Run(column(1, 2)))) == MOST_FORWARDS


@given(
    st.lists(st.sampled_from([0, 1, 2]), max_size=8),
    st.sampled_from(sorted(CONVENTIONS)),
    st.floats(0, 1),
)
def test_the_history_is_what_the_kernel_itself_returns(
    order: list[int], convention: str, momentum: float
) -> None:
    batches = [
        Tensor("[N,C,L]", np.random.default_rng(number).normal(number, 2, (3, 2, 4)))
        for number in range(3)
    ]
    settings = Settings(momentum=momentum, convention=convention)
    mean, variance = np.zeros(2), np.ones(2)
    for seen, number in enumerate(order):
        result = kernels.batch_norm(
            batches[number].values, mean, variance, training=True, **settings.arguments(seen)
        )
        mean, variance = np.asarray(result.running_mean), np.asarray(result.running_var)
    past = history(tuple(Run(batches[number]) for number in order), 2, settings)
    np.testing.assert_allclose(past.running.mean, mean, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(past.running.variance, variance, rtol=1e-13, atol=1e-13)
