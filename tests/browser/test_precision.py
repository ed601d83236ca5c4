"""The Precision scene, used with clicks and keys: rounding, and the benchmark on both backends."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import DESKTOP, PHONE, OpenPage
from tests.browser.hosting import Host
from tests.browser.reading import outputs, violations
from tests.browser.worker_faults import LOSABLE, NO_ADAPTER, SMALL_DEVICE, in_worker

MEASURED_MS = 120_000
Screenshot = Callable[[Page, str], Path]


def go(page: Page, **patch: Any) -> Any:
    """Open the scene in a state; its numbers."""
    page.evaluate("patch => normscope.set(patch)", {"scene": "precision", **patch})
    return outputs(page)


def scene(page: Page) -> Locator:
    """The frame of the scene."""
    return page.locator("#scene-precision")


def lead(page: Page) -> Locator:
    """The sentence on show above everything."""
    return scene(page).locator(".lead:visible")


def wait_for_sizes(page: Page, count: int) -> list[dict[str, Any]]:
    """Wait until so many sizes are measured; all that are."""
    page.evaluate(
        """async ([count, most]) => {
          const began = performance.now();
          while ((await normscope.outputs()).benchmark.length < count) {
            if (performance.now() - began > most) throw new Error(`not ${count} sizes measured`);
            await new Promise((go) => setTimeout(go, 50));
          }
        }""",
        [count, MEASURED_MS],
    )
    measured: list[dict[str, Any]] = outputs(page)["benchmark"]
    return measured


def press(page: Page, name: str) -> None:
    """Click a button of the scene."""
    scene(page).get_by_role("button", name=name, exact=True).click()


def start_button(page: Page) -> Locator:
    """The button that starts, whatever was measured before."""
    return scene(page).get_by_role("button", name=re.compile("^Start"))


@pytest.fixture
def bench(page: Page) -> Any:
    """The view of times, nothing running before or after."""
    go(page, precision_view="time")
    yield page
    page.evaluate("normscope.state()")  # a Stop that the test has pressed is done then
    stop = scene(page).get_by_role("button", name="Stop", exact=True)
    if stop.count():
        stop.click()


# rounding -----------------------------------------------------------------------------------------


def test_float16_breaks_at_256_and_two_passes_do_not(page: Page) -> None:
    """256² = 65536 > 65504; the row −1.5, −0.5, 0.5, 1.5 has variance 1.25."""
    go(page)
    expect(lead(page)).to_contain_text("Σx²: Inf instead of 262149")
    expect(lead(page)).to_contain_text("Two passes: μ exact, σ² exact")
    expect(scene(page)).to_contain_text("what reaches 65520 rounds to Inf")
    assert outputs(page)["methods"]["two_pass"]["variance"] == 1.25
    offset = scene(page).get_by_role("slider", name="Added to every value")
    offset.press("Home")
    expect(lead(page)).not_to_contain_text("breaks")
    shown = outputs(page)["methods"]["one_pass"]
    assert (shown["variance"], shown["broken"]) == (1.25, "")
    expect(offset).to_have_attribute("aria-valuetext", "0")


def test_a_row_is_typed_and_what_is_none_is_refused(page: Page) -> None:
    go(page, precision_storage="float64", precision_accumulation="float64", precision_offset=0)
    row = scene(page).get_by_role("textbox", name="Row")
    row.fill("2, 4 4 6")
    row.press("Enter")
    # Mean 4, squares of the deviations 4 + 0 + 0 + 4 over 4.
    assert outputs(page)["exact"]["variance"] == 2
    assert page.evaluate("normscope.state()")["precision_row"] == [2, 4, 4, 6]
    row.fill("2, two")
    row.press("Enter")
    expect(scene(page).get_by_role("alert")).to_have_text(
        "Expected 1 to 256 numbers up to 1e6, with commas between."
    )
    assert outputs(page)["row"] == [2, 4, 4, 6]
    row.fill("1")
    row.press("Enter")
    expect(scene(page).get_by_role("alert")).to_have_count(0)
    assert outputs(page)["exact"]["variance"] == 0


def test_a_row_is_drawn_by_length_and_seed_and_back_takes_it_away(page: Page) -> None:
    go(page)
    press(page, "Draw another row")
    length = scene(page).get_by_role("slider", name="Values to draw")
    length.press("ArrowLeft")
    drawn = np.round(np.random.default_rng(2).standard_normal(8), 4)
    assert outputs(page)["row"] == drawn.tolist()
    expect(page).to_have_url(re.compile("&prow=&plen=8&pseed=2$"))
    seed = scene(page).get_by_role("textbox", name="Seed")
    seed.fill("41")
    seed.press("Enter")
    assert (
        outputs(page)["row"] == np.round(np.random.default_rng(41).standard_normal(8), 4).tolist()
    )
    seed.fill("-1")
    seed.press("Enter")
    expect(scene(page).get_by_role("alert")).to_contain_text("from 0 to 9999")
    page.locator("#undo").click()
    assert outputs(page)["row"] == drawn.tolist()


def test_every_value_in_bfloat16_is_what_bfloat16_has(page: Page) -> None:
    """Kept exactly where 8 bits do, and told as storage's doing where they do not."""
    row = [1.0, 2.5, 257.0]  # 257 is 256 in bfloat16
    shown = go(
        page, precision_row=row, precision_storage="bfloat16", precision_accumulation="float64",
        precision_offset=0,
    )  # fmt: skip
    kept = np.array(row).astype(ml_dtypes.bfloat16).astype(np.float64)
    assert kept.tolist() == [1.0, 2.5, 256.0]
    assert shown["methods"]["two_pass"]["mean"] == pytest.approx(kept.mean(), rel=1e-15)
    assert shown["methods"]["two_pass"]["variance"] == pytest.approx(kept.var(), rel=1e-15)


