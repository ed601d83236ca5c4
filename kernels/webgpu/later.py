"""Waiting that is described before it is begun."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Later:
    """An awaitable whose coroutine is made when it is awaited: one that is dropped leaves nothing.

    Attributes:
        begin: makes the coroutine.
    """

    begin: Callable[[], Coroutine[Any, Any, None]]

    def __await__(self) -> Generator[Any, Any, None]:
        """Begin, and wait."""
        return self.begin().__await__()
