"""Pictures of the Placement scene in each of its states; none may overflow, all can be reached."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.placement import go

STATES: dict[str, dict[str, Any]] = {
    "start": {},
    "updates": {"placement_view": "updates", "placement_like": "gemma3"},
    "gradient": {"placement": "deep_norm", "placement_view": "gradient"},
    "cosine": {"placement": "parallel", "placement_view": "cosine",
               "placement_shared_layers": True},
    "training": {"placement_view": "training", "placement_norm": "rms_norm"},
    "overflow": {"placement": "none", "placement_depth": 128, "placement_width": 16,
                 "placement_gain": 4.0},
    "waiting": {"placement_depth": 96, "placement_width": 512},
}  # fmt: skip
SIZES = {"desktop": DESKTOP, "phone": PHONE}

BEYOND = """
() => {
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  const places = [...document.querySelectorAll(".scene:not([hidden]) .place")];
  const sideways = Math.max(wide, ...places.map((place) => place.scrollWidth - place.clientWidth));
  const down = Math.max(...places.map((place) => place.scrollHeight - place.clientHeight));
  return [sideways, down];
}
"""


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("state", STATES)
def test_each_state_fits_its_frame_in_both_themes(
    page: Page, state: str, size: str, screenshot: Callable[[Page, str], Path]
) -> None:
    page.set_viewport_size(SIZES[size])
    go(page, **STATES[state])
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        page.wait_for_timeout(200)
        screenshot(page, f"placement-{state}-{size}-{theme}")
        sideways, down = page.evaluate(BEYOND)
        assert sideways <= 0
        assert size == "phone" or down <= 0


RULES = """
async () => {
  const results = await axe.run(".scene:not([hidden])", {resultTypes: ["violations"]});
  return results.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join()}`);
}
"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_scene_breaks_no_rule_of_accessibility(page: Page, axe_script: str, theme: str) -> None:
    page.emulate_media(color_scheme=theme)
    go(page)
    page.evaluate(axe_script)
    assert page.evaluate(RULES) == []