def test_the_steps_mark_where_it_breaks(page: Page) -> None:
    go(page)
    steps = page.locator("#precision-results table").filter(has_text="One pass")
    broken = steps.locator("tr", has=page.get_by_role("rowheader", name="Σx²", exact=True))
    assert broken.get_by_role("cell").all_inner_texts() == ["Inf ✗", "262149"]
    assert steps.locator("[data-state=broken]").count() == 1


def test_the_curve_shows_what_the_numbers_say(page: Page) -> None:
    """Without a bend before 2⁸, and Inf from there on: at the upper end of the plot."""
    curves = go(page)["curves"]
    assert curves["one_pass"][0] == curves["two_pass"][0] == 1e-18
    assert curves["one_pass"][-1] == 1e12
    assert len(curves["welford"]) == len(curves["one_pass"])


# the benchmark ------------------------------------------------------------------------------------


def test_both_backends_are_measured_and_the_words_are_their_numbers(bench: Page) -> None:
    page = bench
    start_button(page).click()
    measured = wait_for_sizes(page, 3)
    expect(scene(page).get_by_role("status").filter(has_text="Measuring")).to_be_visible()
    press(page, "Stop")
    measured = outputs(page)["benchmark"]
    assert [one["size"] for one in measured] == [256 << n for n in range(len(measured))]
    for one in measured:
        assert one["missing"] == {}
        for backend in ("numpy", "webgpu"):
            seconds = one["seconds"][backend]
            assert {"copy", "layer", "rms", "softmax"} <= seconds.keys()
            assert all(each > 0 for each in seconds.values())
            moved = one["bandwidth"][backend] * seconds["copy"]
            assert moved == pytest.approx(8 * one["size"])
            for kernel in ("layer", "rms", "softmax"):
                assert one["share"][backend][kernel] * seconds[kernel] == pytest.approx(
                    seconds["copy"]
                )
        # The shaders promise 2e-6.
        assert 0 < one["difference"] < 4e-6
    large = measured[-5:]
    for backend, where in (("numpy", "in NumPy"), ("webgpu", "on WebGPU")):
        ratios = [
            one["seconds"][backend]["rms"] / one["seconds"][backend]["layer"] for one in large
        ]
        expect(lead(page)).to_contain_text(f"{float(np.median(ratios)):.0%} {where}")
    last = str(int(math.log2(measured[-1]["size"]))).translate(
        str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
    )
    expect(scene(page).get_by_role("status").filter(has_text="Stopped")).to_have_text(
        f"Stopped after 2{last} values."
    )
    page.wait_for_timeout(500)
    assert len(outputs(page)["benchmark"]) == len(measured)


