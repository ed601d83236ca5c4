"""The Batch scene: padding, workers, the decode server, a shift, and the scene as a whole.

Numbers: exact arithmetic on the seeds' tensors; where data is seeded, the textbook formula on the
very data the page shows.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.batch import (
    button,
    card,
    cells,
    choose_preset,
    lead,
    near,
    numbers_in,
    open_story,
    radio,
    row,
    scene,
    slider,
    sub,
    type_into,
)
from tests.browser.conftest import PHONE
from tests.browser.reading import flat, outputs, shown

Screenshot = Callable[[Page, str], Path]
STORIES = (
    "Train and eval",
    "One example",
    "Microbatches",
    "Padding",
    "Workers",
    "Decode server",
    "Shift",
)


def test_padding_skews_the_statistics_and_a_mask_mends_them(page: Page) -> None:
    open_story(page, "Padding")
    found = outputs(page)
    assert flat(found["x"]) == [1, 2, 3, 0, 0, 4, 5, 0, 0, 0]
    assert flat(found["blind"]["mean"]) + flat(found["blind"]["variance"]) == near([1.5, 3.25])
    assert flat(found["masked"]["mean"]) + flat(found["masked"]["variance"]) == near([3, 2])
    assert "takes mean 1.5 and variance 3.25; the real tokens have 3 and 2." in lead(page)
    assert numbers_in(row(page, "All positions")) == ["10", "1.5", "3.25"]
    assert numbers_in(row(page, "Real tokens, by mask")) == ["5", "3", "2"]
    root = 2.00001**0.5
    masked = [(value - 3) / root for value in flat(found["x"])]
    assert flat(found["masked"]["output"]) == near(masked)
    assert shown(card(page, 1))[:3] == ["−1.41", "−0.71", "0.00"]


def test_padding_grows_with_the_keys(page: Page) -> None:
    open_story(page, "Padding")
    slider(page, "Padded to").focus()
    page.keyboard.press("ArrowRight")  # 12 positions, 15 in all
    found = outputs(page)
    assert flat(found["blind"]["mean"]) == near([15 / 12])
    assert flat(found["blind"]["variance"]) == near([55 / 12 - (15 / 12) ** 2])
    assert flat(found["masked"]["variance"]) == near([2])
    slider(page, "Length of b1").focus()
    page.keyboard.press("Home")  # 1, 2, 3 and 4
    assert flat(outputs(page)["masked"]["mean"]) == near([2.5])
    assert "8 of 12 positions are only filling" in sub(page)


def test_a_number_typed_into_padding_is_what_all_padding_holds(page: Page) -> None:
    open_story(page, "Padding")
    expect(cells(page).nth(3)).to_have_accessible_name("b0 t3: 0, padding")
    type_into(page, 3, "-9")
    found = outputs(page)
    assert flat(found["x"]) == [1, 2, 3, -9, -9, 4, 5, -9, -9, -9]
    assert flat(found["blind"]["mean"]) == near([-3])
    assert flat(found["masked"]["mean"]) == near([3])
    type_into(page, 0, "6")
    assert flat(outputs(page)["masked"]["mean"]) == near([4])


def test_layer_norm_over_time_counts_padding(page: Page) -> None:
    open_story(page, "Padding")
    slider(page, "ε").focus()
    page.keyboard.press("Home")
    # b1: 4, 5, 0, 0, 0 has mean 1.8 and variance 8.2 − 3.24; alone 4.5 and 0.25.
    assert numbers_in(row(page, "b1")) == [f"{2.2 / 4.96**0.5:.4f}", "−1"]


def test_averaging_workers_is_wrong_and_counts_mend_it(page: Page, screenshot: Screenshot) -> None:
    open_story(page, "Workers")
    found = outputs(page)
    averaged, right = found["averaged"], found["synchronized"]
    assert [averaged["mean"][0][0], averaged["variance"][0][0]] == near([7, 3])
    assert [right["mean"][0][0], right["variance"][0][0]] == near([9, 35.666666666666664])
    assert found["unbiased_variance"] == near([42.8])
    assert [right["running_mean"][0][0], right["running_var"][0][0]] == near([0.9, 5.18])
    assert lead(page) == (
        "Averaging what the workers have gives (7, 3); the whole batch has (9, 35.6667)."
    )
    assert numbers_in(row(page, "Worker 0")) == ["2", "1", "1"]
    assert numbers_in(row(page, "Worker 1")) == ["4", "13", "5"]
    assert numbers_in(row(page, "Averaged").first)[-2:] == ["7", "3"]
    assert numbers_in(row(page, "Synchronized").first) == ["6", "9", "35.6667"]
    whole = np.array(flat(found["x"]))
    expected = (whole - whole.mean()) / np.sqrt(whole.var() + 1e-5)
    assert flat(right["output"]) == near(expected.tolist())
    screenshot(page, "batch-workers")


def test_numbers_sent_by_each_worker(page: Page) -> None:
    open_story(page, "Workers")

    def sent() -> list[str]:
        heads = ("Each its own", "Averaged", "Synchronized")
        return [numbers_in(row(page, head).last)[0] for head in heads]

    assert sent() == ["0", "2", "3"]
    scene(page).get_by_role("button", name="Grow C").locator("visible=true").click()
    assert [outputs(page)[key]["sent"] for key in ("local", "averaged", "synchronized")] == [
        0,
        4,
        5,
    ]
    assert sent() == ["0", "4", "5"]


def test_the_batch_is_cut_elsewhere_and_synchronized_stays_right(page: Page) -> None:
    open_story(page, "Workers")
    slider(page, "Worker 1 starts at").focus()
    page.keyboard.press("ArrowRight")  # 0, 2, 10 and 12, 14, 16: means 4 and 14
    found = outputs(page)
    assert [found["averaged"]["mean"][0][0]] == near([9])
    assert [found["averaged"]["variance"][0][0]] == near([(56 / 3 + 8 / 3) / 2])
    assert [found["synchronized"]["variance"][0][0]] == near([35.666666666666664])
    radio(page, "3").click()
    assert [one["m"] for one in outputs(page)["workers"]] == [2, 2, 2]
    radio(page, "1").click()
    assert lead(page) == "One worker has the whole batch: (9, 35.6667)."


def test_the_same_1_in_three_batches(page: Page) -> None:
    open_story(page, "Decode server")
    radio(page, "Three batches: [3], [3, 5], [11]").click()
    slider(page, "ε").focus()
    page.keyboard.press("Home")
    found = outputs(page)
    assert found["sizes"] == [2, 3, 2]
    assert flat(found["batch"]) == [1, 3]
    assert flat(found["running"]["output"]) == [found["running"]["output"][0][0]] * 3
    assert flat(found["batch_norm"]["output"]) == near([-1, -1.224744871391589, -1])
    button(page, "Step").click()
    assert "makes its f0 −1.2247; a step ago it was −1." in lead(page)
    assert shown(card(page, 0)) == ["−1.22"]
    button(page, "Step").click()
    assert flat(outputs(page)["batch"]) == [1, 11]
    assert shown(card(page, 0)) == ["−1.00"]


def test_only_batch_norm_moves_while_sequences_come_and_go(page: Page) -> None:
    open_story(page, "Decode server")
    found = outputs(page)
    assert found["layer"]["moved"] == found["rms"]["moved"] == 0
    assert found["batch_norm"]["moved"] > 1
    assert found["layer"]["output"] == [near([-1.4142100269, 0, 0, 1.4142100269])] * 32
    assert "LayerNorm and RMSNorm give the same at every step, to the last bit" in sub(page)
    slider(page, "Step").focus()
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    found = outputs(page)
    assert found["step"] == 9
    batch = np.array(found["batch"])
    assert batch[0].tolist() == [2, 4, 4, 6]
    expected = (batch[0] - batch.mean(0)) / np.sqrt(batch.var(0) + 1e-5)
    assert found["batch_norm"]["output"][9] == near(expected.tolist())
    assert len(found["requests"]) == len(batch) - 1 == found["sizes"][9] - 1
    assert shown(card(page, 2)) == ["−1.41", "0.00", "0.00", "1.41"]


def test_alone_in_the_batch_nothing_is_left_of_the_token(page: Page) -> None:
    open_story(page, "Decode server")
    assert outputs(page)["batch_norm"]["output"][0] == [0, 0, 0, 0]
    assert lead(page) == (
        "Your token is alone in the batch: BatchNorm makes its f0 0, whatever it was."
    )
    expect(card(page, 0).get_by_text("PyTorch raises in training")).to_be_visible()


def test_play_runs_by_itself_until_somebody_stops_it(page: Page) -> None:
    open_story(page, "Decode server")
    button(page, "Play").click()
    expect(slider(page, "Step")).to_have_attribute("aria-valuetext", "2 of 31", timeout=15_000)
    button(page, "Pause").click()
    stopped = outputs(page)
    assert not stopped["playing"]
    page.wait_for_timeout(1500)
    assert outputs(page)["step"] == stopped["step"]
    button(page, "Back").click()
    assert outputs(page)["step"] == stopped["step"] - 1


def test_a_token_of_ones_own_is_served_too(page: Page) -> None:
    open_story(page, "Decode server")
    type_into(page, 0, "-8")
    found = outputs(page)
    x = np.array([-8.0, 4, 4, 6])
    expected = (x - x.mean()) / np.sqrt(x.var() + 1e-5)
    assert found["layer"]["output"][0] == near(expected.tolist())
    assert found["layer"]["moved"] == 0
    seed = page.evaluate("async () => (await normscope.state()).batch_seed")
    button(page, "Other traffic").click()
    expect(scene(page).get_by_text(f"seed {seed + 1}").locator("visible=true")).to_be_visible()
    assert outputs(page)["sizes"] != found["sizes"]


def test_evaluation_hands_a_shift_on(page: Page, screenshot: Screenshot) -> None:
    open_story(page, "Shift")
    found = outputs(page)
    x, mean = np.array(found["x"]), np.array(found["learned"]["running_mean"])
    variance = np.array(found["learned"]["running_var"])
    after = np.array(found["after"]["evaluation"])
    np.testing.assert_allclose(after, (x - mean) / np.sqrt(variance + 1e-5), atol=1e-12)
    moved = after - np.array(found["before"]["evaluation"])
    np.testing.assert_allclose(moved, np.full_like(moved, 3) / np.sqrt(variance + 1e-5))
    assert numbers_in(row(page, "BatchNorm, eval"))[0] == f"{after.mean():.4f}"
    assert numbers_in(row(page, "LayerNorm"))[2] == "0"
    assert numbers_in(row(page, "BatchNorm, train")) == ["0", "1", "0"]
    assert float(numbers_in(row(page, "RMSNorm"))[2]) > 1
    assert f"evaluation hands on mean {after[:, 0].mean():.2f}" in sub(page)
    screenshot(page, "batch-shift")
    slider(page, "Added to what is served").focus()
    for _ in range(6):
        page.keyboard.press("ArrowLeft")
    assert numbers_in(row(page, "BatchNorm, eval"))[2] == "0"


def test_running_statistics_follow_only_when_trained_again(page: Page) -> None:
    open_story(page, "Shift")
    before = outputs(page)
    assert before["running_mean"] == before["learned"]["running_mean"]
    for _ in range(5):
        button(page, "10 forwards on it").click()
        outputs(page)
    after = outputs(page)
    assert after["learned"] == before["learned"]
    assert after["running_mean"] == near([5] * 4, 0.3)
    button(page, "Take them back").click()
    expect(scene(page).get_by_text("40 forwards in training")).to_be_visible()
    button(page, "None").locator("visible=true").click()
    assert outputs(page)["running_mean"] == before["running_mean"]


def test_a_link_restores_the_story_and_its_forwards(page: Page, open_page: Any, host: Any) -> None:
    open_story(page, "Train and eval")
    for _ in range(3):
        button(page, "One more forward").click()
    radio(page, "Keras").click()
    before = outputs(page)
    link = page.evaluate("normscope.link()")
    other = open_page(host.url + "#" + link.split("#", 1)[1])
    assert outputs(other) == before


def test_stories_are_chosen_with_the_arrow_keys(page: Page) -> None:
    open_story(page, "Train and eval")
    radio(page, "Train and eval").focus()
    for name in STORIES[1:]:
        page.keyboard.press("ArrowRight")
        expect(radio(page, name)).to_be_focused()
        expect(radio(page, name)).to_have_attribute("aria-checked", "true")
        outputs(page)
    assert outputs(page)["story"] == "shift"
    page.keyboard.press("ArrowRight")
    assert outputs(page)["story"] == "train"


def test_another_channel_is_pasted_beside_the_first(page: Page) -> None:
    open_story(page, "Train and eval")
    choose_preset(page, "Two channels · [4, 2]")
    cells(page).nth(0).click()
    page.evaluate("navigator.clipboard.writeText('0\\t1\\n2\\t1\\n10\\t3\\n12\\t3')")
    page.keyboard.press("Control+v")
    found = outputs(page)
    assert found["next"]["running_mean"] == near([0.6, 0.2])
    assert found["next"]["running_var"] == near([4.366666666666667, 0.9 + 0.1 * 4 / 3])


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_every_story_fits(page: Page, screenshot: Screenshot, theme: Any, size: str) -> None:
    page.emulate_media(color_scheme=theme)
    if size == "phone":
        page.set_viewport_size(PHONE)
    for name in STORIES:
        open_story(page, name)
        page.wait_for_timeout(150)
        over = page.evaluate(
            """() => [...document.querySelectorAll("#scene-batch .place")].map((place) =>
              [place.scrollWidth - place.clientWidth, place.scrollHeight - place.clientHeight])"""
        )
        assert all(wide <= 0 for wide, _ in over), name
        if size == "desktop":
            assert all(high <= 0 for _, high in over), name
        screenshot(page, f"batch-{name.lower().replace(' ', '-')}-{theme}-{size}")


@pytest.mark.parametrize("name", STORIES)
def test_a_screen_reader_finds_nothing_wrong(page: Page, axe_script: str, name: str) -> None:
    open_story(page, name)
    page.add_script_tag(content=axe_script)
    found = page.evaluate(
        """async () => (await axe.run("#scene-batch", {
          runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] })).violations
          .map((one) => one.id + ": " + one.nodes.map((node) => node.html).join(" | "))"""
    )
    assert found == []
