"""Buttons that say what they are: a choice of one among a few, and a row of things to do.

Bokeh's button groups show the chosen one by its colour alone and tell a screen reader nothing;
these are a radio group and buttons as ARIA knows them.
"""

from __future__ import annotations

from typing import ClassVar

import param

from app.views.component import Speaking, module


class Choices(Speaking):
    """One of a few, all in sight. Message: choose {key}."""

    label = param.String(doc="what is chosen")
    shown = param.Boolean(True, doc="whether the label is seen as well as heard")
    options = param.List(doc="[key, text] each")
    value = param.String(doc="the key of the chosen one")
    columns = param.Integer(2)

    _esm: ClassVar[str] = module("choices")


class Buttons(Speaking):
    """Things to do, side by side. Message: press {key}."""

    label = param.String(doc="what they act on, for a screen reader")
    buttons = param.List(doc="{key, text, main?, disabled?, on?}: with `on` it is a switch")
    text = param.String(doc="what is to be said beside them")

    _esm: ClassVar[str] = module("buttons")
