"""The Axes scene: groups, comparing, probes, steps, broken input, code, one's own numbers."""

from __future__ import annotations

import io
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.reading import card, shown, wait_for

SEQUENCES = np.array(
    [
        [[2, 4, 4, 6], [1, 3, -2, 0.5], [0, 1, 7, 2]],
        [[11, 13, 12, 9], [-1, -3, 2, 1], [3, 3, 3, 5]],
    ]
)
Screenshot = Callable[[Page, str], Path]


def grid(page: Page) -> Locator:
    """The tensor."""
    return page.get_by_role("grid", name="Input tensor")


def cells(page: Page) -> Locator:
    """Its cells."""
    return grid(page).get_by_role("gridcell")


def outputs(page: Page) -> Any:
    """The numbers on show."""
    return page.evaluate("normscope.outputs()")


def output(page: Page, index: int) -> np.ndarray:
    """One normalizer's output."""
    return np.array(outputs(page)["normalizers"][index]["output"], dtype=float)


def centred(x: np.ndarray, axes: tuple[int, ...], eps: float = 1e-5) -> np.ndarray:
    """The textbook formula in float64."""
    mean = x.mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + eps)


def settle(page: Page) -> None:
    """Wait until Python has answered everything sent so far."""
    page.evaluate("normscope.state()")


def marked(page: Page, colour: str) -> set[int]:
    """The flat indices of the cells outlined in a colour."""
    states = cells(page).evaluate_all("all => all.map(cell => cell.dataset.group)")
    return {index for index, state in enumerate(states) if state == colour}


def test_pointing_at_a_cell_outlines_who_shares_its_statistics(page: Page) -> None:
    cells(page).nth(13).hover()  # b1 t0 f1
    settle(page)
    assert marked(page, "ln") == {12, 14, 15}
    assert marked(page, "bn") == {1, 5, 9, 17, 21}
    assert marked(page, "both") == {13}
    expect(page.get_by_text("Cell b1 t0 f1 holds 13")).to_be_visible()
    page.mouse.move(1, 1)
    settle(page)
    assert marked(page, "both") == {6}


def test_keys_move_the_outline_too(page: Page) -> None:
    cells(page).nth(6).focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    settle(page)
    assert marked(page, "both") == {1}
    assert page.evaluate("normscope.state()")["cell"] == [0, 0, 1]


def test_the_steps_show_the_numbers_of_the_cell(page: Page) -> None:
    row = SEQUENCES[0, 1]
    variance = row.var()
    steps = page.locator("ol.steps li b")
    numbers = [float(text.replace("−", "-")) for text in steps.all_inner_texts()]
    hat = (row[2] - row.mean()) / math.sqrt(variance + 1e-5)
    expected = [-2, row.mean(), variance, math.sqrt(variance + 1e-5), hat, hat]
    assert numbers == pytest.approx(expected, abs=5e-5)


def test_gain_and_bias_are_typed_and_reach_the_output(page: Page) -> None:
    page.get_by_label("Tensor", exact=True).select_option(
        label="One token, four features · [1, 1, 4]"
    )
    pair = page.get_by_role("grid", name="γ and β").get_by_role("gridcell")
    for index, text in enumerate(["0.5", "0.5", "2", "2", "1", "1", "0", "0"]):
        pair.nth(index).click()
        page.keyboard.type(text)
        page.keyboard.press("Enter")
    settle(page)
    # The texts: gamma [.5, .5, 2, 2], beta [1, 1, 0, 0] give 0.2929, 1, 0, 2.8284.
    assert output(page, 1).ravel() == pytest.approx([0.2928949866, 1, 0, 2.8284200537], abs=1e-9)
    assert shown(card(page, "LayerNorm")) == ["0.29", "1.00", "0.00", "2.83"]


