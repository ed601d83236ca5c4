"""The built site on a host of its own, which can be told to break single files."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

from static.build.serve import TYPES, Handler, Server

PAGE = b"<!doctype html><title>Not the file</title><p>Please sign in."


@dataclass
class Fault:
    """What happens to a file: how its bytes are changed, its type, its status."""

    change: Callable[[bytes], bytes] = lambda data: data
    media_type: str | None = None
    status: int = HTTPStatus.OK
    announce_all: bool = False  # the length of the whole file is announced, whatever is sent
    stall: bool = False  # the line stays open and silent after the bytes


def flip(data: bytes) -> bytes:
    """One bit is the other way."""
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 4]) + data[middle + 1 :]


def half(data: bytes) -> bytes:
    """The file ends early."""
    return data[: len(data) // 2]


MISSING = Fault(status=HTTPStatus.NOT_FOUND, change=lambda data: b"no such file")
TRUNCATED = Fault(change=half)
BROKEN_OFF = Fault(change=half, announce_all=True)
FLIPPED = Fault(change=flip)
REPLACED = Fault(change=lambda data: PAGE, media_type="text/html")
WRONG_TYPE = Fault(media_type="application/octet-stream")
STALLED = Fault(change=half, announce_all=True, stall=True)


class FaultyHandler(Handler):
    """The project's own server, with faults by file name."""

    def __init__(
        self, *args: object, faults: dict[str, Fault], closing: threading.Event, **rest: Any
    ) -> None:
        self.faults = faults
        self.closing = closing
        super().__init__(*args, **rest)

    def do_GET(self) -> None:
        """Answer as the server does, unless the file has a fault."""
        path = self.path.split("?")[0]
        name = path.rsplit("/", 1)[-1] or "index.html"
        fault = self.faults.get(name)
        if fault is None:
            return super().do_GET()
        self.path = "/" + path.removeprefix(self.base)
        file = Path(self.directory) / self.path.lstrip("/")
        whole = (file / "index.html" if file.is_dir() else file).read_bytes()
        data = fault.change(whole)
        self.send_response(fault.status)
        self.send_header("Content-Type", fault.media_type or TYPES[Path(name).suffix])
        self.send_header("Content-Length", str(len(whole if fault.announce_all else data)))
        self.end_headers()
        self.wfile.write(data)
        if fault.announce_all:
            self.wfile.flush()
            self.close_connection = True
        if fault.stall:
            self.closing.wait(60)


class Host:
    """One served site; `faults` maps a file's name to what is wrong with it."""

    def __init__(self, folder: Path, base: str = "/") -> None:
        self.faults: dict[str, Fault] = {}
        self.closing = threading.Event()
        handler = functools.partial(
            FaultyHandler,
            directory=str(folder),
            base=base,
            faults=self.faults,
            closing=self.closing,
        )
        self.server = Server(("127.0.0.1", 0), handler)
        self.origin = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.url = self.origin + base
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def release(self) -> None:
        """Let go of every stalled line."""
        self.closing.set()
        self.closing.clear()

    def close(self) -> None:
        """Stop serving."""
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()
