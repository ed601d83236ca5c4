"""The state of the Models scene: what is filtered, how it is sorted, which two are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.fields import kinds
from app.fields.field import Field
from kernels.model_table import MODELS

MOST_COMPARED = 2
SORTED_BY = (
    "name",
    "year",
    "norm",
    "placement",
    "final_norm",
    "eps",
    "gain",
    "bias",
    "qk_norm",
    "soft_cap",
    "final_soft_cap",
    "score_scale",
)


@dataclass(frozen=True)
class Text:
    """A short text, as typed."""

    longest: int

    def parse(self, name: str, value: Any) -> str:
        """A text that is not too long."""
        if not isinstance(value, str) or len(value) > self.longest:
            raise ValueError(f"{name}: expected a text of up to {self.longest} characters")
        return value

    def dump(self, value: str) -> str:
        """Itself."""
        return value

    encode = decode = dump


@dataclass(frozen=True)
class Systems:
    """Up to two systems of the table, by their keys."""

    def parse(self, name: str, value: Any) -> tuple[str, ...]:
        """Different keys of the table."""
        keys = tuple(value) if isinstance(value, (list, tuple)) else ()
        good = isinstance(value, (list, tuple)) and len(set(keys)) == len(keys) <= MOST_COMPARED
        if not good or any(key not in MODELS for key in keys):
            raise ValueError(
                f"{name}: expected up to {MOST_COMPARED} of {', '.join(MODELS)}, got {value!r}"
            )
        return keys

    def dump(self, value: tuple[str, ...]) -> list[str]:
        """A list."""
        return list(value)

    def encode(self, value: tuple[str, ...]) -> str:
        """gpt2,gemma3"""
        return ",".join(value)

    def decode(self, text: str) -> list[str]:
        """What `encode` wrote."""
        return [key for key in text.split(",") if key]


FIELDS = (
    Field("models_filter", "mf", Text(80), "", deliberate=False),
    Field("models_sort", "ms", kinds.Choice(*SORTED_BY), "year"),
    Field("models_order", "mo", kinds.Choice("up", "down"), "up"),
    Field("models_compare", "mc", Systems(), ("gpt2", "gemma3")),
)
