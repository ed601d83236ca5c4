"""The Softmax scene: the seeds' chain from real clicks and keys, as outputs and as texts."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.reading import outputs, violations

Screenshot = Callable[[Page, str], Path]


@pytest.fixture
def softmax(page: Page) -> Page:
    """The scene, reached by the header."""
    page.get_by_role("navigation").get_by_role("link", name="Softmax").click()
    expect(controls(page).get_by_label("Start from")).to_be_visible()
    page.evaluate("normscope.state()")
    return page


def controls(page: Page) -> Locator:
    """The left of the scene."""
    return page.locator("#softmax-controls")


def stage(page: Page) -> Locator:
    """Its middle."""
    return page.locator("#softmax-stage")


def results(page: Page) -> Locator:
    """Its right."""
    return page.locator("#softmax-results")


def start_from(page: Page, title: str) -> None:
    """Choose a start in the menu."""
    controls(page).get_by_label("Start from").select_option(label=title)
    page.evaluate("normscope.state()")


def vectors(page: Page) -> Locator:
    """The cells of q and the keys."""
    return stage(page).get_by_role("grid", name="The query and its keys").get_by_role("gridcell")


def slide(page: Page, name: str, key: str, times: int = 1) -> None:
    """Move a slider by the keyboard."""
    slider = controls(page).get_by_role("slider", name=name)
    slider.focus()
    for _ in range(times):
        page.keyboard.press(key)
    page.evaluate("normscope.state()")


def step(page: Page, name: str) -> list[str]:
    """What a step of the chain shows for each key."""
    return stage(page).locator(f"table td[data-step='{name}']").all_inner_texts()


def shares(page: Page, group: int = 0) -> list[str]:
    """The numbers of a group of bars."""
    return results(page).locator("article").nth(group).locator("li b").all_inner_texts()


def lead(page: Page) -> str:
    """The sentences over the stage."""
    return " ".join(stage(page).locator("p.lead, p.sub").all_inner_texts())


# start: probabilities as outputs and as texts, the scores as texts. Of a gap g between two scores
# the softmax is 1/(1 + e^-g), here in exact arithmetic: g = 1, 9, 9/√2, √(2/5).
STARTS = [
    ("Scores 2 and 1", [0.7310585786, 0.2689414214], ["0.73106", "0.26894"], ["2", "1"]),
    ("Projections ×3", [0.9998766054, 0.0001233946], ["0.99988", "0.00012"], ["18", "9"]),
    (
        "×3 with QK-norm and √dₖ",
        [0.6530460379, 0.3469539621],
        ["0.65305", "0.34695"],
        ["1.2649", "0.6325"],
    ),
    (
        "×3 with √dₖ alone",
        [0.9982804318, 0.0017195682],
        ["0.99828", "0.00172"],
        ["12.7279", "6.364"],
    ),
    (
        "The bound √128",
        [0.9999999998510510, 1.489490227e-10],
        ["1.00000", "1.49e−10"],
        ["11.3137", "−11.3137"],
    ),
]


@pytest.mark.parametrize(
    ("title", "expected", "texts", "scores"), STARTS, ids=[row[0] for row in STARTS]
)
def test_the_seeds_chain(
    softmax: Page, title: str, expected: list[float], texts: list[str], scores: list[str]
) -> None:
    if title != "Scores 2 and 1":
        start_from(softmax, title)
    assert outputs(softmax)["probabilities"] == pytest.approx(expected, rel=1e-6, abs=1e-19)
    assert shares(softmax) == texts
    assert step(softmax, "probability")[1:] == texts
    assert step(softmax, "score")[1:] == scores


def test_three_times_the_projections_starve_the_gradient(
    softmax: Page, screenshot: Screenshot
) -> None:
    """p(1 − p) falls from 0.19661 to 1.2338e-4, by a factor of 1593.56."""
    slide(softmax, "Scale of the projections", "ArrowRight", 3)  # 1.5, 2, 3
    now = outputs(softmax)
    assert softmax.evaluate("normscope.state()")["softmax_scale"] == 3
    assert now["scores"] == [18, 9]
    assert now["slope"] == pytest.approx([1.233793498e-4] * 2, rel=1e-9)
    assert now["entropy"] == pytest.approx(0.0012339533735994256, rel=1e-10)
    assert step(softmax, "gradient")[1:] == ["1.23e−4", "1.23e−4"]
    assert "1594 times smaller" in lead(softmax)
    assert "nearly one-hot" in lead(softmax)
    expect(results(softmax).get_by_text("0.001234 of 0.6931 nats")).to_be_visible()
    screenshot(softmax, "softmax-tripled")


def test_qk_norm_and_the_root_undo_the_scale(softmax: Page, screenshot: Screenshot) -> None:
    slide(softmax, "Scale of the projections", "ArrowRight", 3)
    controls(softmax).get_by_role("button", name="RMS").click()
    controls(softmax).get_by_label("Score").select_option(label="q·k / √dₖ")
    slide(softmax, "ε of the QK-norm", "Home")  # 0
    now = outputs(softmax)
    assert now["probabilities"] == pytest.approx([0.6530460379, 0.3469539621], abs=1e-10)
    assert now["query_hat"] == pytest.approx([1.2649110641, 0.6324555320], abs=1e-10)
    assert now["bound"] == pytest.approx(math.sqrt(2))
    assert "as at ×1" in lead(softmax)
    assert "±√2 = 1.414" in lead(softmax)
    screenshot(softmax, "softmax-qk-norm")


def test_the_jacobian_is_diag_p_minus_p_p(softmax: Page) -> None:
    p = np.array([0.7310585786300049, 0.2689414213699951])
    jacobian = np.diag(p) - np.outer(p, p)
    assert np.array(outputs(softmax)["jacobian"]) == pytest.approx(jacobian, abs=1e-15)
    table = results(softmax).get_by_role("table", name="The Jacobian")
    texts = table.locator("td[data-sign]").all_inner_texts()
    assert texts == ["0.197", "−0.197", "−0.197", "0.197"]


def test_typing_another_query(softmax: Page) -> None:
    vectors(softmax).nth(0).click()
    softmax.keyboard.type("1")
    softmax.keyboard.press("Enter")
    now = outputs(softmax)
    assert now["query"] == [1, 1]
    assert now["probabilities"] == [0.5, 0.5]
    assert now["entropy"] == pytest.approx(math.log(2))
    assert "spread evenly: 50 % for each of 2 keys" in lead(softmax)


def test_what_an_edit_does_not_change_stays_in_the_page(softmax: Page) -> None:
    """Formulas and rows are not built anew: they would be laid out again, and a selection lost."""
    chain = stage(softmax).get_by_role("table", name="chain")
    bars = results(softmax).get_by_role("listitem")
    for part in (chain.locator("th").nth(1), chain.locator("td").last, bars.first):
        part.evaluate("element => { element.mine = true; }")
    before = chain.locator("td").last.inner_text()
    share = shares(softmax)[0]
    vectors(softmax).nth(0).click()
    softmax.keyboard.type("3")
    softmax.keyboard.press("Enter")
    expect(chain.locator("td").last).not_to_have_text(before)
    assert shares(softmax)[0] != share
    for part in (chain.locator("th").nth(1), chain.locator("td").last, bars.first):
        assert part.evaluate("element => element.mine")


def test_a_word_is_refused_and_stays_marked(softmax: Page) -> None:
    vectors(softmax).nth(0).click()
    softmax.keyboard.type("two")
    softmax.keyboard.press("Enter")
    softmax.evaluate("normscope.state()")
    expect(vectors(softmax).nth(0)).to_have_attribute("aria-invalid", "true")
    expect(stage(softmax).get_by_text("“two” is not a number")).to_be_visible()
    assert outputs(softmax)["query"] == [2, 1]
    vectors(softmax).nth(0).focus()
    softmax.keyboard.press("Escape")
    softmax.evaluate("normscope.state()")
    expect(vectors(softmax).nth(0)).not_to_have_attribute("aria-invalid", "true")


def test_nan_is_told_by_its_name(softmax: Page) -> None:
    vectors(softmax).nth(2).click()
    softmax.keyboard.type("nan")
    softmax.keyboard.press("Enter")
    assert outputs(softmax)["probabilities"] == ["NaN", "NaN"]
    assert "k0 is not a finite number" in lead(softmax)


def test_soft_cap_before_the_mask_and_after_it(softmax: Page, screenshot: Screenshot) -> None:
    """onnx#7865: mask, then cap 1, lets 12.3 % through to the masked key."""
    slide(softmax, "Soft-cap", "ArrowRight", 2)  # 0.5, 1
    controls(softmax).get_by_role("button", name="k1").click()
    now = outputs(softmax)
    assert now["probabilities"] == [1, 0]
    assert now["orders"]["before_mask"] == [1, 0]
    assert now["orders"]["after_mask"] == pytest.approx([0.8769681684, 0.1230318316], abs=1e-10)
    expect(results(softmax).get_by_text("12.3 % leaks")).to_be_visible()
    expect(results(softmax).get_by_text("nothing leaks")).to_be_visible()
    assert shares(softmax, 1) == ["1", "0"]
    assert shares(softmax, 2) == ["0.87697", "0.12303"]
    controls(softmax).get_by_role("button", name="after mask").click()
    now = outputs(softmax)
    assert now["leaked"] == pytest.approx(0.1230318316, abs=1e-10)
    assert now["masked"] == pytest.approx([math.tanh(2), -1], abs=1e-12)
    assert "12.3 % of the attention leaks to k1" in lead(softmax)
    assert step(softmax, "mask")[1:] == ["2", "−∞"]
    assert step(softmax, "cap")[1:] == ["0.964", "−1"]
    screenshot(softmax, "softmax-leak")


