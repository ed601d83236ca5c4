"""The Placement scene's own components; their modules are in `static/components/`."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import param

from app.views.component import Component, Speaking, module


class PlacementList(Speaking):
    """The placements, one of them chosen. Messages: choose {key}, point {key or ""}."""

    label = param.String(doc="what the list is")
    unit = param.String(doc="what the numbers in it are")
    rows = param.List(doc="{key, title, about, dash, number, said} each")
    chosen = param.String(doc="its key")
    opposite = param.String(doc="the key of the one it is held against")
    colour = param.String(doc="the colour token of the chosen curve")

    _esm: ClassVar[str] = module("placement_list")


class Switches(Speaking):
    """A few things that are on or off, one under the other. Message: press {key}."""

    label = param.String(doc="what they belong to, for a screen reader")
    switches = param.List(doc="{key, text, on} each")

    _esm: ClassVar[str] = module("switches")


class BlockDrawing(Speaking):
    """One block with the RMS on its wires.

    Messages: toggle {place}, block {block}, parallel.
    """

    places = param.List(doc="the places that hold a norm")
    parallel = param.Boolean(False)
    norm = param.String(doc="what is written into a norm")
    colour = param.String(doc="its colour token")
    values = param.Dict({}, doc="wire -> RMS")
    alpha = param.String(doc="what multiplies the stream before a sum, or nothing")
    block = param.Integer(1)
    depth = param.Integer(1)
    label = param.String(doc="Block 3 of 24")
    about = param.String(doc="what the numbers are")
    words = param.Dict({}, doc="names of the places, and of the controls")

    _esm: ClassVar[str] = module("block_drawing")


class HeadBars(Component):
    """The likeliest tokens of a head's answer."""

    title = param.String()
    current = param.Boolean(False, doc="whether the stack's own head answers so")
    colour = param.String()
    text = param.String(doc="how sharp the answer is")
    label = param.String(doc="all of it in words")
    probabilities = param.Array(np.zeros(0), doc="of the tokens shown")
    logits = param.Array(np.zeros(0), doc="of the same tokens")
    top = param.Number(1.0, doc="the probability of a full bar")

    _esm: ClassVar[str] = module("head_bars")


class PlotCaption(Component):
    """A plot's title and what it says; room is kept for `lines` lines."""

    title = param.String()
    text = param.String()
    lines = param.Integer(1)

    _esm: ClassVar[str] = module("plot_caption")


class RunBar(Speaking):
    """What is being computed. Message: press."""

    text = param.String()
    percent = param.Integer(-1, doc="how far it is; -1 shows no bar")
    button = param.String(doc="what the button says; nothing hides it")

    _esm: ClassVar[str] = module("run_bar")
