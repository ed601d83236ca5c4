"""The benchmark's page in Chromium."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from static.build.tools import CHROMIUM_NAMES
from tests.gpu.chromium import OWN_ADAPTER, SOFTWARE_ADAPTER, only_chromium

Call = Callable[..., Any]  # a function of the page's `bench` by name, and what it is given


def installed_chromium() -> Path | None:
    """A Chromium of this machine; none is installed for it."""
    names = (os.environ.get("NORMSCOPE_CHROMIUM"), *CHROMIUM_NAMES)
    found = next(filter(None, (shutil.which(name) for name in names if name)), None)
    return Path(found) if found else None


@contextlib.contextmanager
def opened(address: str, *, software: bool) -> Iterator[tuple[str, Call]]:
    """What runs the page, and calls into it: in a fresh Chromium, on its own adapter or CI's."""
    adapter = SOFTWARE_ADAPTER if software else OWN_ADAPTER
    # Without this a timestamp or an error message may be blurred.
    with only_chromium([*adapter, "--enable-webgpu-developer-features"]) as browser:
        page = browser.new_page()
        page.set_default_timeout(0)
        page.goto(f"{address}/bench/index.html")
        page.wait_for_function("globalThis.bench !== undefined")

        def call(name: str, *given: Any) -> Any:
            return page.evaluate("([name, given]) => bench[name](...given)", [name, list(given)])

        yield f"Chromium {browser.version}", call