def test_the_comparison_is_there_before_anything_is_masked(softmax: Page) -> None:
    expect(results(softmax).get_by_text("if the cap were 1 and k1 masked")).to_be_visible()
    expect(results(softmax).get_by_text("12.3 % leaks")).to_be_visible()


def test_a_soft_cap_of_50_holds_the_scores(softmax: Page) -> None:
    """Gemma 2: 50·tanh(18/50) = 17.2607, 50·tanh(9/50) = 8.9040."""
    start_from(softmax, "×3 with soft-cap 50")
    assert outputs(softmax)["capped"] == pytest.approx([17.2607017, 8.9040434], abs=1e-6)
    assert step(softmax, "cap")[1:] == ["17.2607", "8.904"]


def test_temperature_divides_the_scores(softmax: Page) -> None:
    """At T = 2 the softmax of [2, 1] is [0.62246, 0.37754]."""
    slide(softmax, "Temperature", "ArrowRight", 3)  # 1.25, 1.5, 2
    assert outputs(softmax)["probabilities"] == pytest.approx(
        [0.6224593312, 0.3775406688], abs=1e-9
    )
    assert shares(softmax) == ["0.62246", "0.37754"]
    p = 0.6224593312018546
    assert outputs(softmax)["slope"][0] == pytest.approx(p * (1 - p) / 2, rel=1e-10)


