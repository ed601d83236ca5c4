"""What published systems chose: which norm, where, with which constants, and what that means here.

`MODELS` (`kernels.model_table`) holds the rows. Each says where it was read; what its source does
not tell is `NOT_PUBLISHED`. A row turns into settings for the deep stack and for the softmax chain.
ε and caps are the defaults of the configuration named in the source: a checkpoint may set others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from kernels.placements import PLACEMENTS, Placement
from kernels.rope import Rope
from kernels.row_norms import ROW_NORMS
from kernels.softmax_chain import ScoreSettings

NOT_PUBLISHED = "not published"

# A block that is neither of `kernels.placements.PLACEMENTS`; the row's note tells how it differs.
OTHER = "other"

# What stands before q·k, by its name, as a function of the head's size d.
SCORE_SCALES: dict[str, Callable[[int], float]] = {
    "1/√d": lambda head_dim: head_dim**-0.5,
    "1": lambda head_dim: 1.0,
    "√d": lambda head_dim: head_dim**0.5,
    "1/√256": lambda head_dim: 256**-0.5,  # a configuration value, whatever d is
    "10, learned": lambda head_dim: 10.0,  # its first value, one a head
}

GAINS = {"γ": 0.0, "1 + γ": 1.0, "none": 0.0}  # the gain's form, and what is added to the weight


def reference(family: str, more: str = "") -> str:
    """The reference implementation a row was read from, and what else its source names."""
    return f"transformers 5.24.0, models/{family}/modeling_{family}.py{more}"


@dataclass(frozen=True, slots=True)
class QKChoice:
    """How a system normalizes queries and keys.

    norm    "rms", "layer" or "l2" (`kernels.attention.QK_NORMS`)
    over    "head", "all heads", or "latent": the compressed vectors q and k are expanded from
    order   "norm_then_rope", "rope_then_norm", or "no rope"
    gain    "γ", "1 + γ" or "none"
    """

    norm: str
    over: str = "head"
    order: str = "norm_then_rope"
    gain: str = "γ"


@dataclass(frozen=True, slots=True)
class Model:
    """One system. Every field may be `NOT_PUBLISHED`; None means: the system has no such thing.

    norm        "layer_norm", "rms_norm" or "l2"
    placement   a key of `PLACEMENTS`, or `OTHER`
    eps         ε of the norms
    gain        "γ", "1 + γ" (the weight is stored as γ − 1) or "none"
    bias        whether the norms add a β
    qk_norm     how q and k are normalized
    soft_cap    c of c·tanh(s/c) on the scores of attention
    final_soft_cap      the same on the logits of the head
    score_scale a key of `SCORE_SCALES`
    embedding_norm      a norm on the embeddings, before the first block
    residual_scaling    weights that write into the stream start divided by √(2·layers)
    shared_layers       all layers hold the same weights
    source      paper and section, or reference implementation and file
    note        what the fields cannot say
    """

    name: str
    year: int
    norm: str
    placement: str
    eps: float | str
    gain: str = "γ"
    bias: bool | str = False
    qk_norm: QKChoice | str | None = None
    soft_cap: float | str | None = None
    final_soft_cap: float | str | None = None
    score_scale: str = "1/√d"
    embedding_norm: bool | str = False
    residual_scaling: bool | str = False
    shared_layers: bool | str = False
    source: str = ""
    note: str = ""

    @property
    def final_norm(self) -> bool | None:
        """Whether a norm stands between the last block and the head; None where not known."""
        published = PLACEMENTS.get(self.placement)
        return None if published is None else published.placement.final

    @property
    def parallel(self) -> bool | None:
        """Whether attention and FFN read the same input; None where not known."""
        published = PLACEMENTS.get(self.placement)
        return None if published is None else published.placement.parallel

    def stack_settings(self) -> dict[str, Any] | None:
        """Arguments for `simulate_stack` that make a stack like this system, or None.

        None where the norm or its place is not published or not one the stack has. The sublayers
        stay the stack's own: causal attention without positions, GELU, as many heads as asked for.
        """
        published = PLACEMENTS.get(self.placement)
        if published is None or self.norm not in ROW_NORMS:
            return None
        settings: dict[str, Any] = {
            "placement": published.placement,
            "norm": self.norm,
            "residual_scaling": self.residual_scaling is True,
            "shared_layers": self.shared_layers is True,
            "soft_cap": self.soft_cap if isinstance(self.soft_cap, float) else None,
        }
        if isinstance(self.eps, float):
            settings["eps"] = self.eps
        if isinstance(self.qk_norm, QKChoice) and self.qk_norm.over != "latent":
            settings["qk_norm"] = self.qk_norm.norm
            settings["qk_norm_over_heads"] = self.qk_norm.over == "all heads"
        return settings

    def score_scale_of(self, head_dim: int) -> float | None:
        """The factor before q·k for heads of this size; None where not published."""
        scale = SCORE_SCALES.get(self.score_scale)
        return None if scale is None else scale(head_dim)

    def score_settings(self, head_dim: int) -> ScoreSettings | None:
        """The softmax chain like this system's, with unit gains; None where not published."""
        scale = self.score_scale_of(head_dim)
        if scale is None or isinstance(self.qk_norm, str) or isinstance(self.soft_cap, str):
            return None
        choice = self.qk_norm
        if choice is None or choice.over == "latent":
            return ScoreSettings(scale=scale, soft_cap=self.soft_cap)
        return ScoreSettings(
            scale=scale,
            soft_cap=self.soft_cap,
            qk_norm=choice.norm,
            eps=self.eps if isinstance(self.eps, float) else 0.0,
            over_all_heads=choice.over == "all heads",
            rope=None if choice.order == "no rope" else Rope(order=choice.order),
        )


def placement_of(model: Model) -> Placement | None:
    """The row's placement itself, or None where it is not published or not one of ours."""
    published = PLACEMENTS.get(model.placement)
    return None if published is None else published.placement


def differences(one: Model, other: Model) -> dict[str, tuple[Any, Any]]:
    """The choices in which two systems differ: field → (one's, other's), in the fields' order.

    Name, year, source and note are left out.
    """
    names = [f.name for f in fields(Model) if f.name not in ("name", "year", "source", "note")]
    pairs = ((name, getattr(one, name), getattr(other, name)) for name in names)
    return {name: (first, second) for name, first, second in pairs if first != second}
