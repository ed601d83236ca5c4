"""Three models side by side: the kernel's numbers, stopped and taken up, and what is said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.placement import training_words
from app.placement.training import PLATEAU, Training
from kernels.training import RECIPES, TrainingRun


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> Training:
    """Recipes of 12 steps on a tiny model, looked at after every step."""
    tiny = {
        name: replace(recipe, depth=1, width=16, context=6, batch=2, steps=12)
        for name, recipe in RECIPES.items()
    }
    monkeypatch.setattr("app.placement.training.RECIPES", tiny)
    monkeypatch.setattr("app.placement.training_words.RECIPES", tiny)
    monkeypatch.setattr("app.placement.training.SLICE", 0.0)
    return Training()


def test_each_model_learns_as_it_would_alone(short: Training) -> None:
    short.start()
    assert list(short.steps())[-1] is True
    assert short.finished
    assert not short.going
    for name, run in short.runs.items():
        alone = TrainingRun(run.settings)
        np.testing.assert_array_equal(short.losses(name), [step.loss for step in alone])


def test_the_models_go_forward_together(short: Training) -> None:
    short.start()
    for _ in short.steps():
        counts = [len(run.history) for run in short.runs.values()]
        assert max(counts) - min(counts) <= 1


def test_a_stop_holds_and_going_on_ends_where_it_would_have(short: Training) -> None:
    short.start()
    for count, _ in enumerate(short.steps()):
        if count == 7:
            short.going = False
    stopped = short.steps_done
    assert 0 < stopped < 12
    assert training_words.run_line(short)[2] == "Go on"
    short.start()
    for _ in short.steps():
        pass
    whole = TrainingRun(short.runs["pre_ln"].settings)
    np.testing.assert_array_equal(short.losses("pre_ln"), [step.loss for step in whole])
    assert training_words.run_line(short)[2] == "Train again"


def test_other_weights_drop_what_was_learned(short: Training) -> None:
    short.start()
    for _ in short.steps():
        pass
    assert not short.fit("layer_norm", 0)
    assert short.fit("layer_norm", 1)
    assert not short.started
    short.start()
    assert {run.settings.seed for run in short.runs.values()} == {1}


def test_a_curve_is_the_mean_of_the_last_ten_steps(short: Training) -> None:
    short.start()
    for _ in short.steps():
        pass
    losses, curve = short.losses("post_ln"), short.curve("post_ln")
    assert curve[0] == losses[0]
    assert curve[4] == pytest.approx(losses[:5].mean())
    assert curve[-1] == pytest.approx(losses[-10:].mean())
    assert len(short.columns()["x"]) == 12


def test_before_a_start_there_is_nothing_but_an_invitation() -> None:
    training = Training()
    assert training_words.run_line(training) == ("", -1, "Train three models")
    assert "100 steps of warm-up" in training_words.caption(training)
    assert np.isnan(training.columns()["pre_ln"]).all()
    assert np.isnan(training.late_loss("pre_ln"))


def test_the_verdict_follows_from_the_losses(short: Training) -> None:
    short.start()
    for _ in short.steps():
        pass
    for name, late in (("post_ln", 2.80), ("post_ln_warmup", 2.40), ("pre_ln", 2.15)):
        run = short.runs[name]
        run.history[:] = [replace(step, loss=late) for step in run.history]
    caption = training_words.caption(short)
    assert "Post-LN 2.80, Post-LN + warm-up 2.40 and Pre-LN 2.15" in caption
    assert f"Post-LN did not get past the letters’ frequencies ({PLATEAU:.2f})" in caption
    for step in range(12):
        run = short.runs["post_ln"]
        run.history[step] = replace(run.history[step], loss=2.0)
    assert "All got past" in training_words.caption(short)
