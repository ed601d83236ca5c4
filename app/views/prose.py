"""A few sentences of HTML that change with the numbers."""

from __future__ import annotations

from typing import ClassVar

import param

from app.views.component import Component, module


class Prose(Component):
    """HTML from our own sentences, whatever a person typed escaped in it."""

    html = param.String()
    region = param.String(doc="its name where it may be wider than its place, and scrolls")

    _esm: ClassVar[str] = module("prose")
