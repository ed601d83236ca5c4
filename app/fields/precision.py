"""The state of the Precision scene."""

from __future__ import annotations

from app.fields import kinds
from app.fields.field import Field
from kernels.precision import FORMATS

DEFAULT_ROW = (-1.5, -0.5, 0.5, 1.5)

FIELDS = (
    Field("precision_row", "prow", kinds.Numbers(64, 1e6), DEFAULT_ROW),
    Field("precision_offset", "poff", kinds.Number(0.0, 1e6), 256.0, deliberate=False),
    Field("precision_storage", "psto", kinds.Choice(*FORMATS), "float16"),
    Field("precision_accumulation", "pacc", kinds.Choice(*FORMATS), "float16"),
)