def test_the_table_behind_the_picture_has_the_same_numbers(bench: Page) -> None:
    page = bench
    start_button(page).click()
    wait_for_sizes(page, 2)
    press(page, "Stop")
    measured = outputs(page)["benchmark"]
    scene(page).get_by_role("radio", name="Table").click()
    lines = scene(page).locator("table.numbers tbody tr")
    expect(lines).to_have_count(len(measured))
    for n, one in enumerate(measured):
        cells = lines.nth(n).locator("td").all_inner_texts()
        assert len(cells) == 10
        expected = [
            one["seconds"][backend][kernel] * 1000
            for kernel in ("copy", "layer", "rms", "softmax")
            for backend in ("numpy", "webgpu")
        ]
        expected += [one["seconds"]["numpy"][f"textbook_{key}"] * 1000 for key in ("layer", "rms")]
        assert [float(cell.replace(",", "")) for cell in cells] == pytest.approx(expected, rel=0.06)
    shares = page.locator("#precision-results tr").filter(has_text="RMSNorm")
    typical = np.median([one["share"]["webgpu"]["rms"] for one in measured[-5:]])
    assert shares.nth(1).get_by_role("cell").all_inner_texts()[1] == f"{typical:.0%}"


def test_longer_rows_are_measured_from_one_row_on(bench: Page) -> None:
    page = bench
    rows = scene(page).get_by_role("combobox", name="Values that share a statistic")
    rows.select_option("4096")
    start_button(page).click()
    first = wait_for_sizes(page, 1)[0]
    press(page, "Stop")
    assert first["size"] == 4096
    assert set(first["seconds"]) == {"numpy", "webgpu"}
    expect(scene(page)).to_contain_text("Nanoseconds for each value, rows of 4096")
    expect(page).to_have_url(re.compile("pbrow=4096"))


def test_the_table_keeps_its_place_and_the_focus_while_it_grows(bench: Page) -> None:
    page = bench
    page.set_viewport_size(PHONE)
    go(page, precision_view="table")
    start_button(page).click()
    count = len(wait_for_sizes(page, 1))
    region = scene(page).get_by_role("region", name="Table")
    region.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(400)
    moved = region.evaluate("region => region.scrollLeft")
    assert moved > 0
    wait_for_sizes(page, count + 1)
    expect(region).to_be_focused()
    assert region.evaluate("region => region.scrollLeft") == moved


def test_edits_are_answered_while_it_measures(bench: Page) -> None:
    page = bench
    start_button(page).click()
    wait_for_sizes(page, 1)
    page.evaluate("normscope.set({precision_storage: 'float32'})")
    cells = page.locator("#precision-results tr").filter(has_text="LayerNorm").first
    assert cells.get_by_role("cell").all_inner_texts() == ["(1 + 1) · 4 = 8", "(3 + 1) · 4 = 16"]
    before = len(outputs(page)["benchmark"])
    wait_for_sizes(page, before + 1)  # and it goes on


def test_it_is_started_and_stopped_by_keys_alone(bench: Page) -> None:
    page = bench
    scene(page).get_by_role("radio", name="Time").focus()
    for _ in range(10):
        page.keyboard.press("Tab")
        if start_button(page).evaluate("button => button.getRootNode().activeElement === button"):
            break
    page.keyboard.press("Enter")
    expect(scene(page).get_by_role("button", name="Stop", exact=True)).to_be_focused()
    wait_for_sizes(page, 1)
    page.keyboard.press("Space")
    again = scene(page).get_by_role("button", name="Start again", exact=True)
    expect(again).to_be_focused()
    scene(page).get_by_role("radio", name="Time").focus()
    page.keyboard.press("ArrowRight")
    expect(scene(page).get_by_role("radio", name="Table")).to_be_focused()
    expect(scene(page).get_by_role("table").filter(has_text="Milliseconds a call")).to_be_visible()


def test_another_scene_ends_it(bench: Page) -> None:
    page = bench
    start_button(page).click()
    wait_for_sizes(page, 1)
    page.evaluate("normscope.set({scene: 'axes'})")
    page.evaluate("normscope.set({scene: 'precision'})")
    expect(scene(page).get_by_role("status").filter(has_text="another scene")).to_be_visible()
    expect(scene(page).get_by_role("button", name="Start again", exact=True)).to_be_visible()


