"""A slider whose value is heard and read in words.

Bokeh's slider gives its handle no name and speaks of positions ("22.00"), where a person needs
"ε, 1e-5"; so this is the browser's own range input in a Panel component.
"""

from __future__ import annotations

from typing import Any, ClassVar

import param

from app import wire
from app.views.component import Speaking, module


class Slider(Speaking):
    """A named range of whole positions; `text` is what the present one means. Message: move."""

    label = param.String(doc="its name, also for a screen reader")
    text = param.String(doc="the value in words, such as 1e-5")
    position = param.Integer(0)
    end = param.Integer(1, doc="the last position; the first is 0")

    _esm: ClassVar[str] = module("slider")

    def hear(self, data: dict[str, Any]) -> None:
        """The page knows where it was moved to."""
        if wire.live is not None:
            for model, _ in self._models.values():
                wire.live.know(model.data, "position", data["position"])
        super().hear(data)
