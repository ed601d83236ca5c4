"""The Placement scene: one set of weights, every placement, counted, stopped, trained."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from kernels.placements import PLACEMENTS, Placement
from kernels.residual import simulate_stack
from tests.browser.conftest import OpenPage
from tests.browser.hosting import Host
from tests.browser.placement import (
    caption,
    go,
    lead,
    placements,
    results,
    row,
    spot,
    stage,
    three_figures,
    through,
    view,
    wire,
)
from tests.browser.reading import outputs

DEFAULTS: dict[str, Any] = {
    "norm": "layer_norm", "depth": 24, "width": 64, "tokens": 16, "heads": 4, "gain": 0.5,
    "seed": 7,
}  # fmt: skip


def close(found: Any, expected: Any, rtol: float = 2e-4) -> None:
    """Float32 stacks of two machines agree to some 1e-6 a layer."""
    np.testing.assert_allclose(np.array(found, dtype=float), expected, rtol=rtol)


# numbers ------------------------------------------------------------------------------------------


def test_every_placement_shows_the_kernels_numbers_on_the_same_weights(page: Page) -> None:
    shown = go(page)
    assert set(shown["placements"]) == set(PLACEMENTS)
    for key, got in shown["placements"].items():
        trace = simulate_stack(key, **DEFAULTS)
        close(got["stream_rms"], trace.stream_rms)
        close(got["update_rms"], trace.update_rms)
        # Without norms, what float32 rounds away grows as the gradient does, a thousandfold: two
        # processors' own orders of summation were 7 % apart.
        close(got["gradient_rms"], trace.gradient_rms, rtol=0.25 if key == "none" else 2e-3)
    starts = {got["stream_rms"][0] for got in shown["placements"].values()}
    assert len(starts) == 1


def test_the_theory_holds_where_its_assumptions_do(page: Page) -> None:
    """√(x₀² + 2ℓg²): RMSNorm and one token, so that attention averages nothing away."""
    shown = go(
        page, placement="pre_ln", placement_norm="rms_norm", placement_depth=16, placement_gain=0.5,
        placement_width=256, placement_tokens=1, placement_heads=1,
    )  # fmt: skip
    stream = np.array(shown["placements"]["pre_ln"]["stream_rms"])
    law = np.sqrt(stream[0] ** 2 + 2 * np.arange(17) * 0.25)
    np.testing.assert_allclose(stream, law, rtol=0.1)
    assert shown["placements"]["pre_ln"]["predicted_rms"] == pytest.approx(law, rel=1e-9)
    assert caption(page).endswith("both assumptions hold.")


def test_where_they_do_not_the_caption_says_which_fails_with_numbers(page: Page) -> None:
    shown = go(page)
    growth = shown["placements"]["pre_ln_final"]["growth"]
    assert set(growth["failing"]) == {"size", "independence"}
    text = caption(page)
    attention, ffn = growth["size_ratio"]
    assert f"Size fails: attention adds {attention:.2f}, the FFN {ffn:.2f}" in text
    assert f"2∑x·u is {growth['cross_ratio']:.2f} of ∑u², not 0" in text
    apart = growth["correlation_factor"]
    page.get_by_role("checkbox", name="One layer repeated").check()
    alike = through(page)["placements"]["pre_ln_final"]["growth"]
    assert alike["correlation_factor"] > 2 * apart  # correlated updates grow faster
    assert "Independence fails" in caption(page)


def test_the_lead_is_what_was_measured(page: Page) -> None:
    stream = go(page)["placements"]["pre_ln_final"]["stream_rms"]
    assert lead(page) == (
        f"Pre-LN never rescales the stream itself, so it grows: ×{stream[-1] / stream[0]:.1f} "
        "after 24 layers."
    )
    row(page, "Post-LN").click()
    assert through(page)["placements"]["post_ln"]["stream_rms"][-1] == pytest.approx(1, abs=1e-4)
    assert lead(page) == (
        "Post-LN rescales the stream after every sum, so it leaves every layer at RMS 1.00."
    )


def test_post_lns_last_gradient_is_the_larger_and_warm_up_is_named(page: Page) -> None:
    """Xiong et al. 2020, theorem 1: at the last layer Pre-LN's is smaller, by √L at unit gain."""
    shown = go(page, placement_gain=1.0)["placements"]
    post, pre = (
        shown[key]["weight_gradient_rms"]["down"][-1] for key in ("post_ln", "pre_ln_final")
    )
    assert math.sqrt(24) / 2 < post / pre < 2 * math.sqrt(24)
    said = results(page).get_by_text(f"Post-LN gets ×{three_figures(post / pre)} what Pre-LN gets")
    expect(said).to_be_visible()
    expect(said).to_contain_text("what warm-up is for")