def test_rope_turns_the_query_by_its_position(softmax: Page) -> None:
    """Position 1 turns [2, 1] by one radian; the key at 0 stays, the one at 1 turns along."""
    controls(softmax).get_by_label("RoPE").select_option(label="after norm")
    now = outputs(softmax)
    cos, sin = math.cos(1), math.sin(1)
    assert now["query_hat"] == pytest.approx([2 * cos - sin, 2 * sin + cos], abs=1e-12)
    assert now["scores"] == pytest.approx([2 * cos - sin, 1], abs=1e-12)
    slide(softmax, "Position of q", "Home")
    assert outputs(softmax)["query_hat"] == pytest.approx([2, 1])


def test_gains_by_feature_tell_rope_before_from_after(softmax: Page) -> None:
    controls(softmax).get_by_role("button", name="RMS").click()
    controls(softmax).get_by_label("RoPE").select_option(label="after norm")
    gains = stage(softmax).get_by_role("grid", name="Gain of the QK-norm").get_by_role("gridcell")
    gains.nth(0).click()
    softmax.keyboard.type("2")
    softmax.keyboard.press("Enter")
    after = outputs(softmax)["query_hat"]
    controls(softmax).get_by_label("RoPE").select_option(label="before norm")
    before = outputs(softmax)["query_hat"]
    a, b = np.array([2, 1]) / math.sqrt(2.5 + 1e-6)
    cos, sin = math.cos(1), math.sin(1)
    assert after == pytest.approx([2 * a * cos - b * sin, 2 * a * sin + b * cos], abs=1e-12)
    assert before == pytest.approx([2 * (a * cos - b * sin), a * sin + b * cos], abs=1e-12)


