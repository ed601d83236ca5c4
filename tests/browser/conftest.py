"""Chromium on the built site.

`page` is one live page for the whole run, brought back to the default state before each test:
Python starts once. `open_page` opens pages of their own, for what happens at start-up. Both fail a
test whose page asks anything of a foreign origin, has a failed request, a console error or warning,
or an error nobody caught.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from static.build import checks
from static.build.paths import BUILD
from tests.browser.hosting import Host
from tests.browser.strict import Watch

DESKTOP: Any = {"width": 1280, "height": 720}
PHONE: Any = {"width": 390, "height": 844}
READY_MS = 60_000
SCREENS = BUILD / "screens"

OpenPage = Callable[..., Page]


@pytest.fixture(scope="session")
def host(dist: Path) -> Iterator[Host]:
    """The site under /."""
    host = Host(dist)
    yield host
    host.close()


@pytest.fixture(scope="session")
def repo_host(dist: Path) -> Iterator[Host]:
    """The same site under /repo/, as project pages have it."""
    host = Host(dist, "/repo/")
    yield host
    host.close()


@pytest.fixture
def faulty_host(dist: Path) -> Iterator[Host]:
    """A site of a test's own, whose files it may break."""
    host = Host(dist)
    yield host
    host.close()


def wait_until_ready(page: Page) -> None:
    """Wait until the first scene is interactive."""
    page.wait_for_function("globalThis.normscope !== undefined", timeout=READY_MS)
    page.evaluate(
        "ms => Promise.race([normscope.ready, new Promise((_, no) => setTimeout(() => no("
        "new Error('not ready: ' + document.getElementById('failure').innerText)), ms))])",
        READY_MS,
    )


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[OpenPage]:
    """Open a page in a browser context of its own, with an empty cache and storage.

    `open_page(url, wait=True, script="", **context_options)`; `page.watch` is its Watch.
    """
    opened: list[tuple[Page, Watch]] = []

    def open_one(url: str, *, wait: bool = True, script: str = "", **options: Any) -> Page:
        context = chromium.new_context(**{"viewport": DESKTOP, "color_scheme": "light", **options})
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = context.new_page()
        if script:
            page.add_init_script(script)
        watch = Watch(page, "/".join(url.split("/")[:3]))
        page.watch = watch  # type: ignore[attr-defined]
        opened.append((page, watch))
        page.goto(url, wait_until="load" if wait else "commit")
        if wait:
            wait_until_ready(page)
        return page

    yield open_one
    for page, watch in opened:
        page.context.close()
        watch.check()


class LivePage:
    """The page that tests share, made anew when one left it in a state that no link restores."""

    def __init__(self, browser: Browser, host: Host) -> None:
        self.browser = browser
        self.host = host
        self.page: Page | None = None
        self.watch: Watch | None = None

    def fresh(self) -> Page:
        """The page in the default state, as a person finds it."""
        if self.page is None or not self.reset(self.page):
            self.drop()
            self.page = self.open()
        return self.page

    def open(self) -> Page:
        """Open the site."""
        context = self.browser.new_context(viewport=DESKTOP, color_scheme="light")
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = context.new_page()
        self.watch = page.watch = Watch(page, self.host.origin)  # type: ignore[attr-defined]
        page.goto(self.host.url)
        wait_until_ready(page)
        self.blank = page.evaluate("normscope.state()")
        return page

    def reset(self, page: Page) -> bool:
        """Bring the default state back; False where that did not do."""
        if page.is_closed() or (self.watch and self.watch.troubles):
            return False
        page.set_viewport_size(DESKTOP)
        page.emulate_media(color_scheme="light", reduced_motion="no-preference")
        page.mouse.move(1, 1)
        state = page.evaluate(
            """async () => {
              document.activeElement?.blur();
              document.getElementById("notice").hidden = true;
              if (localStorage.length) return null;
              for (const hash of ["#axes&x=N,C:1x1:0", "#axes"]) {
                location.hash = hash;
                await new Promise((heard) => setTimeout(heard));
                await normscope.state();
              }
              for (const place of document.querySelectorAll(".place")) place.scrollTop = 0;
              return document.getElementById("failure").hidden ? normscope.state() : null;
            }"""
        )
        marked = page.locator("[aria-invalid=true]").count()
        return state == self.blank and marked == 0

    def drop(self) -> None:
        """Close the page."""
        if self.page is not None and not self.page.is_closed():
            self.page.context.close()
        self.page = None


@pytest.fixture(scope="session")
def live(chromium: Browser, host: Host) -> Iterator[LivePage]:
    """The shared page's keeper."""
    live = LivePage(chromium, host)
    yield live
    live.drop()


@pytest.fixture
def page(live: LivePage) -> Iterator[Page]:
    """The live page in its default state."""
    page = live.fresh()
    yield page
    watch = page.watch  # type: ignore[attr-defined]
    try:
        watch.check()
    finally:
        if watch.troubles:
            live.drop()


@pytest.fixture(scope="session")
def axe_script() -> str:
    """axe-core, the accessibility checker."""
    if not checks.axe_core().is_file():
        checks.unpack_test_files(print)
    return checks.axe_core().read_text(encoding="utf-8")


@pytest.fixture
def screenshot() -> Callable[[Page, str], Path]:
    """Keep a picture of the page under build/screens/, for a person to look at."""

    def take(page: Page, name: str) -> Path:
        SCREENS.mkdir(parents=True, exist_ok=True)
        path = SCREENS / f"{name}.png"
        page.screenshot(path=path)
        return path

    return take
