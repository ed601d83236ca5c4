"""The Placement scene as a person uses it: its parts, and its numbers once they are there."""

from __future__ import annotations

import math
import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.reading import PATIENCE_MS as PATIENCE_MS
from tests.browser.reading import wait_for as wait_for


def go(page: Page, **state: Any) -> Any:
    """Open the scene with a state, and wait until all placements are through."""
    page.evaluate("patch => normscope.set(patch).then(() => null)", {"scene": "placement", **state})
    return through(page)


def through(page: Page) -> Any:
    """Wait until nothing runs; the numbers on show then."""
    return wait_for(page, "shown => !shown.busy")


def stage(page: Page) -> Locator:
    """The middle of the page."""
    return page.locator("#placement-stage")


def results(page: Page) -> Locator:
    """The right of the page."""
    return page.locator("#placement-results")


def lead(page: Page) -> str:
    """The sentence at the top."""
    return stage(page).locator(".lead").inner_text()


def placements(page: Page) -> Locator:
    """The list of placements."""
    return page.get_by_role("radiogroup", name="Placement")


def row(page: Page, title: str) -> Locator:
    """A placement of the list by the beginning of its title."""
    return placements(page).get_by_role("radio", name=re.compile(f"^{re.escape(title)}"))


def spot(page: Page, name: str) -> Locator:
    """A place of a norm in the drawing."""
    return stage(page).get_by_role("switch", name=name, exact=True)


def wire(page: Page, name: str) -> str:
    """What stands on a wire of the drawing."""
    return stage(page).locator(f"[data-wire={name}]").text_content() or ""


def view(page: Page, name: str) -> None:
    """Choose what the plot shows."""
    choice = stage(page).get_by_role("radio", name=name, exact=True)
    choice.click()
    expect(choice).to_have_attribute("aria-checked", "true")
    page.evaluate("normscope.state()")


def caption(page: Page) -> str:
    """The caption of the plot on show."""
    return stage(page).locator(".caption p:visible").inner_text()


def three_figures(value: float) -> str:
    """A number as the drawing writes it."""
    value = float(f"{value:.2e}")
    decimals = max(0, 2 - math.floor(math.log10(value)))
    return f"{value:.{decimals}f}" if 1e-3 <= value < 1e4 else f"{value:.1e}"
