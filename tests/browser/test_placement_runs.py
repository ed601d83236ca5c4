"""What the Placement scene computes and what it does not: counted, stopped, refused, trained."""

from __future__ import annotations

import re

import numpy as np
from playwright.sync_api import Page, expect

from kernels.training import RECIPES, TrainingRun
from tests.browser.conftest import OpenPage
from tests.browser.hosting import Host
from tests.browser.placement import caption, go, results, row, spot, stage, through, view, wait_for
from tests.browser.reading import outputs

# nothing twice ------------------------------------------------------------------------------------


def test_a_scene_opened_by_a_link_shows_what_its_head_sees(open_page: OpenPage, host: Host) -> None:
    page = open_page(host.url)
    page.evaluate("location.hash = '#placement'")
    page.wait_for_selector("#placement-results")
    through(page)
    expect(results(page)).to_contain_text(re.compile(r"entropy \d\.\d+ · top.1 0\.\d+"))
    expect(results(page)).not_to_contain_text("not computed yet")


def test_switching_the_final_norm_runs_no_layer(page: Page) -> None:
    before = go(page)["work"]
    spot(page, "Final norm, before the head").click()
    shown = through(page)
    assert shown["chosen"] == "pre_ln"
    assert shown["work"] == before
    own = results(page).locator("article[data-current]")
    expect(own.get_by_role("heading")).to_contain_text("Without final norm")


def test_on_a_block_of_ones_own_it_runs_no_layer_forward(page: Page) -> None:
    before = go(page, placement="before_and_after")["work"]
    spot(page, "Final norm, before the head").click()
    after = through(page)["work"]
    assert after["forward_layers"] == before["forward_layers"]
    assert after["backward_layers"] == before["backward_layers"] + 24


def test_looking_at_something_else_runs_nothing(page: Page) -> None:
    before = go(page)["work"]
    for name in ("Updates", "Gradient", "Cosine", "Training", "Stream"):
        view(page, name)
    stage(page).get_by_role("slider", name="Block").fill("9")
    row(page, "Parallel").click()
    row(page, "Post-LN").click()
    assert through(page)["work"] == before


def test_the_next_step_of_a_slider_is_computed_ahead(page: Page) -> None:
    depth = 3
    go(page, placement_depth=depth, placement_width=16, placement_gain=0.5)
    gain = page.get_by_role("slider", name="Gain g")

    def forward_layers_of_a_step(at_least: int) -> int:
        before = through(page)["work"]["forward_layers"]
        gain.press("ArrowRight")
        least = before + at_least
        counted = f"shown => !shown.busy && shown.work.forward_layers >= {least}"
        return int(wait_for(page, counted)["work"]["forward_layers"] - before)

    # Seven passes, since Pre-LN has the same with and without its final norm; and ahead, the
    # chosen one's at the next step. The step before is there already.
    assert forward_layers_of_a_step(8 * depth) == 8 * depth
    # The chosen one's pass is there, so that six are left, and the next step's.
    assert forward_layers_of_a_step(7 * depth) == 7 * depth


# long work ----------------------------------------------------------------------------------------


def test_a_long_run_can_be_stopped_and_gone_on_with(page: Page) -> None:
    page.evaluate(
        "() => normscope.set({scene: 'placement', placement_width: 256, placement_depth: 24,"
        " placement_tokens: 32}).then(() => null)"
    )
    stop = stage(page).get_by_role("button", name="Stop")
    stop.click()
    left = outputs(page)
    assert not left["busy"]
    assert left["missing"]
    expect(stage(page).get_by_text("placements are missing")).to_be_visible()
    stage(page).get_by_role("button", name="Go on").click()
    row(page, "Parallel").hover()
    page.get_by_role("checkbox", name="QK-norm").check()  # heard while the work runs
    assert page.evaluate("normscope.state()")["placement_qk_norm"] == "rms"
    assert outputs(page)["busy"]
    page.evaluate("normscope.set({placement_width: 16}).then(() => null)")
    assert through(page)["missing"] == []


def test_what_would_take_minutes_waits_and_what_cannot_be_is_told(page: Page) -> None:
    shown = go(page, placement_depth=96, placement_width=512)
    assert shown["placements"] == {}
    expect(stage(page).get_by_role("button", name="Compute")).to_be_visible()
    expect(stage(page).get_by_text("it starts when you say so")).to_be_visible()
    shown = go(page, placement_depth=128, placement_width=1024, placement_tokens=256)
    assert shown["placements"] == {}
    assert "Too large for WebAssembly: tokens: 256 of width 1024" in shown["refusal"]
    expect(stage(page).get_by_text("Too large for WebAssembly")).to_be_visible()


# training -----------------------------------------------------------------------------------------


def test_three_models_learn_from_the_same_weights_and_can_be_stopped(page: Page) -> None:
    go(page, placement_view="training", placement_seed=0)
    stage(page).get_by_role("button", name="Train three models").click()
    wait_for(page, "shown => shown.training.steps >= 12")
    stage(page).get_by_role("button", name="Stop").click()
    training = outputs(page)["training"]
    assert not training["going"]
    for name, recipe in RECIPES.items():
        run = TrainingRun(recipe)
        expected = [step.loss for step, _ in zip(run, range(8), strict=False)]
        np.testing.assert_allclose(training["losses"][name][:8], expected, rtol=1e-3)
    assert training["losses"]["post_ln"][0] == training["losses"]["post_ln_warmup"][0]
    assert f"Step {training['steps']} of 200" in caption(page)
    stage(page).get_by_role("button", name="Go on").click()
    wait_for(page, f"shown => shown.training.steps > {training['steps']}")
    page.evaluate("normscope.set({placement_seed: 1}).then(() => null)")
    training = outputs(page)["training"]
    assert (training["going"], training["steps"]) == (False, 0)
    assert not any(training["losses"].values())
