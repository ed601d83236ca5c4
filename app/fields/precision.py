"""The state of the Precision scene."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app.fields import kinds
from app.fields.field import Field
from kernels.precision import FORMATS

DEFAULT_ROW = (-1.5, -0.5, 0.5, 1.5)
MOST_VALUES = 256
MOST_SEEDS = 9999

# What rounding does to a row; what a normalizer costs, as a picture and as a table.
VIEWS = ("rounding", "time", "table")

# How many values share a statistic where times are measured.
BENCH_ROWS = ("256", "4096", "65536")

FIELDS = (
    Field("precision_view", "pview", kinds.Choice(*VIEWS), VIEWS[0]),
    # Without a number: drawn, as many as `precision_length`, by `precision_seed`.
    Field("precision_row", "prow", kinds.Numbers(MOST_VALUES, 1e6, fewest=0), DEFAULT_ROW),
    Field("precision_length", "plen", kinds.Integer(1, MOST_VALUES), 16),
    Field("precision_seed", "pseed", kinds.Integer(0, MOST_SEEDS), 1),
    Field("precision_offset", "poff", kinds.Number(0.0, 1e6), 256.0, deliberate=False),
    Field("precision_storage", "psto", kinds.Choice(*FORMATS), "float16"),
    Field("precision_accumulation", "pacc", kinds.Choice(*FORMATS), "float16"),
    Field("precision_bench_row", "pbrow", kinds.Choice(*BENCH_ROWS), BENCH_ROWS[0]),
)

DRAWN_BY = frozenset({"precision_length", "precision_seed"})


def fit(values: dict[str, Any], patch: Iterable[str]) -> None:
    """Another length or seed is asked for: the row is a drawn one from then on."""
    names = set(patch)
    if names & DRAWN_BY and "precision_row" not in names:
        values["precision_row"] = ()
