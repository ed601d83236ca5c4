"""Rotary position embedding: pairs of coordinates turned by an angle that grows with position."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kernels.arguments import FloatArray, as_float_array, as_index, as_number
from kernels.statistics import Float64Array

ORDERS = ("norm_then_rope", "rope_then_norm")


class Rope(NamedTuple):
    """How queries and keys are rotated.

    Attributes:
        base: θ in the frequencies θ^(−2i/n); 10000 in the paper, 1e6 and more in long contexts.
        query_positions: one a query, of a shape that broadcasts to q's without the last axis;
            0, 1, 2, … when None. Angles are in radians: pair 0 turns by its position.
        key_positions: likewise, of the keys.
        rotary_dim: n, even: how many coordinates are rotated; the rest pass. All when None.
        interleaved: pairs are neighbours (0, 1), (2, 3), …, as in the paper and GPT-J; False pairs
            coordinate i with i + n/2, as GPT-NeoX, Llama and Gemma do.
        order: ``"norm_then_rope"`` (Qwen3, Gemma 3, OLMo 2) or ``"rope_then_norm"`` (HunYuan,
            Llama 4). A rotation keeps lengths, so that both are equal unless the gain differs from
            coordinate to coordinate.
    """

    base: float = 10000.0
    query_positions: npt.ArrayLike | None = None
    key_positions: npt.ArrayLike | None = None
    rotary_dim: int | None = None
    interleaved: bool = False
    order: str = "norm_then_rope"


def rope_angles(positions: npt.ArrayLike, rotary_dim: int, base: float = 10000.0) -> Float64Array:
    """φ = position·base^(−2i/n) for the pairs i = 0 … n/2 − 1.

    Args:
        positions: any shape.
        rotary_dim: n, even and positive.
        base: θ > 0.

    Returns:
        Radians, of the shape of ``positions`` and one more axis of n/2.

    Raises:
        TypeError: positions are not real numbers.
        ValueError: n is odd or not positive; the base is not positive.

    Source: Su et al. 2021, arXiv 2104.09864, eq. 15.
    """
    dim = as_index("rotary_dim", rotary_dim)
    if dim < 2 or dim % 2:
        raise ValueError(f"rotary_dim: expected an even, positive number, got {dim}")
    theta = as_number("base", base)
    if not theta > 0:
        raise ValueError(f"base: expected a positive number, got {theta}")
    where = as_float_array("positions", positions).astype(np.float64)
    frequencies = theta ** (-np.arange(0, dim, 2) / dim)
    angles: Float64Array = where[..., np.newaxis] * frequencies
    return angles


def rotate(x: npt.ArrayLike, angles: npt.ArrayLike, *, interleaved: bool = False) -> FloatArray:
    """(a, b) → (a·cos φ − b·sin φ, a·sin φ + b·cos φ) for each pair of coordinates.

    Args:
        x: shape ``[*, d]``.
        angles: φ in radians, shape ``[*, n/2]``, where its leading axes broadcast to those of x.
            The first n ≤ d coordinates are rotated, the rest pass.
        interleaved: see `Rope`.

    Returns:
        The rotated x, of its shape and type.

    Raises:
        TypeError: not real numbers.
        ValueError: n > d, or leading axes that do not broadcast to those of x.

    Source: Su et al. 2021, arXiv 2104.09864, eq. 34; ONNX RotaryEmbedding-23.
    """
    array = as_float_array("x", x)
    turn = as_float_array("angles", angles)
    if not array.ndim or not turn.ndim:
        raise ValueError("x, angles: expected at least one dimension each")
    half = turn.shape[-1]
    if 2 * half > array.shape[-1]:
        raise ValueError(
            f"angles: {half} pairs need at least {2 * half} coordinates, x has {array.shape[-1]}"
        )
    try:
        fits = np.broadcast_shapes(turn.shape[:-1], array.shape[:-1]) == array.shape[:-1]
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"angles: leading shape {turn.shape[:-1]} does not broadcast to that of x, "
            f"{array.shape[:-1]}"
        )
    first = slice(0, 2 * half, 2) if interleaved else slice(0, half)
    second = slice(1, 2 * half, 2) if interleaved else slice(half, 2 * half)
    cos, sin = np.cos(turn, dtype=np.float64), np.sin(turn, dtype=np.float64)
    rotated = array.astype(np.float64)
    a, b = rotated[..., first].copy(), rotated[..., second].copy()
    rotated[..., first] = a * cos - b * sin
    rotated[..., second] = a * sin + b * cos
    return rotated.astype(array.dtype, copy=False)
