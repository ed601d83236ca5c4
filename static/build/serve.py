"""The built site on loopback, with the media types a static host gives."""

from __future__ import annotations

import errno
import functools
import http.server
import webbrowser
from collections.abc import Callable
from pathlib import Path

from static.build.errors import BuildError

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".wgsl": "text/plain; charset=utf-8",
    ".gz": "application/gzip",
    ".png": "image/png",
    "": "application/octet-stream",
}


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files below a folder, under a base path; hashed folders may be kept for ever."""

    protocol_version = "HTTP/1.1"
    extensions_map = TYPES

    def __init__(self, *args: object, base: str = "/", quiet: bool = True, **rest: object) -> None:
        """The base path under which the folder appears."""
        self.base = base
        self.quiet = quiet
        super().__init__(*args, **rest)  # type: ignore[arg-type]

    def send_head(self):  # type: ignore[no-untyped-def]
        """Refuse what lies outside the base path; lead /repo to /repo/."""
        path = self.path.split("?")[0].split("#")[0]
        if self.base != "/" and path in ("/", self.base.rstrip("/")):
            self.send_response(302)
            self.send_header("Location", self.base)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return None
        if not path.startswith(self.base):
            self.send_error(404)
            return None
        self.path = "/" + self.path[len(self.base) :]
        return super().send_head()

    def send_response(self, code: int, message: str | None = None) -> None:
        """Remember what is answered."""
        self.code = code
        super().send_response(code, message)

    def end_headers(self) -> None:
        """Hashed folders never change; everything else, and what is missing, is asked for anew."""
        hashed = self.code in (200, 304) and self.path.startswith(("/runtime-", "/app-"))
        self.send_header("Cache-Control", "max-age=31536000, immutable" if hashed else "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing of each request."""
        if not self.quiet:
            super().log_message(format, *args)


class Server(http.server.ThreadingHTTPServer):
    """One thread a connection, on loopback."""

    daemon_threads = True
    allow_reuse_address = True


def make_server(folder: Path, port: int, base_path: str = "") -> Server:
    """A server bound to its port, not yet serving."""
    handler = functools.partial(Handler, directory=str(folder), base=base_path or "/")
    try:
        return Server(("127.0.0.1", port), handler)
    except OSError as error:
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            raise BuildError(
                f"Port {port} is taken or not allowed ({error.strerror}). "
                "Choose another: python3 build.py serve --port 8001"
            ) from error
        raise


def serve(
    folder: Path, port: int, base_path: str, open_browser: bool, say: Callable[[str], None]
) -> None:
    """Serve until a person stops it."""
    with make_server(folder, port, base_path) as server:
        address = f"http://127.0.0.1:{server.server_address[1]}{base_path or '/'}"
        say(f"Normscope is at {address}  (Ctrl-C stops it)")
        if open_browser:
            webbrowser.open(address)
        server.serve_forever()
