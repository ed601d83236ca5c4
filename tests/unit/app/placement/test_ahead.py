"""What is computed ahead: the next steps of a slider, where that is quick."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.placement import ahead
from app.placement.ahead import Step, run_ahead, settings_after
from app.placement.runner import Runner
from app.placement.steps import DEPTHS, GAINS, TOKENS, WIDTHS
from kernels.placements import PLACEMENTS
from kernels.residual import StackTrace
from kernels.stack_settings import StackSettings

SMALL = StackSettings(PLACEMENTS["pre_ln_final"].placement, depth=3, width=16, tokens=4, heads=2)


def test_the_step_after_one_in_the_same_direction_comes_first() -> None:
    up = Step("placement_gain", GAINS, before=3, position=4)
    assert [one.gain for one in settings_after(up, SMALL)] == [GAINS[5], GAINS[3]]
    down = Step("placement_gain", GAINS, before=5, position=4)
    assert [one.gain for one in settings_after(down, SMALL)] == [GAINS[3], GAINS[5]]


def test_a_slider_at_its_end_has_one_next_step() -> None:
    first = Step("placement_depth", DEPTHS, before=1, position=0)
    assert [one.depth for one in settings_after(first, SMALL)] == [2]
    last = Step("placement_tokens", TOKENS, before=14, position=15)
    assert [one.tokens for one in settings_after(last, SMALL)] == [192]


def test_what_cannot_be_computed_is_left_out() -> None:
    large = replace(SMALL, depth=72, width=1024)
    step = Step("placement_tokens", TOKENS, before=12, position=13)  # 128, where 192 is too many
    assert [one.tokens for one in settings_after(step, large)] == [96]


def test_other_sliders_are_not_followed() -> None:
    # The width draws other weights, and takes other heads with it.
    assert settings_after(Step("placement_width", WIDTHS, before=0, position=1), SMALL) == []


def test_a_step_that_was_computed_ahead_is_there_at_once() -> None:
    runner = Runner()
    runner.begin(SMALL)
    list(runner.steps())
    kept: list[StackTrace] = []
    wanted = settings_after(Step("placement_gain", GAINS, before=19, position=20), SMALL)
    for settings in wanted:
        steps = list(run_ahead(runner.backends, settings, kept.append))
        assert len(steps) == 2 * SMALL.depth  # it can be left after each layer, up and down
    assert [trace.settings for trace in kept] == wanted
    runner.begin(wanted[0])
    assert runner.chosen is kept[0]
    assert "pre_ln_final" not in runner.missing


def test_what_takes_long_is_not_run_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "MOST_SECONDS", 0.0)
    kept: list[StackTrace] = []
    assert list(run_ahead(Runner().backends, SMALL, kept.append)) == []
    assert kept == []
