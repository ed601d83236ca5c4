"""Chromium with WebGPU on the software adapter, and a loopback server for pages and arrays."""

from __future__ import annotations

import contextlib
import functools
import http.server
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from playwright.sync_api import Browser, BrowserType, sync_playwright

from static.build import tools
from static.build.paths import ROOT
from static.build.serve import TYPES

QUIET = (
    "--headless=new",
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SOFTWARE_ADAPTER = ("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader")
OWN_ADAPTER = ("--enable-unsafe-webgpu", "--enable-features=Vulkan")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Folders under their own first path element; /exchange/ passes bytes to and from the page."""

    extensions_map = TYPES
    protocol_version = "HTTP/1.1"

    def __init__(
        self, *args: object, folders: dict[str, Path], exchange: dict[str, bytes], **rest: object
    ) -> None:
        """``folders`` by first path element; ``exchange`` by ticket."""
        self.folders = folders
        self.exchange = exchange
        super().__init__(*args, **rest)  # type: ignore[arg-type]

    def translate_path(self, path: str) -> str:
        """The file in its folder; what lies in none does not exist."""
        first, _, rest = path.split("?")[0].lstrip("/").partition("/")
        folder = self.folders.get(first)
        parts = rest.split("/")
        return str(folder / rest) if folder and ".." not in parts else str(ROOT / "no-such-file")

    def do_GET(self) -> None:
        """A file, or what waits under a ticket."""
        if not self.path.startswith("/exchange/"):
            super().do_GET()
            return
        body = self.exchange.pop(self.path.removeprefix("/exchange/"))
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        """Keep what the page sends under its ticket."""
        length = int(self.headers["Content-Length"])
        self.exchange[self.path.removeprefix("/exchange/")] = self.rfile.read(length)
        self.send_response(204)
        self.end_headers()

    def end_headers(self) -> None:
        """Cross-origin isolation: performance.now() in steps of 5 µs instead of 100 µs."""
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


class Server(http.server.ThreadingHTTPServer):
    """Takes all of a page's files asked for at once: Node.js, unlike a browser, asks so."""

    request_queue_size = 256


@contextlib.contextmanager
def served(folders: dict[str, Path], exchange: dict[str, bytes]) -> Iterator[str]:
    """The server's address while the block runs."""
    resolved = {name: folder.resolve() for name, folder in folders.items()}
    handler = functools.partial(Handler, folders=resolved, exchange=exchange)
    server = Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def launched(kind: BrowserType, flags: Sequence[str]) -> Iterator[Browser]:
    """A Chromium of its own with these flags."""
    browser = kind.launch(
        executable_path=os.environ.get("NORMSCOPE_CHROMIUM") or str(tools.chromium()),
        args=[*QUIET, *flags],
        ignore_default_args=["--headless"],
    )
    try:
        yield browser
    finally:
        browser.close()


@contextlib.contextmanager
def only_chromium(flags: Sequence[str] = SOFTWARE_ADAPTER) -> Iterator[Browser]:
    """The same for a program that has no Playwright running yet."""
    with sync_playwright() as playwright, launched(playwright.chromium, flags) as browser:
        yield browser
