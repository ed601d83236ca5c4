"""A view drawn by a plain JavaScript module of ours in `static/components/`."""

from __future__ import annotations

import param
from panel.custom import JSComponent

from app.views.design import ASSETS


def module(name: str) -> str:
    """The module text Panel asks for: it only points at the file the page serves."""
    return f'export {{ render }} from "{ASSETS}components/{name}.js";\n'


class Component(JSComponent):
    """Base of our views; a subclass names its module with `_esm = module("name")`."""

    sizing_mode = param.String(default="stretch_width")

    __abstract = True
