"""The tensor as a grid of cells to edit, and its read-only sisters that show outputs."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import param

from app.views.component import Component, Speaking, module


class TensorGrid(Speaking):
    """An ARIA grid. What a person does comes out as messages: edit, drag, cell, point, cancel."""

    label = param.String(doc="what a screen reader calls the grid")
    values = param.Array(doc="the tensor, flat, float64")
    shape = param.List(doc="its shape")
    names = param.List(doc="the names of its axes")
    cell = param.Integer(0, doc="flat index of the current cell")
    groups = param.Array(doc="group numbers, one row of the tensor's size for each normalizer")
    colours = param.List(doc="the colour token of each normalizer")
    labels = param.List(doc="what the key says of each normalizer")
    words = param.Dict({}, doc="the other words of the key")
    selected = param.Integer(0, doc="the normalizer whose statistics stand at the edge")
    edge = param.Dict({}, doc="mean and spread of the selected normalizer's groups")
    bad = param.Dict({}, doc="refused entries: flat index -> {text, reason}")

    compact = param.Boolean(False)
    rows = param.List(doc="what the rows are called, where not by their axis and number")
    faded = param.Array(doc="1 for each cell that is padding, drawn and spoken of as such")

    _esm: ClassVar[str] = module("tensor_grid")


class NormCard(Component):
    """One normalizer's output on the same tensor, with statistics of the current cell's group."""

    title = param.String()
    over = param.String(doc="the axes it reduces, in words")
    colour = param.String(doc="its colour token")
    values = param.Array(doc="the output, flat, float64")
    shape = param.List()
    names = param.List()
    cell = param.Integer(0)
    groups = param.Array(doc="group number of each cell")
    statistics = param.List(doc="[symbol, name, value] of the current cell's group")
    note = param.String(doc="what a framework would say to this input")
    current = param.Boolean(False, doc="whether its statistics are the ones explained")

    _esm: ClassVar[str] = module("norm_card")


class FormulaSteps(Component):
    """The formula with the numbers of the current cell, step by step."""

    steps = param.List(doc="[MathML, name, value] in order")
    colour = param.String()

    _esm: ClassVar[str] = module("formula_steps")


def flat(values: np.ndarray) -> np.ndarray:
    """A tensor as a view wants it: flat, contiguous, float64."""
    return np.ascontiguousarray(values, dtype=np.float64).ravel()