def test_without_webgpu_numpy_is_measured_and_the_reason_is_said(
    open_page: OpenPage, faulty_host: Host
) -> None:
    faulty_host.faults["worker.js"] = in_worker(NO_ADAPTER)
    page = open_page(f"{faulty_host.url}#precision&pview=time")
    expect(lead(page)).to_contain_text("Nothing is measured yet")
    start_button(page).click()
    first = wait_for_sizes(page, 2)[0]
    press(page, "Stop")
    assert set(first["seconds"]) == {"numpy"}
    reason = first["missing"]["webgpu"]
    assert "graphics" in reason.lower() or "webgpu" in reason.lower()
    expect(scene(page)).to_contain_text(f"WebGPU from 2⁸ values on: {reason}")
    expect(lead(page)).to_contain_text("in NumPy")
    expect(lead(page)).not_to_contain_text("WebGPU")


def test_a_size_that_the_device_cannot_hold_is_named_and_numpy_goes_on(
    open_page: OpenPage, faulty_host: Host
) -> None:
    """A device whose tensors end at 2¹² bytes, so at 2¹⁰ values."""
    faulty_host.faults["worker.js"] = in_worker(SMALL_DEVICE)
    page = open_page(f"{faulty_host.url}#precision&pview=table")
    start_button(page).click()
    measured = wait_for_sizes(page, 5)
    press(page, "Stop")
    assert [set(one["seconds"]) for one in measured[:5]] == [{"numpy", "webgpu"}] * 3 + [
        {"numpy"}
    ] * 2
    assert measured[3]["missing"]["webgpu"] == "a tensor of it holds at most 4,096 bytes."
    expect(scene(page)).to_contain_text("WebGPU from 2¹¹ values on: ")
    line = scene(page).locator("table.numbers tbody tr").nth(3)
    cells = line.locator("td").all_inner_texts()
    assert [cell == "–" for cell in cells] == [False, True] * 4 + [False] * 2


def test_a_device_lost_while_it_measures_is_told_and_comes_back(
    open_page: OpenPage, faulty_host: Host
) -> None:
    faulty_host.faults["worker.js"] = in_worker(LOSABLE)
    page = open_page(f"{faulty_host.url}#precision&pview=time")
    start_button(page).click()
    wait_for_sizes(page, 2)
    page.evaluate("new BroadcastChannel('lose').postMessage(1)")
    page.evaluate(
        """async (most) => {
          const began = performance.now();
          const has = (one) => "webgpu" in one.seconds;
          const states = async () => (await normscope.outputs()).benchmark.map(has).join();
          while (!/true,false.*true$/.test(await states())) {
            if (performance.now() - began > most) throw new Error(await states());
            await new Promise((go) => setTimeout(go, 50));
          }
        }""",
        MEASURED_MS,
    )
    press(page, "Stop")
    lost = [one for one in outputs(page)["benchmark"] if "webgpu" in one["missing"]]
    assert all("numpy" in one["seconds"] for one in lost)
    assert "lost" in lost[0]["missing"]["webgpu"]
    expect(scene(page)).to_contain_text(lost[0]["missing"]["webgpu"])


# look ---------------------------------------------------------------------------------------------

BEYOND = """
() => {
  const places = [...document.querySelectorAll("#scene-precision .place")];
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  const sideways = Math.max(wide, ...places.map((place) => place.scrollWidth - place.clientWidth));
  return [sideways, Math.max(...places.map((place) => place.scrollHeight - place.clientHeight))];
}
"""


@pytest.mark.parametrize("size", ["desktop", "phone"])
@pytest.mark.parametrize("view", ["rounding", "time", "table"])
def test_each_view_fits_its_frame_in_both_themes(
    bench: Page, screenshot: Screenshot, axe_script: str, view: str, size: str
) -> None:
    page = bench
    page.set_viewport_size({"desktop": DESKTOP, "phone": PHONE}[size])
    if view != "rounding":
        start_button(page).click()
        wait_for_sizes(page, 2)
        press(page, "Stop")
    go(page, precision_view=view)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        page.wait_for_timeout(200)
        screenshot(page, f"precision-{view}-{size}-{theme}")
        sideways, down = page.evaluate(BEYOND)
        assert sideways <= 0
        assert size == "phone" or down <= 0
        assert violations(page, axe_script, "#scene-precision") == []