def test_l2_and_layer_norm(softmax: Page) -> None:
    controls(softmax).get_by_role("button", name="L2").click()
    assert outputs(softmax)["query_hat"] == pytest.approx(
        np.array([2, 1]) / math.sqrt(5 + 1e-6), abs=1e-12
    )
    controls(softmax).get_by_role("button", name="Layer").click()
    assert outputs(softmax)["query_hat"] == pytest.approx(
        np.array([0.5, -0.5]) / math.sqrt(0.25 + 1e-6), abs=1e-12
    )


def test_keys_features_and_heads_grow(softmax: Page) -> None:
    controls(softmax).get_by_role("button", name="Grow keys").click()
    assert len(outputs(softmax)["probabilities"]) == 3
    assert sum(outputs(softmax)["probabilities"]) == pytest.approx(1)
    controls(softmax).get_by_role("button", name="Grow heads").click()
    state = softmax.evaluate("normscope.state()")
    assert state["softmax_heads"] == 2
    assert np.array(state["softmax_vectors"]["values"]).shape == (4, 4)
    controls(softmax).get_by_role("button", name="head 1").click()
    assert outputs(softmax)["head"] == 1
    assert outputs(softmax)["query"] == state["softmax_vectors"]["values"][0][2:]


def test_one_norm_over_all_heads(softmax: Page) -> None:
    """[2, 1 | 8, 4] share the mean square 85/4, [1, 0 | 4, 0] share 17/4."""
    start_from(softmax, "One norm over two heads")
    controls(softmax).get_by_role("button", name="head 1").click()
    expected = 32 / math.sqrt((85 / 4 + 1e-6) * (17 / 4 + 1e-6)) / math.sqrt(2)
    assert outputs(softmax)["scores"][0] == pytest.approx(expected, rel=1e-12)
    controls(softmax).get_by_role("button", name="each head").click()
    alone = 32 / math.sqrt((40 + 1e-6) * (8 + 1e-6)) / math.sqrt(2)
    assert outputs(softmax)["scores"][0] == pytest.approx(alone, rel=1e-12)


# the curves ---------------------------------------------------------------------------------


def line_in_figure(page: Page, figure: int) -> dict[str, float]:
    """Where the draggable line of a figure is on the screen, and the pixels of a decade."""
    return page.evaluate(
        """figure => {
          const views = [];
          const visit = view => {
            const seen = view.el?.getBoundingClientRect().width > 0; // other scenes are hidden
            if (view.model.type === "Figure" && seen) views.push(view);
            for (const child of view.child_views ?? []) visit(child);
          };
          for (const view of Bokeh.index.roots) visit(view);
          const view = views[figure];
          const scale = view.frame.x_scale;
          const span = view.model.center.find(one => one.type === "Span");
          const box = view.el.getBoundingClientRect();
          const middle = (view.frame.bbox.top + view.frame.bbox.bottom) / 2;
          return {
            x: box.left + scale.compute(span.location), y: box.top + middle,
            decade: scale.compute(10) - scale.compute(1), location: span.location,
          };
        }""",
        figure,
    )


@pytest.mark.parametrize("figure", [0, 1, 2])
def test_dragging_the_line_sets_the_scale_in_all_figures(softmax: Page, figure: int) -> None:
    line = line_in_figure(softmax, figure)
    assert line["location"] == 1
    softmax.mouse.move(line["x"], line["y"])
    softmax.mouse.down()
    softmax.mouse.move(line["x"] + line["decade"] / 4, line["y"], steps=3)
    softmax.mouse.move(line["x"] + line["decade"] / 2, line["y"], steps=3)
    softmax.mouse.up()
    scale = softmax.evaluate("normscope.state()")["softmax_scale"]
    assert scale == pytest.approx(math.sqrt(10), rel=0.03)  # half a decade, to a pixel
    # The scores are 2 and 1 times the square of the scale; the other figures follow.
    assert outputs(softmax)["scores"] == pytest.approx([2 * scale**2, scale**2], rel=1e-12)
    for other in range(3):
        assert line_in_figure(softmax, other)["location"] == pytest.approx(scale)
    softmax.evaluate("history.back()")
    softmax.wait_for_function("() => !location.hash.includes('sw=')")
    assert softmax.evaluate("normscope.state()")["softmax_scale"] == 1


