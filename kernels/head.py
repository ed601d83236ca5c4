"""What a language model's head reads from a residual stream: logits, softmax, and how sharp it is.

It works on the stored stream, at every depth at once (a "logit lens"), so that switching the final
norm, or a temperature, runs no block again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernels.row_norms import ROW_NORMS

Array = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class HeadReading:
    """The head's answer for each token of a stream [..., T, d].

    logits and probabilities are [..., T, V]; entropy (in nats), top_probability and top_token are
    [..., T].
    """

    logits: Array
    probabilities: Array
    entropy: Array
    top_probability: Array
    top_token: NDArray[np.integer]


def read_head(
    stream: Array,
    unembedding: Array,
    *,
    norm: str | None = None,
    temperature: float | Array = 1.0,
    eps: float = 1e-5,
) -> HeadReading:
    """softmax(N(x) W_U / temperature) for every row of stream [..., T, d].

    unembedding W_U is [d, V]; norm names the final norm (`kernels.row_norms`), None for none;
    temperature is one number or one for each row [..., T], in the logits' own unit.

    Raises ValueError for a temperature that is not above 0.
    """
    if not np.all(np.asarray(temperature) > 0):
        raise ValueError(f"temperature: expected numbers above 0, got {temperature}")
    rows = stream if norm is None else ROW_NORMS[norm].forward(stream, eps).rows
    logits = np.einsum("nd,dv->nv", rows.reshape(-1, rows.shape[-1]), unembedding)
    logits = logits.reshape(*stream.shape[:-1], -1)
    scaled = logits / np.asarray(temperature, dtype=np.float64)[..., None]
    shifted = scaled - scaled.max(axis=-1, keepdims=True)
    weights = np.exp(shifted)
    total = weights.sum(axis=-1, keepdims=True)
    probabilities = weights / total
    entropy = np.log(total[..., 0]) - np.einsum("...v,...v->...", probabilities, shifted)
    top_token = probabilities.argmax(axis=-1)
    return HeadReading(logits, probabilities, entropy, probabilities.max(axis=-1), top_token)


def undoing_temperature(stream: Array, norm: str, eps: float = 1e-5) -> Array:
    """The temperature [..., T] at which the head without a final norm answers like one with it.

    It is the norm's own denominator, since dividing the stream and dividing the logits are the
    same. After RMSNorm's, √(mean(x²) + ε), the two heads agree exactly; after LayerNorm's,
    √(σ² + ε), they differ by the logits of the mean, μ·(1ᵀ W_U), which no temperature takes away.
    """
    wide = stream.astype(np.float64, copy=False)
    if norm == "layer_norm":
        wide = wide - wide.mean(axis=-1, keepdims=True)
    return np.sqrt(np.einsum("...d,...d->...", wide, wide) / wide.shape[-1] + eps)


@dataclass(frozen=True, slots=True)
class HeadLoss:
    """Mean cross-entropy over the tokens (nats), and its gradient by the stream [..., T, d]."""

    loss: float
    gradient: Array
    unembedding_gradient: Array


def head_loss(
    stream: Array,
    unembedding: Array,
    targets: NDArray[np.integer],
    *,
    norm: str | None = None,
    eps: float = 1e-5,
) -> HeadLoss:
    """Cross-entropy of the head on stream [..., T, d] against targets [..., T], and back.

    loss = −mean log softmax(N(x) W_U)[target]; dL/dlogits = (p − onehot)/count. The result also
    holds dL/dW_U [d, V].
    """
    width = stream.shape[-1]
    flat = stream.reshape(-1, width)
    saved = None if norm is None else ROW_NORMS[norm].forward(flat, eps)
    rows = flat if saved is None else saved.rows
    logits = np.einsum("nd,dv->nv", rows, unembedding)
    shifted = logits - logits.max(axis=-1, keepdims=True)
    weights = np.exp(shifted)
    total = weights.sum(axis=-1)
    wanted = targets.reshape(-1)
    count = len(wanted)
    picked = np.arange(count), wanted
    loss = float((np.log(total) - shifted[picked]).sum(dtype=np.float64) / count)
    weights /= total[:, None]
    weights[picked] -= 1.0
    weights /= count
    unembedding_gradient = np.einsum("nd,nv->dv", rows, weights)
    gradient = np.einsum("nv,dv->nd", weights, unembedding)
    if norm is not None and saved is not None:
        gradient = ROW_NORMS[norm].backward(gradient, saved)
    return HeadLoss(loss, gradient.reshape(stream.shape), unembedding_gradient)
