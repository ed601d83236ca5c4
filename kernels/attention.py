"""Attention scores with everything that keeps them in bounds: scale, QK-norm, RoPE, soft-cap."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kernels.arguments import FloatArray, as_eps, as_float_array, as_number, as_parameter
from kernels.formula import apply_formula
from kernels.rope import ORDERS, Rope, rope_angles, rotate
from kernels.soft_cap import as_cap
from kernels.soft_cap import soft_cap as cap_softly
from kernels.softmax import softmax
from kernels.statistics import Float64Array


class QKNorm(NamedTuple):
    """One way to normalize queries and keys.

    Attributes:
        centered: whether the mean is subtracted.
        unit_length: divide by the length √(Σx² + ε), instead of by √(E[x²] + ε).
    """

    centered: bool
    unit_length: bool


QK_NORMS: dict[str, QKNorm] = {
    "rms": QKNorm(centered=False, unit_length=False),  # Qwen3, Gemma 3, OLMo 2, Llama 4
    "layer": QKNorm(centered=True, unit_length=False),  # ViT-22B, arXiv 2302.05442
    "l2": QKNorm(centered=False, unit_length=True),  # Henry et al. 2020, arXiv 2010.04245
}


def attention_scores(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    *,
    qk_norm: str | None = None,
    weight_q: npt.ArrayLike | None = None,
    weight_k: npt.ArrayLike | None = None,
    eps: float = 1e-6,
    scale: float | None = None,
    soft_cap: float | None = None,
    rope: Rope | None = None,
    gain_offset: float = 0.0,
    over_all_heads: bool = False,
) -> FloatArray:
    """s = cap(scale·q̂·k̂ᵀ), before any mask.

    With RMS QK-norm and unit gain |q̂| = |k̂| = √d, hence |s| ≤ scale·d, which is √d with the usual
    scale. RoPE keeps lengths and so the bound; a gain that differs by coordinate does not.

    Args:
        q: queries, ``[*, T, d]``, or ``[*, heads, T, d]``.
        k: keys, ``[*, S, d]``. Of its heads each serves a group of neighbouring query heads.
        qk_norm: ``"rms"``, ``"layer"``, ``"l2"`` or None.
        weight_q: gain of q, ``[d]``, or ``[heads, d]`` over all heads; 1 when not given.
        weight_k: gain of k, likewise.
        eps: ε ≥ 0 of the norm, in the units of q².
        scale: factor of q·k; 1/√d when None. (Gemma 3 takes 1/√query_pre_attn_scalar.)
        soft_cap: c of c·tanh(s/c). None is off, and 0 too, as in ONNX and FlashAttention. It comes
            before the mask: after it, c·tanh(−∞) = −c would leak to masked keys.
        rope: how to rotate, and whether before or after the norm; None for no rotation.
        gain_offset: added to both gains; Gemma stores γ − 1 and passes 1.
        over_all_heads: one statistic for all heads of a token, as in OLMo 2, instead of one a head.

    Returns:
        Scores ``[*, T, S]`` in the wider type of q and k.

    Raises:
        TypeError: not real numbers.
        ValueError: unknown ``qk_norm``; q and k differ in d; the query heads are not divisible by
            the key heads; a gain of another shape, or one without a norm; a bad ε, scale, cap.

    Source: Vaswani et al. 2017, arXiv 1706.03762, eq. 1; order of the steps as in ONNX Attention-24
    and the models of transformers 5.24.
    """
    queries, keys = as_float_array("q", q), as_float_array("k", k)
    q_hat, k_hat = attention_operands(
        queries,
        keys,
        qk_norm=qk_norm,
        weight_q=weight_q,
        weight_k=weight_k,
        eps=eps,
        rope=rope,
        gain_offset=gain_offset,
        over_all_heads=over_all_heads,
    )
    factor = 1 / math.sqrt(queries.shape[-1]) if scale is None else as_number("scale", scale)
    if k_hat.ndim > 2 and q_hat.ndim > 2 and k_hat.shape[-3] != q_hat.shape[-3]:
        k_hat = np.repeat(k_hat, q_hat.shape[-3] // k_hat.shape[-3], axis=-3)
    with np.errstate(invalid="ignore", over="ignore"):
        scores = np.matmul(q_hat, np.swapaxes(k_hat, -1, -2)) * factor
    if soft_cap:
        scores = cap_softly(scores, as_cap(soft_cap, "soft_cap"))
    return scores.astype(np.result_type(queries, keys), copy=False)


def attention_operands(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    *,
    qk_norm: str | None = None,
    weight_q: npt.ArrayLike | None = None,
    weight_k: npt.ArrayLike | None = None,
    eps: float = 1e-6,
    rope: Rope | None = None,
    gain_offset: float = 0.0,
    over_all_heads: bool = False,
) -> tuple[Float64Array, Float64Array]:
    """q̂ and k̂ as `attention_scores` multiplies them: in float64, of the shapes of q and k.

    Arguments and errors as there.
    """
    queries, keys = as_float_array("q", q), as_float_array("k", k)
    _check_heads(queries, keys)
    norm = (qk_norm, as_eps(eps), as_number("gain_offset", gain_offset), over_all_heads)
    query_positions = None if rope is None else rope.query_positions
    key_positions = None if rope is None else rope.key_positions
    return (
        _prepared("q", queries, weight_q, *norm, rope, query_positions),
        _prepared("k", keys, weight_k, *norm, rope, key_positions),
    )


def normalized_heads(
    x: npt.ArrayLike,
    *,
    qk_norm: str | None = None,
    weight: npt.ArrayLike | None = None,
    eps: float = 1e-6,
    gain_offset: float = 0.0,
    over_all_heads: bool = False,
    rope: Rope | None = None,
    positions: npt.ArrayLike | None = None,
) -> FloatArray:
    """q̂ or k̂: queries or keys as `attention_scores` multiplies them, normalized and rotated.

    Args:
        x: ``[*, T, d]``, or ``[*, heads, T, d]``.
        qk_norm: as in `attention_scores`, and so are the other arguments.
        positions: of the tokens; 0, 1, 2, … when None. (Those in ``rope`` are not looked at.)

    Returns:
        x̂ of the shape and type of x.

    Raises:
        TypeError: not real numbers.
        ValueError: as `attention_scores`.
    """
    array = as_float_array("x", x)
    if array.ndim < 2:
        raise ValueError(f"x: expected shape [*, T, d], got {array.shape}")
    offset = as_number("gain_offset", gain_offset)
    prepared = _prepared(
        "x", array, weight, qk_norm, as_eps(eps), offset, over_all_heads, rope, positions
    )
    return prepared.astype(array.dtype, copy=False)


def attention_probabilities(scores: npt.ArrayLike, mask: npt.ArrayLike | None = None) -> FloatArray:
    """Softmax over the last axis of what a mask leaves; a fully masked row is 0, not NaN.

    Args:
        scores: ``[*, T, S]``, soft-capped already where there is a soft-cap.
        mask: of a shape that broadcasts to that of the scores. Booleans: true where a query may
            look. Numbers: added to the scores, −Inf to mask.

    Returns:
        Probabilities of the shape and type of the scores. What is masked has probability 0, even
        where its score is NaN.

    Raises:
        TypeError: not real numbers.
        ValueError: a mask that does not broadcast to the scores.

    Source: torch ≥ 2.5 ``scaled_dot_product_attention`` and ONNX Attention-24 (a row without any
    key gives 0; plain softmax of a row of −Inf is NaN).
    """
    array = as_float_array("scores", scores)
    if not array.ndim:
        raise ValueError("scores: expected at least one dimension, got a scalar")
    masked = array if mask is None else _masked(array, mask)
    probabilities = softmax(masked)
    nothing_left = np.all(np.isneginf(masked), axis=-1, keepdims=True)
    return np.where(nothing_left, array.dtype.type(0), probabilities).astype(
        array.dtype, copy=False
    )


def _masked(scores: FloatArray, mask: npt.ArrayLike) -> Float64Array:
    """The scores in float64 with −Inf where the mask says so."""
    given = np.asarray(mask)
    added = given if given.dtype == bool else as_float_array("mask", mask)
    try:
        fits = np.broadcast_shapes(added.shape, scores.shape) == scores.shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"mask: expected a shape that broadcasts to that of the scores, {scores.shape}, got "
            f"{added.shape}"
        )
    allowed = added if added.dtype == bool else ~np.isneginf(added)
    shifted = scores.astype(np.float64)
    if added.dtype != bool:
        shifted += np.where(allowed, added, 0.0)
    return np.where(allowed, shifted, -np.inf)


def _prepared(
    name: str,
    x: FloatArray,
    weight: npt.ArrayLike | None,
    qk_norm: str | None,
    eps: float,
    gain_offset: float,
    over_all_heads: bool,
    rope: Rope | None,
    positions: npt.ArrayLike | None,
) -> Float64Array:
    """x normalized and rotated, in the order ``rope`` asks for, in float64."""
    if rope is not None and rope.order not in ORDERS:
        raise ValueError(f"rope.order: expected one of {ORDERS}, got {rope.order!r}")
    heads = x.astype(np.float64)
    if rope is not None and rope.order == "rope_then_norm":
        heads = _rotated(heads, rope, positions)
    heads = _normalized(name, heads, weight, qk_norm, eps, gain_offset, over_all_heads)
    if rope is not None and rope.order == "norm_then_rope":
        heads = _rotated(heads, rope, positions)
    return heads


def _normalized(
    name: str,
    heads: Float64Array,
    weight: npt.ArrayLike | None,
    qk_norm: str | None,
    eps: float,
    gain_offset: float,
    over_all_heads: bool,
) -> Float64Array:
    """QK-norm: one statistic a head and token, or one a token over all its heads."""
    parameter = "weight" if name == "x" else f"weight_{name}"
    if qk_norm is None:
        if weight is not None:
            raise ValueError(f"{parameter}: a gain needs a norm, but qk_norm is None")
        return heads
    if qk_norm not in QK_NORMS:
        known = ", ".join(map(repr, QK_NORMS))
        raise ValueError(f"qk_norm: expected one of {known} or None, got {qk_norm!r}")
    if over_all_heads and heads.ndim < 3:
        raise ValueError(f"{name}: expected shape [*, heads, T, d], got {heads.shape}")
    row = QK_NORMS[qk_norm]
    axes = (heads.ndim - 3, heads.ndim - 1) if over_all_heads else (heads.ndim - 1,)
    sizes = tuple(heads.shape[axis] for axis in axes)
    given = as_parameter(parameter, weight, sizes)
    gain = np.ones(sizes) if given is None else given + gain_offset
    if row.unit_length:
        # x/√(Σx² + ε) = x/√(E[x²] + ε/n)/√n
        size = max(math.prod(sizes), 1)
        eps, gain = eps / size, gain / math.sqrt(size)
    along = tuple(heads.shape[i] if i in axes else 1 for i in range(heads.ndim))
    normalized = apply_formula(heads, axes, row.centered, eps, gain.reshape(along))
    return normalized.output.astype(np.float64, copy=False)


def _rotated(heads: Float64Array, rope: Rope, positions: npt.ArrayLike | None) -> Float64Array:
    """The heads turned by their positions."""
    at = np.arange(heads.shape[-2]) if positions is None else positions
    dim = heads.shape[-1] if rope.rotary_dim is None else rope.rotary_dim
    angles = rope_angles(at, dim, rope.base)
    turned = rotate(heads, angles, interleaved=rope.interleaved)
    return turned.astype(np.float64, copy=False)


def _check_heads(q: FloatArray, k: FloatArray) -> None:
    """Shapes that can be multiplied, after repeating the heads of k where it has fewer."""
    for name, array in (("q", q), ("k", k)):
        if array.ndim < 2 or not array.shape[-1]:
            raise ValueError(f"{name}: expected shape [*, T, d] with d ≥ 1, got {array.shape}")
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"k: expected the head dimension of q, {q.shape[-1]}, got {k.shape[-1]}")
    if q.ndim > 2 and k.ndim > 2 and q.shape[-3] != k.shape[-3]:
        query_heads, key_heads = q.shape[-3], k.shape[-3]
        if not key_heads or query_heads % key_heads:
            raise ValueError(
                f"k: the number of query heads must be divisible by the number of key heads, but "
                f"{query_heads} query heads are not divisible by {key_heads} key heads"
            )
    if q.ndim > 3 or k.ndim > 3:
        try:
            np.broadcast_shapes(q.shape[:-3], k.shape[:-3])
        except ValueError:
            raise ValueError(
                f"k: leading shape {k.shape[:-3]} does not fit that of q, {q.shape[:-3]}"
            ) from None
