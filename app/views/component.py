"""A view drawn by a plain JavaScript module of ours in `static/components/`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from panel.custom import JSComponent

from app import wire
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

        Once the view is on the page they go there by the wire. `self.param.update` does the same
        through Param's watchers, Panel's links and Bokeh's events, at 2 to 6 ms a call in the
        browser; without a page it has to.
        """
        if not self._models or wire.live is None:
            self.param.update(**values)
            return
        for model, _ in self._models.values():
            wire.live.put(model.data, values)


class Speaking(Component):
    """A view that tells what a person does by messages {type: ..., ...}."""

    __abstract = True

    of_model: ClassVar[WeakValueDictionary[str, Speaking]] = WeakValueDictionary()

    def __init__(self, **params: Any) -> None:
        """A view that nobody listens to yet."""
        super().__init__(**params)
        self.listeners: dict[str, Callable[[dict[str, Any]], object]] = {}

    def _get_model(self, *args: Any, **options: Any) -> Any:
        """Its Bokeh model, by whose name the page sends what the view tells."""
        model = super()._get_model(*args, **options)
        self.of_model[model.id] = self
        return model

    def _handle_msg(self, data: dict[str, Any]) -> None:
        self.hear(data)

    def hear(self, data: dict[str, Any]) -> None:
        """Act on one message."""
        listener = self.listeners.get(data["type"])
        if listener:
            listener(data)

    def on(self, kind: str, listener: Callable[[dict[str, Any]], object]) -> None:
        """Listen to one kind of message."""
        self.listeners[kind] = listener
