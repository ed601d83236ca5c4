"""The state of the Softmax scene as arguments of the kernels, and their results for one head."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.rope import Rope
from kernels.softmax_chain import (
    ScoreSettings,
    SoftmaxChain,
    score_bound,
    softmax_chain,
)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Problem:
    """One query and its keys: query [heads, 1, d], keys [heads, S, d], visible [S], settings."""

    query: Array
    keys: Array
    visible: NDArray[np.bool_]
    settings: ScoreSettings

    @property
    def head_dim(self) -> int:
        """d_k."""
        return int(self.query.shape[-1])

    @property
    def bound(self) -> float | None:
        """What no |score| can pass, or None."""
        return score_bound(self.settings, self.head_dim, len(self.query))

    def run(self) -> SoftmaxChain:
        """All steps, for all heads."""
        return softmax_chain(self.query, self.keys, self.settings, mask=self.visible)


def problem_of(state: Mapping[str, Any]) -> Problem:
    """The problem a state poses."""
    vectors, heads = state["softmax_vectors"].values, state["softmax_heads"]
    by_head = np.moveaxis(vectors.reshape(len(vectors), heads, -1), 1, 0)
    keys = len(vectors) - 1
    visible = np.ones(keys, bool)
    visible[list(state["softmax_masked"])] = False
    return Problem(by_head[:, :1], by_head[:, 1:], visible, settings_of(state, by_head.shape))


def settings_of(state: Mapping[str, Any], shape: tuple[int, ...]) -> ScoreSettings:
    """The settings of a state whose vectors are [heads, 1 + S, d]."""
    heads, rows, head_dim = shape
    norm = None if state["softmax_norm"] == "off" else state["softmax_norm"]
    over_all = norm is not None and state["softmax_norm_over"] == "all_heads"
    weight_q = weight_k = None
    if norm is not None and state["softmax_gains"] is not None:
        gain_shape = (heads, head_dim) if over_all else (head_dim,)
        weight_q, weight_k = (np.reshape(part, gain_shape) for part in state["softmax_gains"])
    return ScoreSettings(
        query_scale=state["softmax_scale"],
        key_scale=state["softmax_scale"],
        scale=state["softmax_factor"],
        qk_norm=norm,
        weight_q=weight_q,
        weight_k=weight_k,
        eps=state["softmax_eps"],
        rope=rope_of(state, rows - 1, head_dim),
        over_all_heads=over_all,
        soft_cap=state["softmax_cap"] or None,
        cap_after_mask=state["softmax_cap_order"] == "after_mask",
        temperature=state["softmax_temperature"],
    )


def rope_of(state: Mapping[str, Any], keys: int, head_dim: int) -> Rope | None:
    """The rotation: the query at its position, the keys at 0, 1, 2, …; none for one feature."""
    if state["softmax_rope"] == "off" or head_dim < 2:
        return None
    return Rope(
        query_positions=np.array([state["softmax_position"]]),
        key_positions=np.arange(keys),
        rotary_dim=head_dim - head_dim % 2,
        order=state["softmax_rope"],
    )


@dataclass(frozen=True)
class HeadResult:
    """Every step of one head's chain; S keys.

    query [d], keys [S, d] after the projections' scale; query_hat, keys_hat after norm and RoPE;
    scores, capped, masked, probabilities, slope [S]; jacobian [S, S]; visible [S].
    """

    query: Array
    keys: Array
    query_hat: Array
    keys_hat: Array
    scores: Array
    capped: Array
    masked: Array
    probabilities: Array
    slope: Array
    jacobian: Array
    entropy: float
    leaked: float
    visible: NDArray[np.bool_]

    @property
    def reached(self) -> int:
        """How many keys can get anything: those that may be seen, or all where the mask leaks."""
        return len(self.visible) if self.leaked > 0 else int(self.visible.sum())


def head_of(chain: SoftmaxChain, head: int, visible: NDArray[np.bool_]) -> HeadResult:
    """What one head's query got."""
    jacobian = chain.jacobian[head, 0]
    return HeadResult(
        query=chain.query[head, 0],
        keys=chain.keys[head],
        query_hat=chain.query_hat[head, 0],
        keys_hat=chain.keys_hat[head],
        scores=chain.scores[head, 0],
        capped=chain.capped[head, 0],
        masked=chain.masked[head, 0],
        probabilities=chain.probabilities[head, 0],
        slope=np.diagonal(jacobian),
        jacobian=jacobian,
        entropy=float(chain.entropy[head, 0]),
        leaked=float(chain.leaked[head, 0]),
        visible=visible,
    )
