"""Small parts that scenes share for their controls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import panel as pn

from app.views.component import Component
from app.views.slider import Slider


class Quiet:
    """While a scene sets its controls, what they report is an echo and not a person's doing."""

    def __init__(self) -> None:
        """Nobody is setting anything yet."""
        self.depth = 0

    def __call__(self) -> bool:
        """Whether controls are being set now."""
        return self.depth > 0

    @contextmanager
    def on(self) -> Iterator[None]:
        """Be quiet inside the block."""
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1


quiet = Quiet()


def put(viewable: Any, **values: Any) -> None:
    """Set what has changed on a view, widget or layout; the same again would cost milliseconds."""
    if isinstance(viewable, Component):
        own = {name: values.pop(name) for name in list(values) if name not in Component.param}
        if own:
            viewable.put(**own)
    changed = {name: new for name, new in values.items() if getattr(viewable, name) != new}
    if changed:
        viewable.param.update(**changed)


def watch(widget: Any, act: Callable[[Any], object]) -> None:
    """Act when a person uses a widget or a slider, and not when a scene sets it."""
    if isinstance(widget, Slider):
        widget.on("move", lambda data: act(data["position"]))
    else:
        widget.param.watch(lambda event: None if quiet() else act(event.new), "value")


GAP = (0, 0, 18, 0)


def control(kind: type[pn.widgets.Widget], **params: Any) -> Any:
    """A widget as wide as its place, with our distance to the next."""
    return kind(**{"sizing_mode": "stretch_width", "margin": GAP, **params})


def heading(text: str) -> pn.pane.HTML:
    """A small heading over controls."""
    return pn.pane.HTML(f"<h2>{text}</h2>", sizing_mode="stretch_width", margin=0)


def boxed(view: Any) -> pn.Column:
    """A view that can be hidden; a component's own `visible` does nothing before it is drawn."""
    return pn.Column(view, sizing_mode="stretch_width", margin=0)


def beside(*views: tuple[Any, str], gap: tuple[int, ...] = (0, 0, 12, 0)) -> pn.Row:
    """Views side by side where there is room for them, else one under the other.

    Each comes with its CSS `flex`: how it grows and shrinks, and the width it would like.
    """
    for view, flex in views:
        view.param.update(sizing_mode=None, styles={"flex": flex, "max-width": "100%"})
    return pn.Row(
        *(view for view, _ in views),
        sizing_mode="stretch_width",
        css_classes=["beside"],
        margin=gap,
    )
