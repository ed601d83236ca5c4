"""The benchmark's page in Chromium."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from playwright.sync_api import Page

from tests.gpu.chromium import OWN_ADAPTER, SOFTWARE_ADAPTER, only_chromium


@contextlib.contextmanager
def opened(address: str, *, software: bool) -> Iterator[Page]:
    """The page in a fresh Chromium, with the machine's own adapter or the software one."""
    adapter = SOFTWARE_ADAPTER if software else OWN_ADAPTER
    # Without this a timestamp or an error message may be blurred.
    with only_chromium([*adapter, "--enable-webgpu-developer-features"]) as browser:
        page = browser.new_page()
        page.set_default_timeout(0)
        page.goto(f"{address}/bench/index.html")
        page.wait_for_function("globalThis.bench !== undefined")
        yield page