@pytest.mark.parametrize(
    ("axis", "axes"), [("T", (1, 2)), ("B", (0, 2))], ids=["over T and d", "over B and d"]
)
def test_axes_are_picked_by_hand(page: Page, axis: str, axes: tuple[int, ...]) -> None:
    page.get_by_role("button", name=axis, exact=True).click()
    settle(page)
    assert output(page, 1) == pytest.approx(centred(SEQUENCES, axes), abs=1e-12)


def test_three_normalizers_are_compared_as_one_chooses(page: Page) -> None:
    page.get_by_label("Compare").select_option(label="GroupNorm")
    settle(page)
    grouped = SEQUENCES.reshape(2, 3, 2, 2)
    expected = centred(grouped, (1, 3)).reshape(2, 3, 4)
    assert output(page, 1) == pytest.approx(expected, abs=1e-12)
    page.get_by_label("Groups", exact=True).select_option(label="4")
    settle(page)
    assert output(page, 1) == pytest.approx(centred(SEQUENCES, (1,)), abs=1e-12)
    page.get_by_label("Compare").select_option(label="— none —")
    settle(page)
    assert [one["family"] for one in outputs(page)["normalizers"]] == ["batch", "rms"]
    expect(card(page, "GroupNorm")).to_be_hidden()
    page.get_by_role("button", name="+", exact=True).click()
    settle(page)
    assert [one["family"] for one in outputs(page)["normalizers"]] == ["batch", "rms", "layer"]


def test_probes_say_who_notices_and_by_how_much(page: Page) -> None:
    probes = outputs(page)["probes"]
    assert [answer["seen"] for answer in probes["add"]] == ["same", "same", "changes"]
    assert [answer["seen"] for answer in probes["drop"]] == ["changes", "same", "same"]
    assert [answer["seen"] for answer in probes["permute"]] == ["same", "same", "same"]
    rms = SEQUENCES / np.sqrt((SEQUENCES**2).mean(-1, keepdims=True) + 1e-5)
    plus = SEQUENCES + 10
    moved = plus / np.sqrt((plus**2).mean(-1, keepdims=True) + 1e-5)
    assert probes["add"][2]["largest"] == pytest.approx(np.abs(moved - rms).max(), rel=1e-9)
    alone = centred(SEQUENCES[:1], (0, 1))
    largest = np.abs(alone - centred(SEQUENCES, (0, 1))[:1]).max()
    assert probes["drop"][0]["largest"] == pytest.approx(largest, rel=1e-9)


def test_the_amount_of_a_probe_is_typed(page: Page) -> None:
    amount = page.get_by_label("Multiply by …")
    amount.fill("0.5")
    settle(page)
    assert page.evaluate("normscope.state()")["probe_multiply"] == 0.5
    expect(amount).to_be_focused()


def test_a_probe_becomes_the_tensor_and_back_takes_it_back(page: Page) -> None:
    page.get_by_role("button", name="Add", exact=True).click()
    settle(page)
    assert np.array_equal(outputs(page)["x"], SEQUENCES + 10)
    page.get_by_role("button", name="Undo").click()
    wait_for(page, "o => o.x[0][0][0] === 2")
    page.get_by_role("button", name="Redo").click()
    wait_for(page, "o => o.x[0][0][0] === 12")


def test_control_z_takes_an_edit_back(page: Page) -> None:
    cells(page).nth(0).click()
    page.keyboard.type("99")
    page.keyboard.press("Enter")
    wait_for(page, "o => o.x[0][0][0] === 99")
    page.keyboard.press("Control+z")
    wait_for(page, "o => o.x[0][0][0] === 2")
    page.keyboard.press("Control+y")
    wait_for(page, "o => o.x[0][0][0] === 99")


def test_dragging_a_cell_changes_it_and_is_one_step(page: Page) -> None:
    box = cells(page).nth(0).bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 20, steps=5)
    page.mouse.move(x, y - 40, steps=5)
    page.mouse.up()
    settle(page)
    # 40 pixels up, a step of 0.1 every two pixels: 2 + 20 * 0.1.
    assert outputs(page)["x"][0][0][0] == pytest.approx(4.0)
    page.get_by_role("button", name="Undo").click()
    wait_for(page, "o => o.x[0][0][0] === 2")


