"""The Models scene: walking, sorting, filtering, comparing, and what a click opens."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from kernels.model_table import MODELS
from tests.browser.reading import outputs, violations

Screenshot = Callable[[Page, str], Path]


@pytest.fixture
def models(page: Page) -> Page:
    """The scene, reached by the header."""
    page.get_by_role("navigation").get_by_role("link", name="Models").click()
    expect(table(page)).to_be_visible()
    page.evaluate("normscope.state()")
    return page


def table(page: Page) -> Locator:
    """All systems."""
    return page.get_by_role("grid", name="Published systems and their norms")


def row(page: Page, name: str) -> Locator:
    """The row of a system."""
    return (
        table(page)
        .locator("tbody tr")
        .filter(has=page.get_by_role("rowheader", name=name, exact=True))
    )


def names(page: Page) -> list[str]:
    """The systems on show, from top to bottom."""
    return table(page).locator("tbody th").all_inner_texts()


def heading(page: Page, title: str) -> Locator:
    """The heading of a column."""
    return table(page).get_by_role("columnheader", name=title, exact=True)


def comparison(page: Page) -> Locator:
    """The right of the scene."""
    return page.locator("#models-results")


def settle(page: Page) -> None:
    """Wait until Python has answered everything sent so far."""
    page.evaluate("normscope.state()")


def cells(page: Page, name: str) -> list[str]:
    """A system's cells after its name."""
    return row(page, name).locator("td").all_inner_texts()


def test_every_system_has_its_row(models: Page) -> None:
    assert names(models) == [model.name for model in MODELS.values()]
    expect(models.get_by_text(f"{len(MODELS)} of {len(MODELS)}")).to_be_visible()


# What the papers and reference implementations say, cell by cell.
ROWS = [
    ("BERT", "2018, LayerNorm, after sum, no, 1e-12, γ, yes, —, —, —, 1/√d"),
    ("Gemma 2", "2024, RMSNorm, before and after, yes, 1e-6, 1 + γ, no, —, 50, 30, 1/√256"),
    ("Qwen3", "2025, RMSNorm, before, yes, 1e-6, γ, no, RMS, —, —, 1/√d"),
    ("GPT-4", "2023" + ", not published" * 10),
]


@pytest.mark.parametrize(("name", "expected"), ROWS, ids=[name for name, _ in ROWS])
def test_a_row_says_what_was_published(models: Page, name: str, expected: str) -> None:
    assert ", ".join(cells(models, name)) == expected


def test_sorting_by_a_click_and_back_again(models: Page) -> None:
    heading(models, "Soft-cap").click()
    settle(models)
    assert names(models)[:2] == ["Grok-1", "Gemma 2"]  # 30, 50; those without come after
    expect(heading(models, "Soft-cap")).to_have_attribute("aria-sort", "ascending")
    expect(heading(models, "Year")).to_have_attribute("aria-sort", "none")
    heading(models, "Soft-cap").click()
    settle(models)
    assert names(models)[:2] == ["Gemma 2", "Grok-1"]
    assert names(models)[-1] == "GPT-4"
    expect(heading(models, "Soft-cap")).to_have_attribute("aria-sort", "descending")
    assert "ms=soft_cap" in models.url


def test_sorting_by_the_keyboard_keeps_the_place(models: Page) -> None:
    heading(models, "ε").focus()
    models.keyboard.press("Enter")
    settle(models)
    assert names(models)[0] == "nGPT"  # 0
    expect(heading(models, "ε")).to_be_focused()
    expect(heading(models, "ε")).to_have_attribute("aria-sort", "ascending")


def test_filtering_by_typing(models: Page, screenshot: Screenshot) -> None:
    models.get_by_label("Filter").click()
    models.keyboard.type("gemma")
    settle(models)
    assert names(models) == ["Gemma", "Gemma 2", "Gemma 3"]
    expect(models.get_by_text(f"3 of {len(MODELS)}")).to_be_visible()
    lead = models.locator("#models-stage p.lead")
    expect(lead).to_have_text("3 systems: RMSNorm in 3, LayerNorm in 0.")
    models.keyboard.type(" 2025")
    settle(models)
    assert outputs(models)["order"] == ["gemma3"]
    screenshot(models, "models-filtered")
    models.keyboard.type(" nothing of the kind")
    settle(models)
    expect(lead).to_have_text("No system has all of “gemma 2025 nothing of the kind”.")
    assert names(models) == []


