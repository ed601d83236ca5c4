"""The one set of weights that every placement shares.

A layer's weights follow from (seed, width, layer) alone: not from the placement, the norm, the
heads or the depth. So a deeper stack keeps its first layers, and a change of placement redraws
nothing. They are drawn at unit gain: with a unit-RMS input, every projection's output has unit
expected mean square. Gains (g, β, 1/√(2L)) are factors the stack applies afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FFN_EXPANSION = 4  # hidden features of the FFN per feature of the stream: Vaswani et al. 2017, 3.3

# E[GELU(z)²] for z ~ N(0, 1), by Gauss–Hermite quadrature with 200 nodes: what the second FFN
# matrix is divided by (its square root) so that the FFN's output has unit mean square.
GELU_MEAN_SQUARE = 0.42519371103309905

VOCABULARY_STREAM = 2**31  # no layer has this number, so these draws meet no layer's


WEIGHT_NAMES = ("query_key_value", "output", "hidden", "down")


@dataclass(frozen=True, slots=True)
class LayerWeights:
    """One block's matrices, each [features in, features out], float32, no biases.

    query_key_value [d, 3d] holds W_Q, W_K and W_V side by side, so that one product serves all
    three; output [d, d]; hidden [d, 4d]; down [4d, d].
    """

    query_key_value: NDArray[np.floating]
    output: NDArray[np.floating]
    hidden: NDArray[np.floating]
    down: NDArray[np.floating]

    def astype(self, dtype: type[np.floating] | np.dtype) -> LayerWeights:
        """The same numbers in another floating-point type."""
        return LayerWeights(
            self.query_key_value.astype(dtype),
            self.output.astype(dtype),
            self.hidden.astype(dtype),
            self.down.astype(dtype),
        )


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What stands at both ends of the stack.

    embedding [V, d] has unit-variance entries; unembedding [d, V] has variance 1/d, so a unit-RMS
    stream gives logits of unit variance; tokens [T] and targets [T] are the sequence read and the
    tokens to predict, targets[t] = tokens[t + 1].
    """

    embedding: NDArray[np.floating]
    unembedding: NDArray[np.floating]
    tokens: NDArray[np.integer]
    targets: NDArray[np.integer]


def generator(*key: int) -> np.random.Generator:
    """A stream of random numbers of its own for each key.

    SFC64, since it draws float32 normals in WebAssembly half as fast again as the default PCG64,
    whose 128-bit products have no instruction there.
    """
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(key)))


def draw_layer(seed: int, width: int, layer: int) -> LayerWeights:
    """Draw the matrices of block `layer` (from 0): independent normals, variance 1/(features in).

    `down` has variance 1/(4·d·E[GELU(z)²]): its input is not a unit normal but GELU of one.
    """
    hidden_width = FFN_EXPANSION * width
    shapes = ((width, 3 * width), (width, width), (width, hidden_width), (hidden_width, width))
    sizes = [rows * columns for rows, columns in shapes]
    draws = generator(seed, width, layer).standard_normal(sum(sizes), dtype=np.float32)
    split = len(draws) - sizes[-1]
    draws[:split] *= np.float32(width**-0.5)
    draws[split:] *= np.float32((hidden_width * GELU_MEAN_SQUARE) ** -0.5)
    ends = np.cumsum(sizes)
    matrices = [
        draws[end - size : end].reshape(shape)
        for end, size, shape in zip(ends, sizes, shapes, strict=True)
    ]
    return LayerWeights(*matrices)


def draw_vocabulary(seed: int, width: int, tokens: int, vocabulary: int) -> Vocabulary:
    """Draw the embedding, the head and a text of `tokens` tokens with the token after each.

    A longer text begins with the shorter one.
    """
    embedding = generator(seed, width, VOCABULARY_STREAM).standard_normal(
        (vocabulary, width), dtype=np.float32
    )
    unembedding = generator(seed, width, VOCABULARY_STREAM + 1).standard_normal(
        (width, vocabulary), dtype=np.float32
    )
    unembedding *= np.float32(width**-0.5)
    text = generator(seed, VOCABULARY_STREAM + 2).integers(0, vocabulary, tokens + 1)
    return Vocabulary(embedding, unembedding, text[:-1], text[1:])


class WeightStore:
    """The layers drawn so far, up to a limit of memory.

    Layers are kept first come, first kept: a forward pass and the backward pass after it visit
    them in opposite order, and the least recently used would be just the one asked for next.
    What does not fit is drawn again, with the same numbers.
    """

    def __init__(self, limit_bytes: int = 512 * 2**20) -> None:
        self.limit_bytes = limit_bytes
        self._layers: dict[tuple[int, int, int], LayerWeights] = {}
        self._held_bytes = 0

    def layer(self, seed: int, width: int, layer: int) -> LayerWeights:
        """The weights of one block, from memory or drawn."""
        key = (seed, width, layer)
        held = self._layers.get(key)
        if held is not None:
            return held
        drawn = draw_layer(seed, width, layer)
        size = 4 * (4 + 2 * FFN_EXPANSION) * width * width
        if self._held_bytes + size > self.limit_bytes:
            self._forget_others(seed, width)
        if self._held_bytes + size <= self.limit_bytes:
            self._layers[key] = drawn
            self._held_bytes += size
        return drawn

    def _forget_others(self, seed: int, width: int) -> None:
        for key in [key for key in self._layers if key[:2] != (seed, width)]:
            del self._layers[key]
        self._held_bytes = sum(
            4 * (4 + 2 * FFN_EXPANSION) * key[1] * key[1] for key in self._layers
        )
