"""From q and k to probabilities and back, every step kept: what scale does to a softmax.

One query looks at its keys. Scores follow from lengths and angles; the softmax turns gaps between
scores into ratios; and the gradient back through it is p(1 − p), gone once p is 0 or 1. Each remedy
(√d_k, QK-norm, soft-cap, temperature) acts at one step of this chain, so all steps are shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from kernels.arguments import as_float_array, as_index, as_number
from kernels.attention import attention_operands, attention_probabilities, attention_scores
from kernels.rope import Rope
from kernels.soft_cap import as_cap, soft_cap, soft_cap_backward
from kernels.softmax import as_temperature, entropy

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """What stands between projections and probabilities.

    query_scale, key_scale  factors on W_Q and W_K, hence on q and k
    scale         factor on q·k; None is 1/√d_k, and 1 switches √d_k off
    qk_norm       None, "rms", "layer" or "l2" (`kernels.attention.QK_NORMS`)
    weight_q, weight_k      its gains [d]; gain_offset is added to both (Gemma: 1)
    eps           ε of the QK-norm
    rope          rotation, and whether before or after the norm (`kernels.rope.Rope`)
    over_all_heads          one statistic over all heads of a token (q, k of [heads, T, d])
    soft_cap      c of c·tanh(s/c); None is off
    cap_after_mask          the wrong order, which leaks probability to masked keys
    temperature   T > 0
    """

    query_scale: float = 1.0
    key_scale: float = 1.0
    scale: float | None = None
    qk_norm: str | None = None
    weight_q: Any = None
    weight_k: Any = None
    gain_offset: float = 0.0
    eps: float = 1e-6
    rope: Rope | None = None
    over_all_heads: bool = False
    soft_cap: float | None = None
    cap_after_mask: bool = False
    temperature: float = 1.0


@dataclass(frozen=True, slots=True)
class SoftmaxChain:
    """Every step of the chain; T queries, S keys. Leading axes are those of q.

    query [T, d], keys [S, d]     after the projections' scale
    query_hat, keys_hat           after QK-norm and RoPE
    scores [T, S]                 scale · q̂·k̂
    capped [T, S]                 after the soft-cap, or the scores themselves
    masked [T, S]                 what the softmax reads, −Inf where a key may not be seen
    probabilities [T, S]
    entropy [T]                   nats
    steepness [T, S]              how much what the softmax reads moves with each score
    leaked [T]                    probability on masked keys: 0 unless the cap came after the mask
    score_bound                   what |score| can not exceed for these gains, or None
    """

    settings: ScoreSettings
    query: Array
    keys: Array
    query_hat: Array
    keys_hat: Array
    scores: Array
    capped: Array
    masked: Array
    probabilities: Array
    entropy: Array
    steepness: Array
    leaked: Array
    score_bound: float | None

    @property
    def jacobian(self) -> Array:
        """∂pᵢ/∂sⱼ [T, S, S] by the scores before cap and temperature; computed when asked for."""
        return _jacobian(self.probabilities) * self.steepness[..., None, :]

    @property
    def own_slope(self) -> Array:
        """∂pᵢ/∂sᵢ [T, S], the diagonal of the Jacobian: p(1 − p) without cap and temperature."""
        return np.diagonal(self.jacobian, axis1=-2, axis2=-1)

    def gradient(self, by_probability: npt.ArrayLike) -> Array:
        """∂L/∂s [T, S] from ∂L/∂p [T, S]: Jacobianᵀ · g."""
        given = as_float_array("by_probability", by_probability).astype(np.float64)
        return np.einsum("...ij,...i->...j", self.jacobian, given)


def softmax_chain(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    settings: ScoreSettings | None = None,
    *,
    mask: npt.ArrayLike | None = None,
) -> SoftmaxChain:
    """Run q against k and keep every step.

    q is one query [d], or [*, T, d]; k is [*, S, d], with as many heads as q or a divisor of them.
    mask is boolean and broadcasts to [*, T, S]: true where a query may look. All in float64. For
    one query given as [d] the results have no T axis.

    Raises ValueError for shapes that do not fit and settings out of range (see `attention_scores`).
    """
    asked = ScoreSettings() if settings is None else settings
    given = as_float_array("q", q).astype(np.float64)
    single = given.ndim == 1
    steps = _scores_of(given[None] if single else given, as_float_array("k", k), asked)
    chain = _from_scores(asked, *steps, mask)
    return _without_query_axis(chain) if single else chain


def _scores_of(
    q: npt.NDArray[np.floating], k: npt.NDArray[np.floating], asked: ScoreSettings
) -> tuple[Array, Array, Array, Array, Array]:
    """q, k, q̂, k̂ and the scores, from q [*, T, d] and k [*, S, d] before their scales."""
    query = q.astype(np.float64, copy=False) * _factor("query_scale", asked.query_scale)
    keys = k.astype(np.float64, copy=False) * _factor("key_scale", asked.key_scale)
    query_hat, keys_hat = attention_operands(
        query,
        keys,
        qk_norm=asked.qk_norm,
        weight_q=asked.weight_q,
        weight_k=asked.weight_k,
        eps=asked.eps,
        rope=asked.rope,
        gain_offset=asked.gain_offset,
        over_all_heads=asked.over_all_heads,
    )
    scores = attention_scores(query_hat, keys_hat, scale=asked.scale)
    return query, keys, query_hat, keys_hat, scores.astype(np.float64, copy=False)


def after_scores(
    chain: SoftmaxChain, settings: ScoreSettings, *, mask: npt.ArrayLike | None = None
) -> SoftmaxChain:
    """What `softmax_chain` gives for the same q and k, with the scores of `chain` used again.

    Soft-cap, its order, temperature and mask may be others: they come after the scores.

    Raises:
        ValueError: ``settings`` differ in something that comes before; a bad cap or temperature.
    """
    name = _other_scores(chain.settings, settings)
    if name:
        old, new = getattr(chain.settings, name), getattr(settings, name)
        raise ValueError(f"settings: {name} changes the scores: expected {old!r}, got {new!r}")
    operands = chain.query, chain.keys, chain.query_hat, chain.keys_hat
    return _from_scores(settings, *operands, chain.scores, mask)


# Settings on which the scores depend.
_BEFORE_SCORES = (
    "query_scale",
    "key_scale",
    "scale",
    "qk_norm",
    "weight_q",
    "weight_k",
    "gain_offset",
    "eps",
    "rope",
    "over_all_heads",
)


def _other_scores(one: ScoreSettings, other: ScoreSettings) -> str:
    """The first setting for which the scores of two differ; "" where they are the same."""
    for name in _BEFORE_SCORES:
        a, b = getattr(one, name), getattr(other, name)
        if a is not b and not np.array_equal(a, b):
            return name
    return ""


def _from_scores(
    asked: ScoreSettings,
    query: Array,
    keys: Array,
    query_hat: Array,
    keys_hat: Array,
    scores: Array,
    mask: npt.ArrayLike | None,
) -> SoftmaxChain:
    """The chain from the scores on."""
    visible = np.ones(scores.shape, bool) if mask is None else _visible(mask, scores.shape)
    capped, masked = _cap_and_mask(scores, visible, asked)
    temperature = as_temperature(asked.temperature)
    probabilities = attention_probabilities(masked / temperature).astype(np.float64, copy=False)
    return SoftmaxChain(
        settings=asked,
        query=query,
        keys=keys,
        query_hat=query_hat,
        keys_hat=keys_hat,
        scores=scores,
        capped=capped,
        masked=masked,
        probabilities=probabilities,
        entropy=np.asarray(entropy(probabilities), np.float64),
        steepness=_steepness(scores, visible, asked),
        leaked=np.where(visible, 0.0, probabilities).sum(axis=-1),
        score_bound=score_bound(asked, query.shape[-1], _heads(query), _heads(keys)),
    )


def score_bound(
    settings: ScoreSettings, head_dim: int, heads: int = 1, key_heads: int | None = None
) -> float | None:
    """What |score| can not exceed under these settings, or None where nothing bounds it.

    Args:
        settings: norm, gains, scale and soft-cap are read.
        head_dim: d, the features of a head.
        heads: the heads of q, which matter with ``over_all_heads`` only.
        key_heads: those of k; as many as q has when not given.

    After RMS or Layer QK-norm |q̂| ≤ max|γ|·√d, after L2 max|γ|; so |s| ≤ scale·|q̂|·|k̂|, which
    with unit gain and scale 1/√d is √d: 11.31 for d = 128. One statistic over all H heads fixes
    the length of all of them together, so that one alone may have |q̂| = max|γ|·√(H·d), where the
    others are 0: then |s| ≤ H·√d. After L2 it stays max|γ|. A soft-cap bounds by c.

    Raises:
        ValueError: ``head_dim`` or a number of heads below 1, a bad soft-cap.
    """
    key_heads = heads if key_heads is None else key_heads
    for name, count in (("head_dim", head_dim), ("heads", heads), ("key_heads", key_heads)):
        if as_index(name, count) < 1:
            raise ValueError(f"{name}: expected at least 1, got {count}")
    scale = 1.0 / math.sqrt(head_dim) if settings.scale is None else abs(settings.scale)
    bounds = [] if settings.soft_cap is None else [as_cap(settings.soft_cap, "soft_cap")]
    if settings.qk_norm is not None:
        longest = 1.0 if settings.qk_norm == "l2" else float(head_dim)
        if settings.over_all_heads and settings.qk_norm != "l2":
            longest *= math.sqrt(heads * key_heads)
        for weight in (settings.weight_q, settings.weight_k):
            gain = 1.0 if weight is None else np.asarray(weight, float) + settings.gain_offset
            longest *= float(np.abs(gain).max())
        bounds.append(scale * longest)
    return min(bounds) if bounds else None


@dataclass(frozen=True, slots=True)
class ScaleSweep:
    """The chain along a range of scales n: largest_score, entropy, slope, each [n, *, T].

    slope is the largest ∂pᵢ/∂sᵢ of a row, taken before cap and temperature.
    """

    scales: Array
    largest_score: Array
    entropy: Array
    slope: Array


def sweep_scale(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    scales: npt.ArrayLike,
    settings: ScoreSettings | None = None,
    *,
    mask: npt.ArrayLike | None = None,
) -> ScaleSweep:
    """Multiply W_Q and W_K by each of `scales` and see logits, entropy and gradient follow.

    q, k, settings and mask as in `softmax_chain`; scales is [n]. largest_score is what the softmax
    reads: after the soft-cap, of keys that may be seen.
    """
    (swept,) = sweep_scales(q, k, scales, [settings or ScoreSettings()], mask=mask)
    return swept


def sweep_scales(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    scales: npt.ArrayLike,
    settings: Sequence[ScoreSettings],
    *,
    mask: npt.ArrayLike | None = None,
) -> list[ScaleSweep]:
    """`sweep_scale` under each of several settings; what is the same for some is computed once."""
    factors = np.atleast_1d(as_float_array("scales", scales).astype(np.float64))
    query, keys = (np.asarray(x, np.float64) for x in (q, k))
    single = query.ndim == 1
    query = query[None] if single else query
    if any(asked.over_all_heads for asked in settings) and min(query.ndim, keys.ndim) < 3:
        # With the scales before them, rows would pass for heads.
        raise ValueError("q, k: over_all_heads needs shape [*, heads, T, d]")
    by_scale = factors.reshape(-1, *[1] * max(query.ndim, keys.ndim))
    query, keys = by_scale * query, by_scale * keys
    known: list[tuple[ScoreSettings, Array]] = []
    read, steepness = [], []
    for asked in settings:
        scores = next((held for one, held in known if not _other_scores(one, asked)), None)
        if scores is None:
            scores = _scores_of(query, keys, asked)[-1]
            known.append((asked, scores))
        visible = np.ones(scores.shape, bool) if mask is None else _visible(mask, scores.shape)
        read.append(_cap_and_mask(scores, visible, asked)[1])
        steepness.append(_steepness(scores, visible, asked))
    temperatures = [as_temperature(asked.temperature) for asked in settings]
    probabilities = attention_probabilities(
        np.stack([masked / t for masked, t in zip(read, temperatures, strict=True)])
    ).astype(np.float64, copy=False)
    slopes = np.diagonal(_jacobian(probabilities), axis1=-2, axis2=-1) * np.stack(steepness)
    rows = zip(
        np.stack(read).max(axis=-1), entropy(probabilities), slopes.max(axis=-1), strict=True
    )
    if single:
        return [ScaleSweep(factors, *(row[..., 0] for row in one)) for one in rows]
    return [ScaleSweep(factors, *one) for one in rows]


def _heads(x: Array) -> int:
    """The heads of q or k: [*, heads, T, d]."""
    return x.shape[-3] if x.ndim > 2 else 1


def _factor(name: str, value: float) -> float:
    number = as_number(name, value)
    if not math.isfinite(number):
        raise ValueError(f"{name}: expected a finite number, got {number}")
    return number


def _visible(mask: npt.ArrayLike, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    given = np.asarray(mask)
    if given.dtype != bool:
        raise TypeError(f"mask: expected booleans, got {given.dtype}")
    visible = np.empty(shape, bool)
    try:
        visible[...] = given
    except ValueError:
        raise ValueError(
            f"mask: expected a shape that broadcasts to {shape}, got {given.shape}"
        ) from None
    return visible


def _cap_and_mask(
    scores: Array, visible: NDArray[np.bool_], settings: ScoreSettings
) -> tuple[Array, Array]:
    """The scores after the cap, and what the softmax reads, in the order asked for."""
    cap = settings.soft_cap
    if cap is None:
        return scores, np.where(visible, scores, -np.inf)
    if settings.cap_after_mask:
        capped = np.asarray(soft_cap(np.where(visible, scores, -np.inf), cap), np.float64)
        return capped, capped
    capped = np.asarray(soft_cap(scores, cap), np.float64)
    return capped, np.where(visible, capped, -np.inf)


def _steepness(scores: Array, visible: NDArray[np.bool_], settings: ScoreSettings) -> Array:
    """How much what the softmax reads moves with each score, by cap and temperature."""
    temperature = as_temperature(settings.temperature)
    if settings.soft_cap is None:
        return np.full(scores.shape, 1.0 / temperature)
    slope = soft_cap_backward(np.ones_like(scores), scores, settings.soft_cap)
    return np.where(visible, slope, 0.0) / temperature


def _jacobian(p: Array) -> Array:
    """diag(p) − p pᵀ. The diagonal as pᵢ·Σⱼ≠ᵢ pⱼ, since 1 − p is 0 long before that sum is."""
    jacobian = -p[..., :, None] * p[..., None, :]
    index = np.arange(p.shape[-1])
    jacobian[..., index, index] = 0.0
    jacobian[..., index, index] = -jacobian.sum(axis=-1)
    return jacobian


_QUERY_AXIS = {
    "query": -2,
    "query_hat": -2,
    "scores": -2,
    "capped": -2,
    "masked": -2,
    "probabilities": -2,
    "entropy": -1,
    "steepness": -2,
    "leaked": -1,
}


def _without_query_axis(chain: SoftmaxChain) -> SoftmaxChain:
    taken: dict[str, Any] = {
        name: np.squeeze(getattr(chain, name), axis) for name, axis in _QUERY_AXIS.items()
    }
    return replace(chain, **taken)


@dataclass(frozen=True, slots=True)
class ChainPreset:
    """A query, its keys, and settings, to begin from."""

    query: tuple[float, ...]
    keys: tuple[tuple[float, ...], ...]
    settings: ScoreSettings = field(default_factory=ScoreSettings)
    mask: tuple[bool, ...] | None = None


_QUERY, _KEYS = (2.0, 1.0), ((1.0, 0.0), (0.0, 1.0))
_ONES = (1.0,) * 128

PRESETS: dict[str, ChainPreset] = {
    # q = [2, 1] and two unit keys, without √d_k: scores 2 and 1.
    "plain": ChainPreset(_QUERY, _KEYS, ScoreSettings(scale=1.0)),
    # W_Q and W_K three times as large: scores 18 and 9.
    "tripled": ChainPreset(_QUERY, _KEYS, ScoreSettings(3.0, 3.0, scale=1.0)),
    "tripled_scaled": ChainPreset(_QUERY, _KEYS, ScoreSettings(3.0, 3.0)),
    "qk_norm": ChainPreset(_QUERY, _KEYS, ScoreSettings(qk_norm="rms", eps=0.0)),
    "qk_norm_tripled": ChainPreset(_QUERY, _KEYS, ScoreSettings(3.0, 3.0, qk_norm="rms", eps=0.0)),
    # Parallel and antiparallel vectors of 128 features reach the bound √128.
    "bound": ChainPreset(
        _ONES,
        (_ONES, tuple(-one for one in _ONES)),
        ScoreSettings(7.0, 7.0, qk_norm="rms", eps=0.0),
    ),
    "soft_cap": ChainPreset(_QUERY, _KEYS, ScoreSettings(3.0, 3.0, scale=1.0, soft_cap=50.0)),
    # The second key may not be seen; a cap after the mask lets 12.3 % of it through.
    "cap_before_mask": ChainPreset(
        _QUERY, _KEYS, ScoreSettings(scale=1.0, soft_cap=1.0), (True, False)
    ),
    "cap_after_mask": ChainPreset(
        _QUERY,
        _KEYS,
        ScoreSettings(scale=1.0, soft_cap=1.0, cap_after_mask=True),
        (True, False),
    ),
}