def test_walking_by_keys_tells_where_a_cell_was_read(models: Page) -> None:
    row(models, "Gemma 2").locator("th").click()
    for _ in range(9):
        models.keyboard.press("ArrowRight")
    source = models.locator("#models-stage p.source")
    expect(source).to_contain_text("Gemma 2. Soft-cap: 50.")
    expect(source).to_contain_text("transformers 5.24.0, models/gemma2/modeling_gemma2.py")
    models.keyboard.press("ArrowDown")
    expect(source).to_contain_text("Granite 3. Soft-cap: —.")
    models.keyboard.press("Control+Home")
    expect(heading(models, "System")).to_be_focused()
    models.keyboard.press("Control+End")
    expect(source).to_contain_text("nanochat. Scale of q·k: 1/√d.")


def test_pointing_at_a_cell_tells_where_it_was_read(models: Page) -> None:
    row(models, "OPT").locator("td").nth(2).hover()
    source = models.locator("#models-stage p.source")
    expect(source).to_contain_text("OPT. Place: before.")
    expect(source).to_contain_text("models/opt/modeling_opt.py")
    expect(source).to_contain_text("350 million parameters is Post-LN")


def test_comparing_gemma_2_with_gemma_3_by_the_keyboard(
    models: Page, screenshot: Screenshot
) -> None:
    """The Gemma 3 report, section 2: QK-norm in the place of Gemma 2's soft-capping."""
    row(models, "GPT-2").locator("th").focus()
    models.keyboard.press("Enter")  # out
    settle(models)
    expect(row(models, "GPT-2")).to_have_attribute("aria-selected", "false")
    row(models, "Gemma 2").locator("th").focus()
    models.keyboard.press(" ")
    settle(models)
    expect(row(models, "Gemma 2")).to_have_attribute("aria-selected", "true")
    expect(comparison(models).get_by_text("They differ in 3 of 14 choices.")).to_be_visible()
    marked = comparison(models).locator("tr[data-differs]")
    assert [line.locator("th, td").all_inner_texts() for line in marked.all()] == [
        ["≠QK-norm", "RMS", "—"],
        ["≠Soft-cap", "—", "50"],
        ["≠Cap of logits", "—", "30"],
    ]
    expect(comparison(models).get_by_text("256 by default").first).to_be_visible()
    screenshot(models, "models-gemma")


def test_a_third_row_takes_the_second_place(models: Page) -> None:
    row(models, "T5").locator("td").first.click()
    settle(models)
    assert outputs(models)["compared"] == ["gpt2", "t5"]
    comparison(models).get_by_role("button", name="Remove GPT-2").click()
    settle(models)
    assert outputs(models)["compared"] == ["t5"]
    expect(comparison(models).get_by_text("Choose a second row to compare.")).to_be_visible()
    comparison(models).get_by_role("button", name="Remove T5").click()
    settle(models)
    expect(comparison(models).get_by_text("Choose one or two rows")).to_be_visible()


def test_gemma_3_opens_in_softmax(models: Page) -> None:
    """RMSNorm on q and k before RoPE, scores divided by √256, no cap: q = [2, 1] at position 1."""
    comparison(models).get_by_role("button", name="Open Gemma 3 in Softmax").click()
    expect(models.locator("#softmax-stage")).to_be_visible()
    state = models.evaluate("normscope.state()")
    assert state["scene"] == "softmax"
    assert (state["softmax_norm"], state["softmax_rope"]) == ("rms", "norm_then_rope")
    assert state["softmax_factor"] == 1 / 16
    assert (state["softmax_cap"], state["softmax_eps"]) == (0, 1e-6)
    # q̂ = [2, 1]/√2.5 turned by one radian, k̂ = √2·[1, 0] at position 0.
    turned = (2 * math.cos(1) - math.sin(1)) / math.sqrt(2.5 + 1e-6)
    expected = turned / math.sqrt(0.5 + 1e-6) / 16
    assert outputs(models)["scores"][0] == pytest.approx(expected, rel=1e-12)
    models.evaluate("history.back()")
    expect(table(models)).to_be_visible()


