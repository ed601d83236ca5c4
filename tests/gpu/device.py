"""Calls to the GPU glue in a page, many in one round trip."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from playwright.sync_api import Page

Arrays = dict[str, npt.NDArray[Any]]
TYPES = {"f32": np.float32, "f16": np.float16}


@dataclass(frozen=True)
class Call:
    """An operation of static/gpu/operations.js on these arrays."""

    operation: str
    tensors: Mapping[str, npt.NDArray[Any]]
    options: Mapping[str, Any] = field(default_factory=dict)


class CallFailed(Exception):
    """What the glue threw for a call."""

    def __init__(self, key: str, message: str) -> None:
        """The notice's key, empty where the error is not one of those that have notices."""
        super().__init__(f"{key}: {message}" if key else message)
        self.key = key


class Device:
    """One GPU of a page, opened with some options of `createGpu`."""

    def __init__(self, page: Page, exchange: dict[str, bytes], **options: Any) -> None:
        """Open it; ``status`` then says whether it is there."""
        self.page = page
        self.exchange = exchange
        self.number: int = page.evaluate("(options) => harness.open(options)", options)
        self.tickets = (f"{self.number}-{count}" for count in itertools.count())

    @property
    def status(self) -> dict[str, Any]:
        """available, reason, facts, and the notices told so far."""
        status: dict[str, Any] = self.page.evaluate("(n) => harness.status(n)", self.number)
        return status

    def run(self, calls: Iterable[Call]) -> list[Arrays]:
        """Each call's results by name; raises the first failure."""
        results = self.try_run(calls)
        for result in results:
            if isinstance(result, CallFailed):
                raise result
        return results  # type: ignore[return-value]

    def try_run(self, calls: Iterable[Call]) -> list[Arrays | CallFailed]:
        """Each call's results by name, or its failure."""
        ticket = next(self.tickets)
        self.exchange[ticket] = packed(list(calls))
        self.page.evaluate(
            "([number, ticket]) => harness.run(number, ticket)", [self.number, ticket]
        )
        return unpacked(self.exchange.pop(ticket))


def packed(calls: list[Call]) -> bytes:
    """A JSON manifest, its length before it, then the arrays' bytes, each from a multiple of 4."""
    blobs: list[bytes] = []
    offset = 0
    manifest = []
    for call in calls:
        tensors = {}
        for name, array in call.tensors.items():
            kind = next(key for key, dtype in TYPES.items() if array.dtype == dtype)
            data = np.ascontiguousarray(array).tobytes()
            tensors[name] = {
                "shape": array.shape,
                "type": kind,
                "offset": offset,
                "size": len(data),
            }
            blobs.append(data + bytes(-len(data) % 4))
            offset += len(blobs[-1])
        manifest.append(
            {"operation": call.operation, "tensors": tensors, "options": dict(call.options)}
        )
    head = json.dumps(manifest).encode()
    head += b" " * (-len(head) % 4)
    return len(head).to_bytes(4, "little") + head + b"".join(blobs)


def unpacked(data: bytes) -> list[Arrays | CallFailed]:
    """The results, in the same form."""
    length = int.from_bytes(data[:4], "little")
    body = memoryview(data)[4 + length :]
    results: list[Arrays | CallFailed] = []
    for entry in json.loads(data[4 : 4 + length]):
        if "error" in entry:
            results.append(CallFailed(entry["error"]["key"], entry["error"]["message"]))
            continue
        arrays = {}
        for name, tensor in entry["tensors"].items():
            values = np.frombuffer(
                body[tensor["offset"] : tensor["offset"] + tensor["size"]], TYPES[tensor["type"]]
            )
            arrays[name] = values.reshape(tensor["shape"])
        results.append(arrays)
    return results
