"""Sentences and words that several scenes use."""

from __future__ import annotations

STRINGS: dict[str, str] = {
    "eps": "ε",
    "normalizer": "Normalizer",
}
