"""A small table of numbers, with the values behind them drawn as dots on one scale."""

from __future__ import annotations

from typing import Any, ClassVar

import param

from app.views.component import Component, module


class Table(Component):
    """Rows to compare.

    A row is {"head", "cells"} and may have "colour" (a token), "state" ("current", "wrong",
    "good"; "broken" is wrong in its first cell alone) and "note". A cell is a number, a text,
    {"list": numbers} or {"strip": points, "mean", "spread", "hollow"}, drawn on the table's
    `domain`.
    """

    caption = param.String()
    columns = param.List(doc="headings, the first over the rows' own")
    rows = param.List()
    domain = param.List([0.0, 1.0], doc="[low, high] of the strips")

    _esm: ClassVar[str] = module("table")


def strip(
    points: list[float], mean: float, spread: float, hollow: list[bool] | None = None
) -> dict[str, Any]:
    """A cell with dots at the points, and a bar of one spread around the mean."""
    return {"strip": points, "mean": mean, "spread": spread, "hollow": hollow or []}


def domain_of(*groups: list[float]) -> list[float]:
    """The range of all finite numbers, a little wider, never empty."""
    finite = [number for group in groups for number in group if abs(number) < float("inf")]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    room = (high - low) * 0.04 or 1.0
    return [low - room, high + room]