def test_the_table_says_where_each_curve_stands(softmax: Page) -> None:
    start_from(softmax, "Projections ×3")
    table = results(softmax).get_by_role("table", name="With and without")
    rows = [row.all_inner_texts() for row in map(cells_of, table.locator("tbody tr").all())]
    assert rows[0] == ["18", "0.00123", "1.23e−4"]
    # With QK-norm and without √d_k: scores 4/√5 and 2/√5, apart by 0.8944.
    p = 1 / (1 + math.exp(-2 / math.sqrt(5)))
    assert rows[1] == ["1.79", "0.602", f"{p * (1 - p):.3f}"]
    assert rows[2][0] == "17.3"  # 50·tanh(18/50)
    curves = outputs(softmax)["curves"]
    assert curves["capped"]["largest_score"] == pytest.approx(50 * math.tanh(0.36), rel=1e-12)
    assert curves["normed"]["largest_score"] == pytest.approx(4 / math.sqrt(5), rel=1e-6)


def cells_of(row: Locator) -> Locator:
    """The numbers of a row."""
    return row.locator("td")


def test_the_curves_hold_the_sweep(softmax: Page) -> None:
    """Without a norm the largest of the scores 2n² and n²; with one it stays 4/√5."""
    figures: list[dict[str, Any]] = softmax.evaluate(
        """() => {
          const plain = curves => Object.fromEntries(Object.entries(curves).map(
            ([name, entries]) => [name, Array.from(entries, one => one.buffer ? [...one] : one)]));
          const models = Bokeh.index.roots.flatMap(({ model }) => model.document.roots())
            .flatMap(one => [...one.references()]);
          return [...new Set(models)]
            .filter(one => one.type === "ColumnDataSource" && one.data.xs?.[0]?.length === 91)
            .map(({ data }) => plain(data));
        }"""
    )
    assert len(figures) == 3
    # The plain curve, on which the settings stand, is drawn last and thickest.
    order = {"normed": 0, "capped": 1, "both": 2, "bare": 3}
    data = {
        f"{figure}_{name}": curves["ys"][row]
        for figure, curves in zip(("largest_score", "entropy", "slope"), figures, strict=True)
        for name, row in order.items()
    }
    assert [curves["width"] for curves in figures] == [[1.4, 1.4, 1.4, 3.0]] * 3
    assert figures[0]["dash"] == ["solid", "dashed", "dashed", "solid"]
    scales = np.array(figures[0]["xs"][0])
    assert scales[0] == pytest.approx(0.1)
    assert scales[-1] == pytest.approx(100)
    assert data["largest_score_bare"] == pytest.approx(2 * scales**2, rel=1e-9)
    far = scales > 1
    normed = np.array(data["largest_score_normed"])[far]
    assert normed == pytest.approx(4 / math.sqrt(5), rel=2e-6)  # ε is 1e-6
    entropy = np.array(data["entropy_bare"])
    near = scales**2 < 20  # the gap between the scores
    p = 1 / (1 + np.exp(-(scales[near] ** 2)))
    expected = -(p * np.log(p) + (1 - p) * np.log(1 - p))
    assert entropy[near] == pytest.approx(expected, rel=1e-6)


# links, themes, sizes -----------------------------------------------------------------------


def test_a_link_restores_the_scene(softmax: Page) -> None:
    start_from(softmax, "RoPE before QK-norm")
    before = softmax.evaluate("normscope.state()")
    link = softmax.evaluate("normscope.link()")
    start_from(softmax, "Scores 2 and 1")
    softmax.evaluate("link => { location.href = link; }", link)
    softmax.wait_for_function(
        "async () => (await normscope.state()).softmax_rope === 'rope_then_norm'"
    )
    assert softmax.evaluate("normscope.state()") == before
    expect(controls(softmax).get_by_label("Start from")).to_have_value("RoPE before QK-norm")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
def test_it_fits(
    softmax: Page, screenshot: Screenshot, theme: Any, width: int, height: int
) -> None:
    softmax.set_viewport_size({"width": width, "height": height})
    softmax.emulate_media(color_scheme=theme)
    softmax.evaluate("normscope.state()")
    assert softmax.evaluate("document.documentElement.scrollWidth") <= width
    if width > 1000:
        for place in ("controls", "stage", "results"):
            box = softmax.locator(f"#softmax-{place}")
            assert box.evaluate("box => box.scrollHeight <= box.clientHeight + 1")
    screenshot(softmax, f"softmax-{theme}-{width}")


def test_it_has_no_accessibility_violations(softmax: Page, axe_script: str) -> None:
    start_from(softmax, "×3 with QK-norm and √dₖ")
    assert violations(softmax, axe_script, "#scene-softmax") == []
