"""The Precision scene, used with clicks and keys."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.hosting import Host
from tests.browser.reading import outputs


def test_float16_breaks_at_256_and_two_passes_do_not(open_page: OpenPage, host: Host) -> None:
    """256² = 65536 > 65504; the row −1.5, −0.5, 0.5, 1.5 has variance 1.25."""
    page = open_page(f"{host.url}#precision")
    lead = page.locator("#scene-precision .lead")
    expect(lead).to_contain_text("Σx²: Inf instead of 262149")
    assert outputs(page)["methods"]["two_pass"]["variance"] == 1.25
    page.locator("#scene-precision").get_by_role("slider").press("Home")
    expect(lead).not_to_contain_text("breaks")
    assert outputs(page)["methods"]["one_pass"]["variance"] == 1.25
    page.get_by_role("button", name="Start the benchmark").click()
    page.wait_for_function("normscope.outputs().then((all) => all.benchmark.length > 1)")
    page.get_by_role("button", name="Stop").click()
    first = outputs(page)["benchmark"][0]
    assert first["size"] == 256
    assert first["share"]["copy"] == pytest.approx(1)
