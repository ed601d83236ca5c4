"""The state of the Placement scene: one deep stack, and what of it is looked at."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app.fields import kinds
from app.fields.field import Field
from app.fields.stack_kinds import Flag, PlacementKind
from app.placement.likes import LIKES, OWN, fitting
from kernels.placements import PLACEMENTS
from kernels.row_norms import ROW_NORMS
from kernels.self_attention import QK_ROW_NORMS
from kernels.stack_settings import LIMITS

VIEWS = ("stream", "updates", "gradient", "cosine", "training")
NO_QK_NORM = "none"

FIELDS = (
    Field("placement", "place", PlacementKind(), PLACEMENTS["pre_ln_final"].placement),
    Field("placement_norm", "pnorm", kinds.Choice(*ROW_NORMS), "layer_norm"),
    Field("placement_depth", "layers", kinds.Integer(*LIMITS["depth"]), 24, deliberate=False),
    Field("placement_width", "width", kinds.Integer(*LIMITS["width"]), 64, deliberate=False),
    Field("placement_heads", "heads", kinds.Integer(*LIMITS["heads"]), 4, deliberate=False),
    Field("placement_tokens", "tokens", kinds.Integer(*LIMITS["tokens"]), 16, deliberate=False),
    Field("placement_gain", "gain", kinds.Number(0.0, 16.0), 0.5, deliberate=False),
    Field("placement_residual_scaling", "rscale", Flag(), False),
    Field("placement_qk_norm", "pqk", kinds.Choice(NO_QK_NORM, *QK_ROW_NORMS), NO_QK_NORM),
    Field("placement_qk_norm_over_heads", "pqkall", Flag(), False),
    Field("placement_soft_cap", "pcap", kinds.Number(0.0, 1000.0), 0.0),  # 0: none
    Field("placement_eps", "peps", kinds.Number(0.0, 1.0), 1e-5),
    Field("placement_shared_layers", "shared", Flag(), False),
    Field("placement_seed", "wseed", kinds.Integer(*LIMITS["seed"]), 7),
    Field("placement_like", "like", kinds.Choice(OWN, *LIKES), OWN),
    Field("placement_view", "pview", kinds.Choice(*VIEWS), VIEWS[0]),
    Field("placement_block", "block", kinds.Integer(1, LIMITS["depth"][1]), 1, deliberate=False),
)


def fit(values: dict[str, Any], patch: Iterable[str]) -> None:
    """Heads divide the width, the block is one of the stack's, and a system picked brings its
    settings, in place."""
    width, heads = values["placement_width"], values["placement_heads"]
    if width % heads:
        if "placement_heads" in patch and "placement_width" not in patch:
            raise ValueError(
                f"placement_heads: expected a divisor of the width {width}, got {heads}"
            )
        values["placement_heads"] = largest_divisor(width, heads)
    if "placement_like" in patch and values["placement_like"] in LIKES:
        picked = LIKES[values["placement_like"]]
        values.update({name: value for name, value in picked.items() if name not in patch})
    values["placement_like"] = fitting(values["placement_like"], values)
    values["placement_block"] = min(values["placement_block"], values["placement_depth"])


def largest_divisor(width: int, most: int) -> int:
    """The largest number of heads up to `most` that divides a width."""
    return next(heads for heads in range(min(most, width), 0, -1) if width % heads == 0)
