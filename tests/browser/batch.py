"""Getting about in the Batch scene as a person does: by its header, its buttons, its labels."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from tests.browser.reading import outputs


def scene(page: Page) -> Locator:
    """The frame of the scene."""
    return page.locator("#scene-batch")


def open_story(page: Page, name: str) -> None:
    """Click the scene in the header and a story in its controls."""
    page.get_by_role("navigation").get_by_role("link", name="Batch").click()
    scene(page).get_by_role("radio", name=name, exact=True).click()
    outputs(page)


def radio(page: Page, name: str) -> Locator:
    """One of a few, in sight."""
    return scene(page).get_by_role("radio", name=name, exact=True).locator("visible=true")


def button(page: Page, name: str) -> Locator:
    """A button in sight."""
    return scene(page).get_by_role("button", name=name, exact=True).locator("visible=true")


def slider(page: Page, name: str) -> Locator:
    """A slider in sight."""
    return scene(page).get_by_role("slider", name=name, exact=True).locator("visible=true")


def cells(page: Page) -> Locator:
    """The cells of the tensor in sight."""
    stage = page.locator("#batch-stage")
    return stage.get_by_role("grid").locator("visible=true").first.get_by_role("gridcell")


def type_into(page: Page, index: int, text: str) -> None:
    """Type a number into a cell with real keys."""
    cells(page).nth(index).click()
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def choose_preset(page: Page, label: str) -> None:
    """Another tensor of the list, which a person waits to see."""
    scene(page).get_by_label("Tensor", exact=True).locator("visible=true").select_option(label)
    outputs(page)


def row(page: Page, head: str) -> Locator:
    """A row of a table in sight, by its heading."""
    heading = page.locator("th[scope=row]").filter(has_text=re.compile(f"^{re.escape(head)}$"))
    return scene(page).locator("tr").filter(has=heading).locator("visible=true")


def numbers_in(locator: Locator) -> list[str]:
    """The numbers of a row, as they are read once Python has answered."""
    outputs(locator.page)
    return locator.locator("td.number").all_inner_texts()


def lead(page: Page) -> str:
    """The sentence above the story, once Python has answered."""
    outputs(page)
    return page.locator("#batch-stage .lead").locator("visible=true").inner_text()


def sub(page: Page) -> str:
    """The line under it."""
    outputs(page)
    return page.locator("#batch-stage .sub").locator("visible=true").inner_text()


def card(page: Page, index: int) -> Locator:
    """A card of outputs in sight."""
    return page.locator("#batch-results article").locator("visible=true").nth(index)


def near(value: Any, tolerance: float = 1e-9) -> Any:
    """Equal up to rounding."""
    return pytest.approx(value, abs=tolerance)
