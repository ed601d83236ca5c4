"""What the Softmax scene draws with: the chain as a table, shares as bars, a small matrix."""

from __future__ import annotations

from typing import ClassVar

import param

from app.views.component import Component, module


class ChainTable(Component):
    """Steps as columns, the query and its keys as rows; turned round where it is narrow."""

    label = param.String()
    steps = param.List(doc="{key, title, formula (MathML), active}")
    rows = param.List(doc="{name, dim, cells: a text for each step}")

    _esm: ClassVar[str] = module("chain_table")


class Bars(Component):
    """Shares of 1, each as a bar with its number; in groups, each with what it comes to."""

    note = param.String(doc="above all")
    groups = param.List(
        doc="{title, note, bars: {name, share, text, note, wrong}, total: words, numbers in turn}"
    )

    _esm: ClassVar[str] = module("bars")


class HeatTable(Component):
    """A small matrix, coloured on a scale centred on 0."""

    label = param.String()
    values = param.List(doc="row by row")
    texts = param.List(doc="what stands in each cell")
    rows = param.List(doc="the names of the rows")
    columns = param.List(doc="the names of the columns")

    _esm: ClassVar[str] = module("heat_table")


class Variants(Component):
    """What each curve is called and how it is drawn; with its numbers, or `compact` without."""

    label = param.String()
    columns = param.List(doc="what the numbers are")
    rows = param.List(doc="{name, colour, dashed, current, cells}")
    compact = param.Boolean(False)

    _esm: ClassVar[str] = module("variants")