def test_axes_grow_and_shrink_in_place(page: Page) -> None:
    page.get_by_role("button", name="Grow d").click()
    settle(page)
    x = np.array(outputs(page)["x"])
    assert x.shape == (2, 3, 5)
    assert np.array_equal(x[..., :4], SEQUENCES)
    expect(grid(page)).to_have_attribute("aria-colcount", "5")
    page.get_by_role("button", name="Shrink d").click()
    page.get_by_role("button", name="Shrink B").click()
    settle(page)
    assert np.array_equal(outputs(page)["x"], SEQUENCES[:1])
    expect(page.get_by_role("button", name="Shrink B")).to_be_disabled()


def test_fills_are_chosen_from_a_list(page: Page) -> None:
    page.get_by_label("Fill with").select_option(label="0, 1, 2, …")
    settle(page)
    assert np.array_equal(np.ravel(outputs(page)["x"]), np.arange(24))
    page.get_by_label("Fill with").select_option(label="one outlier")
    settle(page)
    assert np.max(outputs(page)["x"]) == 100


@pytest.mark.parametrize(
    ("layout", "rank"), [("[d]", 1), ("[N,C]", 2), ("[N,C,L]", 3), ("[N,C,H,W]", 4)]
)
def test_every_layout_is_shown_with_its_axes(page: Page, layout: str, rank: int) -> None:
    page.get_by_label("Layout").select_option(label=layout)
    settle(page)
    x = np.array(outputs(page)["x"])
    assert x.ndim == rank
    assert cells(page).count() == x.size
    axes = {"[d]": (), "[N,C]": (0,), "[N,C,L]": (0, 2), "[N,C,H,W]": (0, 2, 3)}[layout]
    assert output(page, 0) == pytest.approx(centred(x, axes), abs=1e-9)


def test_a_tensor_of_4096_cells_is_painted_and_still_edited_by_keys(
    page: Page, screenshot: Screenshot
) -> None:
    x = np.random.default_rng(5).normal(size=(4, 16, 64)).round(2)
    page.evaluate("x => normscope.set({tensor: x, cell: [0, 0, 0]}).then(() => null)", x.tolist())
    cell = cells(page)
    assert cell.count() == 1
    expect(grid(page)).to_have_attribute("aria-rowcount", "64")
    cell.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    settle(page)
    page.keyboard.type("7.5")
    page.keyboard.press("Enter")
    settle(page)
    x[0, 1, 1] = 7.5
    assert np.array_equal(outputs(page)["x"], x)
    assert output(page, 1) == pytest.approx(centred(x, (2,)), abs=1e-12)
    screenshot(page, "axes-4096")


def test_epsilon_is_told_when_it_is_not_negligible(page: Page) -> None:
    page.get_by_label("Tensor", exact=True).select_option(
        label="One token, four features · [1, 1, 4]"
    )
    page.get_by_role("slider", name="ε").focus()
    page.keyboard.press("End")
    settle(page)
    expect(page.get_by_text("Here ε is 33 % of σ² + ε: outputs shrink to ×0.82.")).to_be_visible()
    # The texts: eps = 1 gives 1.1547.
    assert output(page, 1).ravel()[3] == pytest.approx(1.1547005384, abs=1e-9)


def test_broken_input_is_explained_and_mended(page: Page, screenshot: Screenshot) -> None:
    cells(page).nth(5).click()
    page.keyboard.type("nan")
    page.keyboard.press("Enter")
    settle(page)
    alert = page.get_by_role("alert").filter(has_text="finite")
    expect(alert).to_have_text(
        "b0 t1 f1 is not a finite number; LayerNorm spreads it to 4 outputs. "
        "Type a number into b0 t1 f1."
    )
    assert np.isnan(output(page, 1)).sum() == 4
    screenshot(page, "axes-broken")
    cells(page).nth(5).click()
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    settle(page)
    expect(alert).to_be_hidden()


