"""The attention sublayer of a transformer block, forward and by hand backward.

Causal, without positions, biases and dropout. `kernels.attention` answers for every form of scores;
the deep stack calls this one, on float32 and with a backward pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kernels.products import WeightGradient, project, project_back
from kernels.row_norms import ROW_NORMS, NormalizedRows
from kernels.weights import LayerWeights

Array = NDArray[np.floating]

# Score of a key that must not be seen. Not -inf: exp gives 0 either way, but 0·log 0 of the
# entropy would be NaN; and not float32's lowest number, from which the row's maximum is taken.
MASKED = -1e38


@dataclass(frozen=True, slots=True)
class QKRowNorm:
    """A norm of q and k: one of `ROW_NORMS`, and whether its rows are brought to length 1."""

    norm: str
    unit_length: bool = False

    def forward(self, x: Array, eps: float) -> NormalizedRows:
        """The rows of x [..., d] normalized, before `length` is applied."""
        return ROW_NORMS[self.norm].forward(x, eps / x.shape[-1] if self.unit_length else eps)

    def backward(self, gradient: Array, saved: NormalizedRows) -> Array:
        """From the gradient of the scaled rows to that of x."""
        return ROW_NORMS[self.norm].backward(gradient * self.scale(gradient), saved)

    def scale(self, x: Array) -> float:
        """The factor from rows of RMS 1 to the rows wanted: 1/√d for length 1."""
        return x.shape[-1] ** -0.5 if self.unit_length else 1.0


# The names are those of `kernels.attention`.
QK_ROW_NORMS = {
    "rms": QKRowNorm("rms_norm"),
    "layer": QKRowNorm("layer_norm"),
    "l2": QKRowNorm("rms_norm", unit_length=True),
}


@dataclass(frozen=True, slots=True)
class AttentionForm:
    """How scores are made from q and k.

    heads must divide the width. `score_scale` None is 1/√(d/heads). `qk_norm` names a norm of
    `QK_ROW_NORMS` applied to q and k, over each head's features or, with `qk_norm_over_heads`,
    over all heads' at once (OLMo 2). `soft_cap` c bounds the scores to c·tanh(s/c), before the
    mask.
    """

    heads: int = 4
    score_scale: float | None = None
    qk_norm: str | None = None
    qk_norm_over_heads: bool = False
    soft_cap: float | None = None
    eps: float = 1e-5


@dataclass(frozen=True, slots=True)
class AttentionSaved:
    """What attention's backward pass needs. Heads are [3, B, heads, T, d/heads]: q, k and v.

    scores are kept where they were capped.
    entropy is the mean over heads and tokens of the attention's entropy in nats; largest_score
    the largest score that was not masked.
    """

    inputs: Array
    heads: Array
    scores: Array | None
    probabilities: Array
    context: Array
    normalized: NormalizedRows | None
    entropy: float
    largest_score: float


def attention(
    x: Array,
    weights: LayerWeights,
    form: AttentionForm,
    *,
    value_gain: float = 1.0,
    output_gain: float = 1.0,
) -> tuple[Array, AttentionSaved]:
    """Causal multi-head self-attention of x [B, T, d].

    softmax(q kᵀ·scale) v, heads joined, times W_O. value_gain and output_gain multiply W_V and W_O.
    Source: Vaswani et al. 2017, Attention Is All You Need, sections 3.2.1 and 3.2.2.
    """
    batch, length, width = x.shape
    inputs = x.reshape(-1, width)
    fused = project(inputs, weights.query_key_value)
    heads, normalized = _split_heads(fused, (batch, length, width), form)
    if value_gain != 1.0:
        heads[2] *= value_gain
    query, key, value = heads
    scores = query @ key.swapaxes(-1, -2)
    scores *= _score_scale(form, width)
    if form.soft_cap is not None:
        scores = form.soft_cap * np.tanh(scores / form.soft_cap)
    probabilities, entropy, largest = _causal_softmax(scores)
    context = (probabilities @ value).swapaxes(1, 2).reshape(-1, width)
    update = project(context, weights.output)
    if output_gain != 1.0:
        update *= output_gain
    capped = None if form.soft_cap is None else scores
    saved = AttentionSaved(
        inputs, heads, capped, probabilities, context, normalized, entropy, largest
    )
    return update.reshape(x.shape), saved


def attention_backward(
    gradient: Array,
    saved: AttentionSaved,
    weights: LayerWeights,
    form: AttentionForm,
    *,
    value_gain: float = 1.0,
    output_gain: float = 1.0,
) -> tuple[Array, tuple[WeightGradient, WeightGradient]]:
    """dL/dx of `attention` from dL/d(its output) [B, T, d], and the gradients of W_QKV and W_O.

    The weights' gradients are those of the scaled matrices, the ones a model would hold.
    """
    batch, length, width = gradient.shape
    query, key, value = saved.heads
    update = gradient.reshape(-1, width)
    output = WeightGradient(saved.context, update)
    scaled = update * output_gain if output_gain != 1.0 else update
    context = project_back(scaled, weights.output).reshape(batch, length, form.heads, -1)
    context = np.ascontiguousarray(context.swapaxes(1, 2))
    probabilities = saved.probabilities
    by_probability = context @ value.swapaxes(-1, -2)
    along = np.einsum("bhts,bhts->bht", by_probability, probabilities)
    scores = by_probability
    scores -= along[..., None]
    scores *= probabilities
    if form.soft_cap is not None and saved.scores is not None:
        scores *= 1.0 - np.square(saved.scores / form.soft_cap)
    scores *= _score_scale(form, width)
    heads = np.empty_like(saved.heads)
    np.matmul(scores, key, out=heads[0])
    np.matmul(scores.swapaxes(-1, -2), query, out=heads[1])
    np.matmul(probabilities.swapaxes(-1, -2), context, out=heads[2])
    fused = _join_heads(heads, saved.normalized, form)
    projection = WeightGradient(saved.inputs, fused)
    if value_gain != 1.0:
        fused = fused.copy()
        fused[:, 2 * width :] *= value_gain
    back = project_back(fused, weights.query_key_value)
    return back.reshape(gradient.shape), (projection, output)


def _score_scale(form: AttentionForm, width: int) -> float:
    return (form.heads / width) ** 0.5 if form.score_scale is None else form.score_scale


def _split_heads(
    fused: Array, shape: tuple[int, int, int], form: AttentionForm
) -> tuple[Array, NormalizedRows | None]:
    """The product x W_QKV [N, 3d] as q, k, v [3, B, heads, T, d/heads], q and k normalized."""
    batch, length, width = shape
    normalized = None
    if form.qk_norm and form.qk_norm_over_heads:
        parts = fused.reshape(batch, length, 3, width)
        norm, both = QK_ROW_NORMS[form.qk_norm], parts[:, :, :2]
        normalized = norm.forward(both, form.eps)
        np.multiply(normalized.rows, norm.scale(both), out=both)
    split = fused.reshape(batch, length, 3, form.heads, width // form.heads)
    heads = np.ascontiguousarray(split.transpose(2, 0, 3, 1, 4))
    if form.qk_norm and not form.qk_norm_over_heads:
        norm, both = QK_ROW_NORMS[form.qk_norm], heads[:2]
        normalized = norm.forward(both, form.eps)
        np.multiply(normalized.rows, norm.scale(both), out=both)
    return heads, normalized


def _join_heads(heads: Array, normalized: NormalizedRows | None, form: AttentionForm) -> Array:
    """The reverse of `_split_heads` for gradients: [3, B, heads, T, d/heads] to [N, 3d]."""
    _, batch, count, length, size = heads.shape
    if normalized is not None and not form.qk_norm_over_heads:
        heads[:2] = QK_ROW_NORMS[str(form.qk_norm)].backward(heads[:2], normalized)
    fused = np.ascontiguousarray(heads.transpose(1, 3, 0, 2, 4))
    if normalized is not None and form.qk_norm_over_heads:
        parts = fused.reshape(batch, length, 3, count * size)
        parts[:, :, :2] = QK_ROW_NORMS[str(form.qk_norm)].backward(parts[:, :, :2], normalized)
    return fused.reshape(batch * length, 3 * count * size)


@lru_cache(maxsize=8)
def _future(length: int) -> NDArray[np.bool_]:
    """Which keys come after which query [T, T]: one mask for all layers."""
    future = np.triu(np.ones((length, length), dtype=bool), 1)
    future.flags.writeable = False
    return future


def _causal_softmax(scores: Array) -> tuple[Array, float, float]:
    """Softmax of scores [B, heads, T, T] over the keys up to each query, its entropy, the maximum.

    Entropy as log Σe^(s − m) − Σ p·(s − m), m the row's maximum.
    """
    shifted = scores.copy()
    np.copyto(shifted, MASKED, where=_future(scores.shape[-1]))
    largest = shifted.max(axis=-1, keepdims=True)
    shifted -= largest
    weights = np.exp(shifted)
    total = np.add.reduce(weights, axis=-1, keepdims=True)
    weights /= total
    rows = total.size
    entropy = (np.log(total).sum() - np.vdot(weights, shifted)) / rows
    return weights, float(entropy), float(largest.max())
