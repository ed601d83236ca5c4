"""Training beside evaluation, and one example. Numbers: exact arithmetic; PyTorch 2.13's words."""

import numpy as np
import pytest

from app.batch.conventions import Settings
from app.batch.forwards import Run, history
from app.batch.presets import BATCHES, SINGLES, column
from app.batch.single import answers, other_normalizers
from app.batch.train import same_update, train_and_eval

ROOT = 2**0.5
MESSAGE = "Expected more than 1 value per channel when training, got input size torch.Size({})"


def test_train_and_eval_differ_on_the_batch_they_learned_from() -> None:
    pair, settings = column(1, 3), Settings(eps=0.0, momentum=1.0)
    both = train_and_eval(pair, history((Run(pair),), 1, settings), settings)
    assert both.training.output.ravel() == pytest.approx([-1, 1])
    assert both.evaluation.variance.item() == pytest.approx(2.0)
    assert both.evaluation.output.ravel() == pytest.approx([-1 / ROOT, 1 / ROOT])


def test_both_denominators() -> None:
    four = BATCHES["four"].tensor
    both = train_and_eval(four, history((), 1, Settings()), Settings())
    assert both.squares[0] == pytest.approx(104)
    assert both.training.variance.item() == pytest.approx(26)
    assert both.unbiased[0] == pytest.approx(104 / 3)
    assert (both.next.mean[0], both.next.variance[0]) == pytest.approx((0.6, 4.366666666666667))


def test_one_statistic_a_channel_over_examples_and_length() -> None:
    """The tensor of pytorch#60528."""
    tensor = BATCHES["length"].tensor
    both = train_and_eval(tensor, history((), 3, Settings()), Settings())
    assert both.num_values == 16
    expected = [-1.89737, -1.26491, -0.63246, 0]
    assert both.training.output[0, 0] == pytest.approx(expected, abs=1e-5)
    assert both.next.mean == pytest.approx([0.4, 0.8, 1.2])
    assert both.next.variance == pytest.approx([1.1666667] * 3)


def test_the_same_number_means_the_opposite_elsewhere() -> None:
    updates = same_update(BATCHES["four"].tensor, history((), 1, Settings()), 0.1)
    found = [
        (one.convention, one.momentum, float(one.mean[0]), float(one.variance[0]))
        for one in updates
    ]
    assert found == [
        ("pytorch", 0.1, pytest.approx(0.6), pytest.approx(4.366666666666667)),
        ("keras", 0.9, pytest.approx(0.6), pytest.approx(3.5)),
        ("keras", 0.1, pytest.approx(5.4), pytest.approx(23.5)),
        ("cumulative", None, pytest.approx(6.0), pytest.approx(104 / 3)),
    ]


def test_one_example_by_who_runs_it() -> None:
    found = {one.key: one for one in answers(SINGLES["token"].tensor, Settings())}
    assert found["formula"].result.output.tolist() == [[0, 0, 0, 0]]
    assert np.isnan(found["formula"].result.running_var).all()
    assert found["pytorch"].error == MESSAGE.format([1, 4])
    assert found["keras"].result.output.tolist() == [[0, 0, 0, 0]]
    assert found["keras"].result.running_var == pytest.approx([0.9] * 4)
    root = 1.00001**0.5
    evaluated = [value / root for value in (2, 4, 4, 6)]
    assert found["evaluation"].result.output[0] == pytest.approx(evaluated, abs=1e-12)
    assert found["untracked"].error == MESSAGE.format([1, 4])


def test_without_eps_it_is_nan_and_not_zero() -> None:
    found = {one.key: one for one in answers(SINGLES["token"].tensor, Settings(eps=0.0))}
    assert np.isnan(found["formula"].result.output).all()


def test_one_example_with_a_length_can_be_trained_on() -> None:
    found = {one.key: one for one in answers(SINGLES["length"].tensor, Settings())}
    edge = 2 / 2.00001**0.5
    for key in ("formula", "pytorch", "untracked"):
        assert found[key].error == ""
        assert found[key].result.output[0, 0] == pytest.approx([-edge, 0, 0, edge], abs=1e-12)
    assert found["pytorch"].result.running_mean == pytest.approx([0.4])
    assert found["pytorch"].result.running_var == pytest.approx([1.1666667])


def test_a_length_of_one_is_one_value_again() -> None:
    found = {one.key: one for one in answers(SINGLES["point"].tensor, Settings())}
    assert found["pytorch"].error == MESSAGE.format([1, 2, 1])


def test_layer_norm_of_the_example_needs_nobody() -> None:
    others = other_normalizers(SINGLES["token"].tensor, 1e-5)
    edge = 1.4142100268524473
    assert others["layer"].output[0] == pytest.approx([-edge, 0, 0, edge], abs=1e-12)
    assert others["rms"].output[0, 0] == pytest.approx(0.4714043898, abs=1e-9)
