"""What is measured in a block of the deep stack: sizes, directions, and how they go together."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.blocks import WIRES, Wires
from kernels.self_attention import AttentionSaved
from kernels.stack_settings import StackSettings

Array = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class LayerMeasures:
    """What one block showed on the way forward. Pairs are (attention, FFN).

    wire_rms follows `WIRES`, NaN for a wire the block has not. cross is mean(αx·u) at the sum,
    stream_cosine the same as a cosine. update_cosine compares each update with the one before it,
    layer_cosine the sum of both with the layer before's; NaN where nothing came before.
    """

    wire_rms: NDArray[np.float64]
    cross: tuple[float, float]
    stream_cosine: tuple[float, float]
    update_cosine: tuple[float, float]
    layer_cosine: float
    attention_entropy: float
    largest_score: float


def measure_layer(
    wires: Wires,
    saved: dict[str, Any],
    last_updates: tuple[Array, Array] | None,
    settings: StackSettings,
) -> LayerMeasures:
    """Measure a block from its wires, what it saved, and what the block before it added."""
    named = dict(wires)
    if last_updates is not None:
        named["last attention"], named["last ffn"] = last_updates
    inner = _MeanProducts(named)
    scale = settings.residual_scale
    attention, ffn = {"attention_branch": 1.0}, {"ffn_branch": 1.0}
    before_attention = {"input": scale}
    parallel = settings.placement.parallel
    before_ffn = {"input": scale, **attention} if parallel else {"middle": scale}
    last, last_ffn = {"last attention": 1.0, "last ffn": 1.0}, {"last ffn": 1.0}
    known = last_updates is not None
    kept: AttentionSaved = saved["attention"]
    return LayerMeasures(
        np.array([inner.rms(name) for name in WIRES]),
        (inner.product(before_attention, attention), inner.product(before_ffn, ffn)),
        (inner.cosine(before_attention, attention), inner.cosine(before_ffn, ffn)),
        (inner.cosine(last_ffn, attention) if known else np.nan, inner.cosine(attention, ffn)),
        inner.cosine(last, {**attention, **ffn}) if known else np.nan,
        kept.entropy,
        kept.largest_score,
    )


class _MeanProducts:
    """mean(a·b) of all pairs of named arrays, had from one product of matrices.

    Sums of arrays are given by their coefficients: {name: factor}. In float64, since float32 has
    no squares above 3.4e38.
    """

    def __init__(self, arrays: dict[str, Array]) -> None:
        distinct = {id(array): array for array in arrays.values()}
        rows = {key: row for row, key in enumerate(distinct)}
        self._rows = {name: rows[id(array)] for name, array in arrays.items()}
        flat = _side_by_side(distinct.values())
        self._products = (np.einsum("in,jn->ij", flat, flat) / flat.shape[1]).tolist()

    def rms(self, name: str) -> float:
        """Of one array; NaN where there is none of that name."""
        row = self._rows.get(name)
        return math.nan if row is None else math.sqrt(self._products[row][row])

    def product(self, a: dict[str, float], b: dict[str, float]) -> float:
        """mean(a·b)."""
        rows, products = self._rows, self._products
        return sum(
            products[rows[i]][rows[j]] * left * right
            for i, left in a.items()
            for j, right in b.items()
        )

    def cosine(self, a: dict[str, float], b: dict[str, float]) -> float:
        """mean(a·b)/(rms(a)·rms(b)); 0 where one of them is 0 throughout."""
        # Rounding may leave the square of a sum that cancels a little below zero.
        squares = max(self.product(a, a), 0.0) * max(self.product(b, b), 0.0)
        return self.product(a, b) / squares**0.5 if squares else 0.0


def rms(x: Array) -> float:
    """The root mean square of all entries."""
    # Squares in float64: float32 has none above 3.4e38, and gradients have squares below 1e-45.
    flat = x.ravel().astype(np.float64, copy=False)
    return float(np.sqrt(np.dot(flat, flat) / flat.size))


def wire_rms(wires: Wires) -> NDArray[np.float64]:
    """The RMS on each wire of `WIRES`; a wire that carries another's very array costs nothing."""
    distinct = {id(wire): wire for wire in wires.values()}
    flat = _side_by_side(distinct.values())
    known = np.sqrt(np.einsum("in,in->i", flat, flat) / flat.shape[1])
    rows = {key: row for row, key in enumerate(distinct)}
    return np.array([known[rows[id(wires[name])]] if name in wires else np.nan for name in WIRES])


def _side_by_side(arrays: Collection[Array]) -> NDArray[np.float64]:
    """Arrays of one size as rows, in float64: float32 has no squares above 3.4e38."""
    flat = np.concatenate([array.reshape(-1) for array in arrays], dtype=np.float64)
    return flat.reshape(len(arrays), -1)
