"""Typing, moving and pasting in the grid with real keys; the outputs follow, and are right."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.expected import expected
from tests.browser.reading import card, cell, flat, grid, outputs, shown, two_decimals

START = [
    [[2, 4, 4, 6], [1, 3, -2, 0.5], [0, 1, 7, 2]],
    [[11, 13, 12, 9], [-1, -3, 2, 1], [3, 3, 3, 5]],
]
TITLES = {"batch": "BatchNorm", "layer": "LayerNorm", "rms": "RMSNorm"}


def start_with(**cells: float) -> list[list[list[float]]]:
    """The first tensor with some cells set anew: b0t1f2=5."""
    values = [[list(row) for row in sequence] for sequence in START]
    for place, value in cells.items():
        b, t, f = (int(place[position]) for position in (1, 3, 5))
        values[b][t][f] = value
    return values


def assert_shows(page: Page, x: Any) -> None:
    """The tensor is x, and every normalizer's numbers are right in the outputs and on the cards."""
    got = outputs(page)
    assert got["x"] == x
    right = expected(x, 1e-5)
    for one in got["normalizers"]:
        family = one["family"]
        assert flat(one["output"]) == pytest.approx(flat(right[family]), rel=1e-12, abs=1e-12)
        assert shown(card(page, TITLES[family])) == two_decimals(right[family])


def focused(page: Page) -> Locator:
    """The cell that has the keyboard."""
    return grid(page).locator("[role=gridcell]:focus")


def test_typing_a_number_and_enter_changes_every_output(page: Page) -> None:
    cell(page, 0).click()
    page.keyboard.type("-7.25")
    page.keyboard.press("Enter")
    assert_shows(page, start_with(b0t0f0=-7.25))
    expect(cell(page, 0)).to_have_text("−7.25")
    expect(cell(page, 4)).to_be_focused()  # Enter goes down, as in a spreadsheet


def test_tab_takes_the_number_and_goes_right(page: Page) -> None:
    cell(page, 5).click()
    page.keyboard.type("8")
    page.keyboard.press("Tab")
    page.keyboard.type("1e3")
    page.keyboard.press("Shift+Tab")
    expect(cell(page, 5)).to_be_focused()
    assert_shows(page, start_with(b0t1f1=8, b0t1f2=1000))


def test_shift_enter_goes_up(page: Page) -> None:
    cell(page, 4).click()
    page.keyboard.type("9")
    page.keyboard.press("Shift+Enter")
    expect(cell(page, 0)).to_be_focused()
    assert_shows(page, start_with(b0t1f0=9))


def test_escape_leaves_the_number_that_was_there(page: Page) -> None:
    cell(page, 3).click()
    page.keyboard.type("99")
    page.keyboard.press("Escape")
    expect(cell(page, 3)).to_be_focused()
    expect(cell(page, 3)).to_have_text("6")
    assert_shows(page, START)


@pytest.mark.parametrize("way", ["F2", "Enter", "double click"])
def test_an_edit_that_keeps_the_number_can_change_a_part_of_it(page: Page, way: str) -> None:
    cell(page, 3).click()
    if way == "double click":
        cell(page, 3).dblclick()
    else:
        page.keyboard.press(way)
    page.keyboard.press("End")
    page.keyboard.type("5.5")
    page.keyboard.press("Enter")
    assert_shows(page, start_with(b0t0f3=65.5))


def test_arrow_keys_walk_over_rows_columns_and_sequences(page: Page) -> None:
    cell(page, 0).click()
    for key, index in (
        ("ArrowRight", 1),
        ("ArrowDown", 5),
        ("End", 7),
        ("ArrowRight", 16),  # the same row of the next sequence
        ("ArrowLeft", 7),
        ("Home", 4),
        ("ArrowUp", 0),
        ("ArrowUp", 0),
        ("PageDown", 12),
        ("PageUp", 0),
    ):
        page.keyboard.press(key)
        expect(cell(page, index)).to_be_focused()
    assert page.evaluate("normscope.state()")["cell"] == [0, 0, 0]
    assert_shows(page, START)


def test_the_grid_is_one_stop_of_the_tab_key(page: Page) -> None:
    cell(page, 6).click()
    page.keyboard.press("Tab")
    expect(focused(page)).to_have_count(0)
    page.keyboard.press("Shift+Tab")
    expect(cell(page, 6)).to_be_focused()


def paste(page: Page, text: str) -> None:
    """Put a text on the clipboard and paste it with the keys for that."""
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("Control+V")


@pytest.mark.parametrize(
    "text", ["10\t20\n30\t40", "10,20\n30,40\n", "10, 20\r\n30, 40", "10;20\n30;40"]
)
def test_a_pasted_block_fills_the_cells_from_here(page: Page, text: str) -> None:
    cell(page, 1).click()
    paste(page, text)
    assert_shows(page, start_with(b0t0f1=10, b0t0f2=20, b0t1f1=30, b0t1f2=40))


