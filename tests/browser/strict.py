"""What a page must not do while a test looks at it."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import ConsoleMessage, Page, Request, Response


class Watch:
    """Collects a page's troubles: foreign and failed requests, console errors and warnings, errors.

    A test that provokes one says so with `allow`.
    """

    def __init__(self, page: Page, origin: str) -> None:
        self.origin = origin
        self.troubles: list[str] = []
        self.allowed: list[re.Pattern[str]] = []
        page.on("request", self.on_request)
        page.on("requestfailed", self.on_failed)
        page.on("response", self.on_response)
        page.on("console", self.on_console)
        page.on("pageerror", lambda error: self.add(f"page error: {error}"))
        page.on("crash", lambda _: self.add("the page crashed"))

    def allow(self, pattern: str) -> None:
        """Troubles that match are what the test is about."""
        self.allowed.append(re.compile(pattern))

    def add(self, trouble: str) -> None:
        """Note a trouble."""
        self.troubles.append(trouble)

    def on_request(self, request: Request) -> None:
        """Nothing leaves the page's own origin."""
        if not request.url.startswith((self.origin, "data:", "blob:")):
            self.add(f"foreign request: {request.url}")

    def on_failed(self, request: Request) -> None:
        """Every request is answered; what a navigation cancels is not a failure."""
        if request.failure != "net::ERR_ABORTED":
            self.add(f"failed request: {request.url} ({request.failure})")

    def on_response(self, response: Response) -> None:
        """Nothing is asked for that is not there."""
        if response.status >= 400:
            self.add(f"answer {response.status}: {response.url}")

    def on_console(self, message: ConsoleMessage) -> None:
        """Neither errors nor warnings, of the page or of its worker."""
        if message.type in ("error", "warning"):
            self.add(f"console {message.type}: {message.text}")

    def check(self) -> None:
        """Fail with every trouble that was not allowed."""
        left = [
            trouble
            for trouble in self.troubles
            if not any(pattern.search(trouble) for pattern in self.allowed)
        ]
        assert not left, "\n".join(left)

    def __repr__(self) -> str:
        return f"Watch({self.troubles})"


Options = dict[str, Any]