# Gemma 3: RMSNorm before and after each sublayer, and on q and k; ε = 1e-6, no soft-cap.
LIKE_GEMMA_3 = {
    "softmax": {"softmax_norm": "rms", "softmax_eps": 1e-6, "softmax_cap": 0},
    "placement": {
        "placement": "before_and_after",
        "placement_norm": "rms_norm",
        "placement_qk_norm": "rms",
        "placement_eps": 1e-6,
        "placement_soft_cap": 0,
    },
}


def test_a_click_sets_every_scene_like_that_model(models: Page) -> None:
    """Each button of a system leads to a scene of the header, which is then like the system."""
    links = models.locator("nav a").evaluate_all("all => all.map(link => link.dataset.scene)")
    there = [scene for scene in links if scene in LIKE_GEMMA_3]
    assert "softmax" in there
    for scene in there:
        button = f"Open Gemma 3 in {scene.title()}"
        comparison(models).get_by_role("button", name=button).click()
        expect(models.locator(f"#{scene}-stage")).to_be_visible(timeout=30_000)
        state = models.evaluate("normscope.state()")
        assert {name: state[name] for name in LIKE_GEMMA_3[scene]} == LIKE_GEMMA_3[scene]
        models.get_by_role("navigation").get_by_role("link", name="Models").click()
        expect(table(models)).to_be_visible(timeout=30_000)


def test_gemma_2_opens_in_softmax_with_its_cap(models: Page) -> None:
    row(models, "Gemma 2").locator("th").click()
    comparison(models).get_by_role("button", name="Open Gemma 2 in Softmax").click()
    expect(models.locator("#softmax-stage")).to_be_visible()
    assert models.evaluate("normscope.state()")["softmax_cap"] == 50
    capped = 50 * math.tanh(2 / 16 / 50)
    assert outputs(models)["capped"][0] == pytest.approx(capped, rel=1e-12)


def test_what_is_not_published_cannot_be_opened(models: Page) -> None:
    row(models, "GPT-4").locator("th").click()
    button = comparison(models).get_by_role("button", name="Open GPT-4 in Softmax")
    expect(button).to_be_disabled()


def test_a_link_restores_the_scene(models: Page) -> None:
    heading(models, "QK-norm").click()
    models.get_by_label("Filter").fill("rmsnorm")
    row(models, "Llama 4").locator("th").click()
    before = models.evaluate("normscope.state()")
    shown = names(models)
    link = models.evaluate("normscope.link()")
    models.evaluate("location.hash = '#models'")
    expect(row(models, "BERT")).to_be_visible()
    models.evaluate("link => { location.href = link; }", link)
    expect(row(models, "BERT")).not_to_be_visible()
    assert models.evaluate("normscope.state()") == before
    assert names(models) == shown
    expect(models.get_by_label("Filter")).to_have_value("rmsnorm")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
def test_it_fits(models: Page, screenshot: Screenshot, theme: Any, width: int, height: int) -> None:
    models.set_viewport_size({"width": width, "height": height})
    models.emulate_media(color_scheme=theme)
    settle(models)
    assert models.evaluate("document.documentElement.scrollWidth") <= width
    if width > 1000:
        for place in ("stage", "results"):
            box = models.locator(f"#models-{place}")
            assert box.evaluate("box => box.scrollHeight <= box.clientHeight + 1")
    screenshot(models, f"models-{theme}-{width}")


def test_it_has_no_accessibility_violations(models: Page, axe_script: str) -> None:
    assert violations(models, axe_script, "#scene-models") == []