def test_a_pasted_block_goes_on_into_the_next_sequence(page: Page) -> None:
    cell(page, 8).click()
    paste(page, "1,2,3,4\n5,6,7,8")
    x = start_with()
    x[0][2], x[1][0] = [1, 2, 3, 4], [5, 6, 7, 8]
    assert_shows(page, x)


def test_a_copied_cell_can_be_pasted_elsewhere(page: Page) -> None:
    cell(page, 6).click()
    page.keyboard.press("Control+C")
    cell(page, 0).click()
    page.keyboard.press("Control+V")
    assert_shows(page, start_with(b0t0f0=-2))


BAD = (
    ("abc", "is not a number"),
    ("1e999", "beyond float64"),
    ("", "empty"),
    ("1..2", "is not a number"),
)


@pytest.mark.parametrize(("text", "reason"), BAD)
def test_a_bad_entry_is_marked_with_the_reason_and_the_tensor_stays(
    page: Page, text: str, reason: str
) -> None:
    cell(page, 2).click()
    page.keyboard.press("Delete")
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    assert_shows(page, START)
    assert_marked(page, 2, reason)
    cell(page, 2).click()
    page.keyboard.press("Escape")
    expect(cell(page, 2)).not_to_have_attribute("aria-invalid", "true")
    expect(cell(page, 2)).to_have_text("4")


def assert_marked(page: Page, index: int, reason: str) -> None:
    """The cell says that its entry is refused, and the reason stands on the page."""
    expect(cell(page, index)).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#axes-stage .reason").first).to_contain_text(reason)
    expect(page.locator("#axes-stage .reason").first).to_be_visible()


@pytest.mark.parametrize(
    ("index", "text", "reason"),
    [
        (2, "1,2,3", "3 columns pasted, but only 2 fit"),
        (20, "1\n2\n3", "3 rows pasted, but only 1 fit"),
        (0, "1,two,3", "“two” is not a number"),
        (0, "1,,3", "empty"),
    ],
)
def test_a_bad_paste_changes_nothing_and_says_why(
    page: Page, index: int, text: str, reason: str
) -> None:
    cell(page, index).click()
    paste(page, text)
    assert_shows(page, START)
    expect(page.locator("#axes-stage .reason").first).to_contain_text(reason)
    marked = grid(page).locator("[aria-invalid=true]")
    expect(marked).to_have_count(1)
    marked.click()
    page.keyboard.press("Escape")
    expect(marked).to_have_count(0)


def test_a_good_number_takes_the_mark_away(page: Page) -> None:
    cell(page, 2).click()
    page.keyboard.type("x")
    page.keyboard.press("Enter")
    assert_marked(page, 2, "is not a number")
    cell(page, 2).click()
    page.keyboard.type("4.5")
    page.keyboard.press("Enter")
    assert_shows(page, start_with(b0t0f2=4.5))
    expect(grid(page).locator("[aria-invalid=true]")).to_have_count(0)


def test_nan_and_inf_are_numbers_here(page: Page) -> None:
    cell(page, 0).click()
    page.keyboard.type("nan")
    page.keyboard.press("Enter")
    got = outputs(page)
    assert got["x"][0][0][0] == "NaN"
    layer = next(one for one in got["normalizers"] if one["family"] == "layer")
    assert layer["output"][0][0] == ["NaN"] * 4  # the token is spoilt,
    right = expected(START, 1e-5)["layer"]
    assert layer["output"][0][1] == pytest.approx(right[0][1], rel=1e-12)  # and no other


@pytest.mark.parametrize(
    "other", ["location.hash = '#axes&x=N,C:1x2:7,8'", "normscope.set({tensor: [[[7, 8]]]})"]
)
def test_a_refused_entry_goes_with_the_numbers_it_stood_among(page: Page, other: str) -> None:
    cell = page.locator("#axes-stage [role=grid] .cell").nth(1)
    cell.click()
    page.keyboard.type("abc")
    page.keyboard.press("Enter")
    expect(page.locator("#axes-stage [aria-invalid=true]")).to_have_text("abc")
    page.evaluate(f"async () => {{ await ({other}); await normscope.state(); }}")
    expect(page.locator("#axes-stage [role=grid] .cell").nth(1)).to_have_text("8")
    expect(page.locator("#axes-stage [aria-invalid=true]")).to_have_count(0)


def test_a_refused_entry_stays_while_another_cell_is_edited(page: Page) -> None:
    cells = page.locator("#axes-stage [role=grid] .cell")
    cells.nth(1).click()
    page.keyboard.type("abc")
    page.keyboard.press("Enter")
    cells.nth(0).click()
    page.keyboard.type("9")
    page.keyboard.press("Enter")
    expect(cells.nth(0)).to_have_text("9")
    expect(page.locator("#axes-stage [aria-invalid=true]")).to_have_text("abc")
