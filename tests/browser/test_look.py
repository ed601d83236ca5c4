"""The page on a projector and on a phone, light and dark: it fits, it is accessible, pictured."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import DESKTOP, PHONE

Screenshot = Callable[[Page, str], Path]
SIZES: dict[str, Any] = {"desktop": DESKTOP, "phone": PHONE}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_the_scene_is_pictured_and_nothing_overflows(
    page: Page, screenshot: Screenshot, size: str, theme: str
) -> None:
    page.set_viewport_size(SIZES[size])
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    page.wait_for_function("theme => document.documentElement.dataset.theme === theme", arg=theme)
    page.evaluate("normscope.outputs()")
    screenshot(page, f"axes-{size}-{theme}")
    wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1]
    places = page.evaluate(
        """[...document.querySelectorAll("#scene-axes .place")].map((place) => [
             place.dataset.place,
             place.scrollWidth - place.clientWidth,
             place.scrollHeight - place.clientHeight])"""
    )
    assert len(places) == 3
    for name, wider, higher in places:
        assert wider <= 0, f"{name} overflows by {wider} px"
        if size == "desktop":
            assert higher <= 0, f"{name} scrolls by {higher} px"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_fault(page: Page, axe_script: str, theme: str) -> None:
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    page.wait_for_function("theme => document.documentElement.dataset.theme === theme", arg=theme)
    page.evaluate("normscope.outputs()")
    page.evaluate(axe_script)
    result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert len(result["violations"]) == 0, "\n".join(
        f"{one['id']}: {one['help']}\n    "
        + "\n    ".join(
            str(node["target"]) + " " + node["failureSummary"] for node in one["nodes"][:4]
        )
        for one in result["violations"]
    )
    assert result["testEngine"]["name"] == "axe-core"