def test_the_views_show_each_placements_number(page: Page) -> None:
    shown = go(page)["placements"]
    numbers = {
        "Stream": lambda one: f"×{three_figures(one['stream_rms'][-1] / one['stream_rms'][0])}",
        "Updates": lambda one: three_figures(
            math.sqrt(sum(u * u for u in one["update_rms"][-1]) / 2)
        ),
        "Gradient": lambda one: (
            f"×{three_figures(one['gradient_rms'][0] / one['gradient_rms'][-1])}"
        ),
    }
    for name, number in numbers.items():
        view(page, name)
        for title, key in (("Post-LN", "post_ln"), ("Parallel", "parallel")):
            expect(row(page, title).locator("b")).to_have_text(number(shown[key]))
    view(page, "Cosine")
    assert "1024 numbers leave about ±0.03 to chance" in caption(page)


def test_a_link_opens_the_scene_with_its_state(open_page: OpenPage, host: Host) -> None:
    page = open_page(
        f"{host.url}#placement&place=own.attention_sum.final&layers=6&pview=gradient&wseed=3"
    )
    shown = through(page)
    assert (shown["chosen"], shown["places"]) == ("own", ["attention_sum", "final"])
    placement = Placement(attention_sum=True, final=True)
    trace = simulate_stack(placement, **{**DEFAULTS, "depth": 6, "seed": 3})
    close(shown["placements"]["own"]["stream_rms"], trace.stream_rms)
    expect(row(page, "Your own")).to_be_checked()


# the same weights ---------------------------------------------------------------------------------


def test_changing_the_placement_never_redraws_the_weights(page: Page) -> None:
    """Post-LN and no norm read the same x first: what attention answers is the same number."""
    go(page, placement="none")
    first = wire(page, "attention")
    plain = outputs(page)["block"]["attention"]
    row(page, "Post-LN").click()
    assert through(page)["block"]["attention"] == plain
    assert wire(page, "attention") == first == three_figures(plain)
    row(page, "Pre-LN").first.click()
    assert through(page)["block"]["attention"] != plain


def test_new_weights_are_a_button_of_their_own_and_the_seed_is_in_the_link(page: Page) -> None:
    before = go(page)["placements"]["pre_ln"]["stream_rms"]
    page.get_by_role("button", name="New weights").click()
    after = through(page)["placements"]["pre_ln"]["stream_rms"]
    assert after != before
    assert page.evaluate("normscope.state()")["placement_seed"] == 8
    page.wait_for_function("location.hash.includes('wseed=8')")
    expect(page.get_by_text("Seed 8")).to_be_visible()
    trace = simulate_stack("pre_ln", **{**DEFAULTS, "seed": 8})
    close(after, trace.stream_rms)


# the drawing --------------------------------------------------------------------------------------


def test_norms_are_switched_by_clicking_them(page: Page) -> None:
    shown = go(page, placement="pre_ln")
    block = dict(shown["block"])
    assert wire(page, "attention_input") == three_figures(block["attention_input"]) == "1.00"
    spot(page, "Norm before attention").click()
    spot(page, "Norm before the FFN").click()
    shown = through(page)
    assert (shown["chosen"], shown["places"]) == ("none", [])
    expect(row(page, "No norm")).to_be_checked()
    expect(spot(page, "Norm before the FFN")).not_to_be_checked()
    assert shown["block"]["attention_input"] == shown["block"]["input"]
    spot(page, "Norm after the FFN’s sum").click()
    shown = through(page)
    assert (shown["chosen"], shown["places"]) == ("own", ["ffn_sum"])
    assert shown["block"]["output"] == pytest.approx(1, abs=1e-4)
    expect(row(page, "Your own")).to_be_checked()
    page.wait_for_function("location.hash.includes('place=own.ffn_sum')")


def test_norms_are_switched_with_keys_alone(page: Page) -> None:
    go(page, placement="pre_ln")
    spot(page, "Norm before attention").focus()
    page.keyboard.press("Space")
    assert through(page)["places"] == ["ffn_input"]
    page.keyboard.press("ArrowRight")
    expect(spot(page, "Norm after attention")).to_be_focused()
    page.keyboard.press("Enter")
    assert through(page)["places"] == ["attention_branch", "ffn_input"]


def test_both_sublayers_can_read_the_same_stream(page: Page) -> None:
    go(page)
    page.get_by_role("button", name="Side by side").click()
    shown = through(page)
    assert (shown["chosen"], shown["parallel"]) == ("parallel", True)
    assert spot(page, "Norm after attention’s sum").count() == 0
    expect(stage(page).get_by_text("the same x")).to_be_visible()