def test_zero_by_zero_names_epsilon_as_the_mend(page: Page) -> None:
    page.evaluate("normscope.set({tensor: [[[3, 3, 3]]], eps: 0, cell: [0, 0, 0]})")
    expect(page.get_by_role("alert").filter(has_text="divides 0 by 0")).to_contain_text(
        "Raise ε above 0."
    )


def test_the_code_shown_runs_as_it_is_copied(page: Page, tmp_path: Path) -> None:
    page.get_by_role("button", name="Code", exact=True).click()
    page.get_by_role("button", name="Copy").click()
    code = page.evaluate("navigator.clipboard.readText()")
    assert "def layer_norm(" in code
    script = tmp_path / "copied.py"
    script.write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    printed = np.array(done.stdout.replace("[", " ").replace("]", " ").split(), dtype=float)
    assert printed.reshape(2, 3, 4) == pytest.approx(centred(SEQUENCES, (2,)), abs=1e-7)
    page.get_by_role("tab", name="PyTorch").click()
    expect(
        page.locator("dialog pre").filter(has_text="F.layer_norm(x, (4,), eps=1e-05)")
    ).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)


def test_own_numbers_are_pasted_as_text(page: Page) -> None:
    page.get_by_role("button", name="Own numbers").click()
    text = page.get_by_label("Numbers as text")
    text.fill("a,b\n1,x")
    page.get_by_role("button", name="Use these").click()
    expect(page.get_by_role("alert").filter(has_text="is not read as numbers")).to_be_visible()
    text.fill("array([[1., 3.],\n       [11., 13.]])")
    page.get_by_role("button", name="Use these").click()
    expect(page.locator("dialog[open]")).to_have_count(0)
    settle(page)
    assert outputs(page)["x"] == [[1, 3], [11, 13]]
    assert page.evaluate("normscope.state()")["tensor"]["layout"] == "[N,C]"


def test_an_npy_file_is_dropped_anywhere_and_stays_here(page: Page) -> None:
    stream = io.BytesIO()
    values = np.random.default_rng(1).normal(size=(2, 3, 4)).astype(np.float32)
    np.save(stream, values)
    drop(page, "activations.npy", stream.getvalue())
    expect(page.locator("#notice")).to_contain_text("activations.npy: shape [2, 3, 4].")
    assert np.array_equal(outputs(page)["x"], values.astype(float))


def test_a_file_with_objects_is_refused_and_nothing_is_lost(page: Page) -> None:
    stream = io.BytesIO()
    np.save(stream, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    drop(page, "objects.npy", stream.getvalue())
    expect(page.locator("#notice")).to_contain_text("Python objects")
    assert np.array_equal(outputs(page)["x"], SEQUENCES)


def drop(page: Page, name: str, data: bytes) -> None:
    """Drop a file on the page."""
    page.evaluate(
        """([name, bytes]) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([new Uint8Array(bytes)], name));
          document.body.dispatchEvent(
            new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
        }""",
        [name, list(data)],
    )


def test_an_edit_is_one_patch_however_many_views_it_touches(page: Page) -> None:
    cells(page).nth(6).click()
    settle(page)
    page.keyboard.type("5")
    page.evaluate("performance.clearMarks()")
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Tab")
    settle(page)
    patches = page.evaluate("performance.getEntriesByName('normscope:patched').length")
    assert patches <= 2  # the edit, and the cursor that Tab moved


def test_a_screen_reader_hears_the_tensor_and_the_cell(page: Page) -> None:
    expect(grid(page)).to_have_attribute("aria-label", "Input tensor, shape [2, 3, 4]")
    expect(cells(page).nth(6)).to_have_attribute("aria-label", "b = 0 t1 f2: −2")
    expect(cells(page).nth(6)).to_have_attribute("aria-selected", "true")
    assert grid(page).locator("[tabindex='0']").count() == 1
