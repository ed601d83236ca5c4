"""The tiny model: what each recipe reaches, and that it can be stopped and taken up again."""

import math
from dataclasses import replace

import numpy as np
import pytest

from kernels.placements import PLACEMENTS
from kernels.training import RECIPES, CharacterModel, TrainingRun, frequency_loss
from kernels.training_text import TEXT

SHORT = {"depth": 2, "width": 16, "context": 6, "batch": 2, "steps": 5}


def late_loss(run: TrainingRun) -> float:
    return float(np.mean([step.loss for step in run.history[-20:]]))


@pytest.mark.parametrize("seed", [0, 1])
def test_post_ln_without_warmup_is_stuck_where_the_others_learn(seed: int) -> None:
    runs = {name: TrainingRun(replace(recipe, seed=seed)) for name, recipe in RECIPES.items()}
    first = {name: next(iter(run)).loss for name, run in runs.items()}
    assert first["post_ln"] == first["post_ln_warmup"]  # same weights, same first batch
    reached = {}
    for name, run in runs.items():
        for _ in run:
            pass
        reached[name] = late_loss(run)
    plateau = frequency_loss()
    assert reached["post_ln"] > plateau - 0.15
    assert reached["post_ln_warmup"] < plateau - 0.25
    assert reached["pre_ln"] < reached["post_ln_warmup"] - 0.1


def test_frequency_loss_is_the_entropy_of_single_characters() -> None:
    assert frequency_loss("aabb") == pytest.approx(math.log(2))
    assert frequency_loss("aaab") == pytest.approx(-0.75 * math.log(0.75) - 0.25 * math.log(0.25))
    assert frequency_loss(TEXT) == pytest.approx(2.78769, abs=1e-5)


def test_a_stopped_run_goes_on_where_it_was() -> None:
    settings = replace(RECIPES["pre_ln"], **SHORT)
    whole = [step.loss for step in TrainingRun(settings)]
    run = TrainingRun(settings)
    for step in run:
        if step.step == 1:
            break
    assert not run.finished
    rest = [step.loss for step in run]
    assert len(rest) == 3
    assert [step.loss for step in run.history] == whole
    assert run.finished
    assert list(run) == []


def test_warm_up_lengthens_the_first_steps_only() -> None:
    settings = replace(RECIPES["post_ln_warmup"], warmup=4, learning_rate=0.02)
    rates = [settings.learning_rate_at(step) for step in range(6)]
    np.testing.assert_allclose(rates, [0.005, 0.01, 0.015, 0.02, 0.02, 0.02])


@pytest.mark.parametrize("name", PLACEMENTS)
def test_model_gradient_is_the_finite_difference(name: str) -> None:
    settings = replace(
        RECIPES["pre_ln"], placement=PLACEMENTS[name].placement, dtype="float64", **SHORT
    )
    model = CharacterModel(settings, 7)
    generator = np.random.default_rng(1)
    characters, targets = generator.integers(0, 7, (2, 2, 6))
    model.loss_and_gradient(characters, targets)
    gradient, start = model.gradient.copy(), model.values.copy()
    for _ in range(3):
        direction = generator.standard_normal(len(start))
        losses = []
        for step in (1e-6, -1e-6):
            model.values[...] = start + step * direction
            losses.append(model.loss_and_gradient(characters, targets))
        slope = (losses[0] - losses[1]) / 2e-6
        assert gradient @ direction == pytest.approx(slope, rel=1e-5, abs=1e-7)


def test_deep_norm_starts_from_weights_scaled_by_beta() -> None:
    plain = CharacterModel(replace(RECIPES["post_ln"], **SHORT), 7)
    deep = CharacterModel(
        replace(RECIPES["post_ln"], placement=PLACEMENTS["deep_norm"].placement, **SHORT), 7
    )
    beta = 16**-0.25
    query_key_value, output, hidden, down = deep.matrices[3:7]
    np.testing.assert_allclose(output, plain.matrices[4] * beta, rtol=1e-6)
    np.testing.assert_allclose(hidden, plain.matrices[5] * beta, rtol=1e-6)
    np.testing.assert_allclose(down, plain.matrices[6] * beta, rtol=1e-6)
    np.testing.assert_array_equal(query_key_value[:, :32], plain.matrices[3][:, :32])
    np.testing.assert_allclose(query_key_value[:, 32:], plain.matrices[3][:, 32:] * beta, rtol=1e-6)


def test_a_run_whose_loss_is_no_number_ends_and_says_so() -> None:
    none = replace(RECIPES["pre_ln"], placement=PLACEMENTS["none"].placement, learning_rate=1e4)
    run = TrainingRun(none)
    for _ in run:
        pass
    assert run.diverged
    assert run.finished
    assert len(run.history) < none.steps


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"warmup": -1}, "warmup: expected 0 or more, got -1"),
        ({"steps": 0}, "steps: expected 1 or more, got 0"),
        ({"batch": 0}, "batch: expected 1 or more, got 0"),
        ({"learning_rate": 0.0}, "learning_rate: expected a finite number above 0, got 0.0"),
        ({"heads": 5}, "heads: width must be divisible by heads"),
    ],
)
def test_settings_out_of_range_are_refused_by_name(change: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(RECIPES["pre_ln"], **change)


def test_a_text_shorter_than_one_context_is_refused() -> None:
    with pytest.raises(ValueError, match="text: expected at least 18 characters, got 5"):
        TrainingRun(RECIPES["pre_ln"], "short")
