"""The three normalizers in plain Python: what the page must agree with, computed without NumPy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

Tensor = Sequence[Sequence[Sequence[float]]]


def standardized(group: Sequence[float], eps: float, centered: bool = True) -> list[float]:
    """(x − μ) / √(σ² + ε) with the biased variance, or x / √(mean x² + ε)."""
    mean = math.fsum(group) / len(group) if centered else 0.0
    square = math.fsum((value - mean) ** 2 for value in group) / len(group)
    return [(value - mean) / math.sqrt(square + eps) for value in group]


def over_features(x: Tensor, eps: float, centered: bool) -> list[list[list[float]]]:
    """LayerNorm or RMSNorm over d."""
    return [[standardized(row, eps, centered) for row in sequence] for sequence in x]


def over_tokens(x: Tensor, eps: float) -> list[list[list[float]]]:
    """BatchNorm in training: each feature over B and T."""
    tokens = [list(row) for sequence in x for row in sequence]
    columns = [standardized(column, eps) for column in zip(*tokens, strict=True)]
    rows = [list(row) for row in zip(*columns, strict=True)]
    length = len(x[0])
    return [rows[start : start + length] for start in range(0, len(rows), length)]


def expected(x: Any, eps: float) -> dict[str, Any]:
    """The output of each normalizer that the page compares at first."""
    return {
        "batch": over_tokens(x, eps),
        "layer": over_features(x, eps, centered=True),
        "rms": over_features(x, eps, centered=False),
    }
