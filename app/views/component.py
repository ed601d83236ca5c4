"""A view drawn by a plain JavaScript module of ours in `static/components/`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from panel.custom import JSComponent

from app.views.design import ASSETS


def module(name: str) -> str:
    """The module text Panel asks for: it only points at the file the page serves."""
    return f'export {{ render }} from "{ASSETS}components/{name}.js";\n'


class Component(JSComponent):
    """Base of our views; a subclass names its module with `_esm = module("name")`."""

    __abstract = True

    def __init__(self, **params: Any) -> None:
        """As wide as its place, with no margin of its own."""
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, **params})


class Speaking(Component):
    """A view that tells what a person does by messages {type: ..., ...}."""

    __abstract = True

    def __init__(self, **params: Any) -> None:
        """A view that nobody listens to yet."""
        super().__init__(**params)
        self.listeners: dict[str, Callable[[dict[str, Any]], None]] = {}
        self.on_msg(self._heard)

    def _heard(self, data: dict[str, Any]) -> None:
        listener = self.listeners.get(data["type"])
        if listener:
            listener(data)

    def on(self, kind: str, listener: Callable[[dict[str, Any]], None]) -> None:
        """Listen to one kind of message."""
        self.listeners[kind] = listener