def test_every_wire_carries_its_rms_in_any_block_and_its_gradient_in_that_view(page: Page) -> None:
    trace = simulate_stack("deep_norm", **DEFAULTS)
    go(page, placement="deep_norm", placement_block=24)
    shown = outputs(page)["block"]
    close(shown["output"], trace.stream_rms[-1])
    for name, value in shown.items():
        if name != "output":
            assert wire(page, name) in ("", three_figures(value)), name
    expect(stage(page).get_by_text("×2.63").first).to_be_visible()  # α = 48^(1/4)
    stage(page).get_by_role("slider", name="Block").fill("3")
    close(outputs(page)["block"]["input"], trace.stream_rms[2])
    view(page, "Gradient")
    close(outputs(page)["block"]["output"], trace.gradient_rms[3], rtol=2e-3)


def test_the_list_is_moved_through_with_arrow_keys(page: Page) -> None:
    go(page)
    row(page, "Pre-LN, final norm").focus()
    page.keyboard.press("ArrowDown")
    assert through(page)["chosen"] == "before_and_after"
    expect(row(page, "Before and after")).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert through(page)["chosen"] == "pre_ln"
    assert placements(page).locator("[tabindex='0']").count() == 1


# the head -----------------------------------------------------------------------------------------


def test_without_the_final_norm_the_head_is_sure_and_a_temperature_undoes_it(page: Page) -> None:
    """After RMSNorm exactly: dividing the stream by its RMS is dividing the logits by it."""
    head = go(page, placement_norm="rms_norm")["head"]
    trace = simulate_stack("pre_ln_final", **{**DEFAULTS, "norm": "rms_norm"})
    root = math.sqrt(float(np.square(trace.stream[-1, -1], dtype=np.float64).mean()))
    assert head["temperature"] == pytest.approx(root, rel=1e-4)
    assert head["without"]["entropy"] < head["with_norm"]["entropy"]
    assert head["cooled_entropy"] == pytest.approx(head["with_norm"]["entropy"], rel=1e-4)
    expect(results(page).get_by_text(f"A temperature of {root:.2f} would undo it")).to_be_visible()
    without = head["without"]
    sharp = f"entropy {without['entropy']:.2f} · top\u20111 {without['top']:.2f}"
    expect(results(page).get_by_text(sharp)).to_be_visible()
    logits = results(page).locator(".bars").nth(1).locator("small").all_inner_texts()
    assert logits == [f"{logit:.1f}" for logit in head["with_norm"]["logits"]]


# systems ------------------------------------------------------------------------------------------


def test_a_published_system_sets_the_stack_like_itself(page: Page) -> None:
    go(page)
    page.get_by_label("Like", exact=True).select_option("Gemma 2, 2024")
    shown = through(page)
    assert shown["chosen"] == "before_and_after"
    state = page.evaluate("normscope.state()")
    assert (state["placement_norm"], state["placement_soft_cap"]) == ("rms_norm", 50.0)
    expect(page.get_by_role("checkbox", name="Soft-cap 50 on scores")).to_be_checked()
    updates = np.array(shown["placements"]["before_and_after"]["update_rms"])
    np.testing.assert_allclose(updates, 1, atol=1e-4)  # a norm on the branch makes every update 1
    page.get_by_role("checkbox", name="Soft-cap 50 on scores").uncheck()
    through(page)
    expect(page.get_by_label("Like", exact=True)).to_have_value("Own settings")


FRAMES = """
() => {
  const load = Bokeh.require("models/plots/plot_canvas").PlotView.prototype;
  const own = load._actual_paint;
  globalThis.frames_seen = {};
  load._actual_paint = function (...values) {
    const { left, right } = this.frame.bbox;
    (frames_seen[this.model.id] ??= new Set()).add(`${left} ${right}`);
    return own.apply(this, values);
  };
}
"""


def test_while_a_slider_moves_the_frames_of_the_plots_stay_where_they_are(page: Page) -> None:
    """Labels of another width, and a range without the curves to come, would let them jump."""
    go(page, placement_depth=8, placement_width=32, placement_gain=0.2)
    through(page)
    page.evaluate(FRAMES)
    page.get_by_role("slider", name="Gain g").focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(400)
    through(page)
    seen = page.evaluate(
        "Object.values(frames_seen).map((places) => [...places])",
    )
    assert len(seen) == 3
    assert all(len(places) == 1 for places in seen), seen
