"""A view drawn by a plain JavaScript module of ours in `static/components/`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
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

    def put(self, **values: Any) -> None:
        """Show new values, in one go; what has not changed is not sent.

        Once the view is on the page they go straight to its Bokeh model: `self.param.update` would
        do the same through Param's watchers, at 2 to 6 ms a call in the browser.
        """
        if not self._models:
            self.param.update(**values)
            return
        for root, (model, _) in self._models.items():
            data = model.data
            new = {
                name: value
                for name, value in values.items()
                if not same(getattr(data, name), value)
            }
            # Panel listens for changes that come from the page; these do not.
            self._changing[root] = [name for name in new for name in (name, f"data.{name}")]
            data.update(**new)
            self._changing.pop(root, None)


def same(old: Any, new: Any) -> bool:
    """Whether two values of a view are equal; arrays by their numbers, NaN equal to itself."""
    if isinstance(new, np.ndarray):
        return (
            isinstance(old, np.ndarray)
            and old.shape == new.shape
            and np.array_equal(old, new, equal_nan=new.dtype.kind == "f")
        )
    return type(old) is type(new) and old == new


class Speaking(Component):
    """A view that tells what a person does by messages {type: ..., ...}."""

    __abstract = True

    def __init__(self, **params: Any) -> None:
        """A view that nobody listens to yet."""
        super().__init__(**params)
        self.listeners: dict[str, Callable[[dict[str, Any]], None]] = {}

    def _handle_msg(self, data: dict[str, Any]) -> None:
        listener = self.listeners.get(data["type"])
        if listener:
            listener(data)

    def on(self, kind: str, listener: Callable[[dict[str, Any]], None]) -> None:
        """Listen to one kind of message."""
        self.listeners[kind] = listener
