"""Pictures of the Axes scene in each of its states, for a person to look at; none may overflow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import DESKTOP, PHONE

IMAGES = [
    [[[n * 10 + c + h - w for w in range(3)] for h in range(3)] for c in range(4)] for n in range(2)
]
LARGE = [
    [[(b * 7 + t * 3 + d * d) % 11 - 5 for d in range(64)] for t in range(16)] for b in range(4)
]
STATES: dict[str, dict[str, Any]] = {
    "start": {},
    "images": {
        "tensor": {"layout": "[N,C,H,W]", "values": IMAGES},
        "compare": ["batch", "group", "instance"],
        "affine": [[1, 2, 0.5, 1], [0, 0, 1, 0]],
    },
    "4096": {"tensor": LARGE, "cell": [1, 3, 10]},
    "broken": {"tensor": [[[3, 3, 3], [1, 2, "NaN"]], [[0, 0, 0], [1, 1e200, 2]]], "eps": 0},
}
SIZES = {"desktop": DESKTOP, "phone": PHONE}

SIDEWAYS = """
() => {
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  const places = [...document.querySelectorAll(".scene:not([hidden]) .place")];
  return Math.max(wide, ...places.map((place) => place.scrollWidth - place.clientWidth));
}
"""


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("state", STATES)
def test_each_state_fits_its_width_in_both_themes(
    page: Page, state: str, size: str, screenshot: Callable[[Page, str], Path]
) -> None:
    page.set_viewport_size(SIZES[size])
    page.evaluate("patch => normscope.set(patch).then(() => null)", STATES[state])
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        page.wait_for_timeout(150)
        screenshot(page, f"axes-{state}-{size}-{theme}")
        assert page.evaluate(SIDEWAYS) <= 0
