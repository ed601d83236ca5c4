"""What is measured in a block of the deep stack: sizes, directions, and how they go together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.blocks import WIRES, Wires
from kernels.self_attention import AttentionSaved
from kernels.stack_settings import StackSettings

Array = NDArray[np.floating]


# Layers are measured together, since small arrays cost calls and not sums: as many as have so many
# bytes on their wires, in float64.
TOGETHER_BYTES = 2**19


def layers_together(settings: StackSettings) -> int:
    """How many layers of a stack are measured at a time."""
    layer_bytes = 8 * (len(WIRES) + 2) * settings.tokens * settings.width
    return max(1, TOGETHER_BYTES // layer_bytes)


@dataclass(frozen=True, slots=True)
class LayerMeasures:
    """What blocks showed on the way forward, a row a layer. Pairs are (attention, FFN).

    wire_rms [L, 11] follows `WIRES`, NaN for a wire the block has not. cross [L, 2] is mean(αx·u)
    at the sum, stream_cosine [L, 2] the same as a cosine. update_cosine [L, 2] compares each update
    with the one before it, layer_cosine [L] the sum of both with the layer before's; NaN where
    nothing came before. attention_entropy [L] and largest_score [L] are attention's own.
    """

    wire_rms: NDArray[np.float64]
    cross: NDArray[np.float64]
    stream_cosine: NDArray[np.float64]
    update_cosine: NDArray[np.float64]
    layer_cosine: NDArray[np.float64]
    attention_entropy: NDArray[np.float64]
    largest_score: NDArray[np.float64]

    def first(self, depth: int) -> LayerMeasures:
        """Of so many layers."""
        return LayerMeasures(*(getattr(self, one.name)[:depth] for one in fields(self)))


def joined(parts: Sequence[LayerMeasures]) -> LayerMeasures:
    """The layers of several, one after the other."""
    if len(parts) == 1:
        return parts[0]
    names = [one.name for one in fields(LayerMeasures)]
    return LayerMeasures(*(np.concatenate([getattr(part, n) for part in parts]) for n in names))


def measure_layers(
    blocks: Sequence[Wires],
    attention: Sequence[AttentionSaved],
    last_updates: tuple[Array, Array] | None,
    settings: StackSettings,
) -> LayerMeasures:
    """Measure neighbouring blocks of a stack from their wires and what their attention kept.

    last_updates are the updates (attention, FFN) of the block before the first, None where there
    is none.
    """
    updates = [(wires["attention_branch"], wires["ffn_branch"]) for wires in blocks]
    known = last_updates is not None
    before = [last_updates or tuple(map(np.zeros_like, updates[0])), *updates[:-1]]
    named = [
        {**wires, "last attention": last, "last ffn": last_ffn}
        for wires, (last, last_ffn) in zip(blocks, before, strict=True)
    ]
    inner = _MeanProducts(named, known=(*blocks[0], "last attention", "last ffn"))
    scale = settings.residual_scale
    of_attention, of_ffn = {"attention_branch": 1.0}, {"ffn_branch": 1.0}
    of_both = {**of_attention, **of_ffn}
    into_attention = {"input": scale}
    parallel = settings.placement.parallel
    into_ffn = {"input": scale, **of_attention} if parallel else {"middle": scale}
    pairs = ((into_attention, of_attention), (into_ffn, of_ffn))
    last, last_ffn = {"last attention": 1.0, "last ffn": 1.0}, {"last ffn": 1.0}
    attention_cosine, layer_cosine = (
        inner.cosine(last_ffn, of_attention),
        inner.cosine(last, of_both),
    )
    if not known:
        attention_cosine[0] = layer_cosine[0] = np.nan
    return LayerMeasures(
        inner.rms(WIRES),
        np.column_stack([inner.product(*pair) for pair in pairs]),
        np.column_stack([inner.cosine(*pair) for pair in pairs]),
        np.column_stack([attention_cosine, inner.cosine(of_attention, of_ffn)]),
        layer_cosine,
        np.array([saved.entropy for saved in attention]),
        np.array([saved.largest_score for saved in attention]),
    )


class _MeanProducts:
    """mean(a·b) of all pairs of a layer's arrays, for each layer [L], from one product of matrices.

    Sums of arrays are given by their coefficients: {name: factor}.
    """

    def __init__(self, layers: Sequence[Wires], known: tuple[str, ...]) -> None:
        flat, self._rows = _side_by_side(layers, known)
        self._products = np.einsum("lin,ljn->ijl", flat, flat) / flat.shape[-1]
        self._squares: dict[tuple[str, ...], NDArray[np.float64]] = {}  # each sum has one factor

    def rms(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Of each named array [L, names]; NaN where there is none of a name."""
        return _by_name(np.sqrt(np.einsum("iil->li", self._products)), self._rows, names)

    def product(self, a: dict[str, float], b: dict[str, float]) -> NDArray[np.float64]:
        """mean(a·b) [L]."""
        rows, products = self._rows, self._products
        total: Any = 0.0
        for i, left in a.items():
            for j, right in b.items():
                total = total + products[rows[i], rows[j]] * (left * right)
        return total

    def square(self, a: dict[str, float]) -> NDArray[np.float64]:
        """mean(a²) [L]."""
        key = tuple(a)
        if key not in self._squares:
            # Rounding may leave the square of a sum that cancels a little below zero.
            self._squares[key] = np.maximum(self.product(a, a), 0.0)
        return self._squares[key]

    def cosine(self, a: dict[str, float], b: dict[str, float]) -> NDArray[np.float64]:
        """mean(a·b)/(rms(a)·rms(b)) [L]; 0 where one of them is 0 throughout."""
        squares = self.square(a) * self.square(b)
        none = np.zeros_like(squares)
        return np.divide(self.product(a, b), np.sqrt(squares), out=none, where=squares != 0)


def rms(x: Array) -> float:
    """The root mean square of all entries."""
    # Squares in float64: float32 has none above 3.4e38, and gradients have squares below 1e-45.
    flat = x.ravel().astype(np.float64, copy=False)
    return float(np.sqrt(np.dot(flat, flat) / flat.size))


def wire_rms(layers: Sequence[Wires]) -> NDArray[np.float64]:
    """The RMS on each wire of `WIRES` [L, 11], in blocks whose wires share the same arrays.

    A wire that carries another's very array costs nothing; NaN for one that is not there.
    """
    flat, rows = _side_by_side(layers, tuple(layers[0]))
    return _by_name(np.sqrt(np.einsum("lin,lin->li", flat, flat) / flat.shape[-1]), rows, WIRES)


def _by_name(
    values: NDArray[np.float64], rows: dict[str, int], names: Sequence[str]
) -> NDArray[np.float64]:
    """Columns of values [L, rows] by name [L, names]; NaN for an unknown name."""
    padded = np.append(values, np.full((len(values), 1), np.nan), axis=1)
    return padded[:, [rows.get(name, -1) for name in names]]


def _side_by_side(
    layers: Sequence[Wires], names: Sequence[str]
) -> tuple[NDArray[np.float64], dict[str, int]]:
    """The named arrays of each layer as rows [L, rows, n], and which row has which name.

    In float64: float32 has no squares above 3.4e38. Names of one array share its row: the first
    layer says which.
    """
    found: dict[int, int] = {}
    rows = {name: found.setdefault(id(layers[0][name]), len(found)) for name in names}
    firsts = [next(name for name in names if rows[name] == row) for row in range(len(found))]
    flat = np.concatenate(
        [layer[name].reshape(-1) for layer in layers for name in firsts], dtype=np.float64
    )
    return flat.reshape(len(layers), len(firsts), -1), rows
