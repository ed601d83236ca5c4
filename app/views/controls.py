"""Small parts that scenes share for their controls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import panel as pn


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
    """Set what has changed on a widget or layout; setting the same again costs milliseconds."""
    changed = {name: new for name, new in values.items() if getattr(viewable, name) != new}
    if changed:
        viewable.param.update(**changed)


GAP = (0, 0, 18, 0)


def control(kind: type[pn.widgets.Widget], **params: Any) -> Any:
    """A widget as wide as its place, with our distance to the next."""
    return kind(**{"sizing_mode": "stretch_width", "margin": GAP, **params})


def heading(text: str) -> pn.pane.HTML:
    """A small heading over controls."""
    return pn.pane.HTML(f"<h2>{text}</h2>", sizing_mode="stretch_width", margin=0)


def beside(*views: Any) -> pn.FlexBox:
    """Views side by side where there is room for them, else one under the other."""
    for view in views:
        view.sizing_mode = None
        view.styles = {"flex": "1 1 auto", "min-width": "0", "max-width": "100%"}
    return pn.FlexBox(
        *views, sizing_mode="stretch_width", styles={"gap": "6px 24px"}, margin=(0, 0, 12, 0)
    )
