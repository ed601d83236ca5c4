"""A page in real Chromium with the GPU glue, one for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from static.build.paths import ROOT
from tests.gpu.chromium import served
from tests.gpu.device import Device

FOLDERS = {
    "static": ROOT / "static",
    "kernels": ROOT / "kernels",
    "tests": Path(__file__).parent / "page",
}


@pytest.fixture(scope="session")
def exchange() -> dict[str, bytes]:
    """Bytes on their way to and from pages, by ticket."""
    return {}


@pytest.fixture(scope="session")
def address(exchange: dict[str, bytes]) -> Iterator[str]:
    """The loopback server's address."""
    with served(FOLDERS, exchange) as address:
        yield address


def open_page(browser: Browser, address: str) -> Page:
    """A page with the harness loaded; an error in it fails the test that waits for it."""
    page = browser.new_page()
    page.set_default_timeout(180_000)
    page.goto(f"{address}/tests/index.html")
    page.wait_for_function("globalThis.harness !== undefined")
    return page


@pytest.fixture(scope="session")
def gpu_page(chromium: Browser, address: str) -> Iterator[Page]:
    """The page that all tests share whose devices stay whole."""
    page = open_page(chromium, address)
    yield page
    page.close()


@pytest.fixture(scope="session", params=["software", "hardware"])
def device(request: pytest.FixtureRequest, gpu_page: Page, exchange: dict[str, bytes]) -> Device:
    """The GPU under both ways of spreading work, which differ in nearly every kernel."""
    return Device(gpu_page, exchange, tuning=request.param)
