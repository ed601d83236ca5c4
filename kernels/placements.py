"""Where the norms stand in a transformer block, as data.

A placement says which of seven places hold a norm, whether the two sublayers run one after the
other or side by side, and by what the residual stream and the initial weights are scaled. A
sequential block computes, with N a norm where its place is on and the identity where it is off,

    h = N_attention_sum(α·x + N_attention_branch(Attention(N_attention_input(x))))
    y = N_ffn_sum(α·h + N_ffn_branch(FFN(N_ffn_input(h))))

and a parallel one, whose two branches read the same x and meet in one sum,

    y = N_ffn_sum(α·x + N_attention_branch(Attention(N_attention_input(x)))
                      + N_ffn_branch(FFN(N_ffn_input(x))))

`final` is the norm between the last block and the head. Every combination is allowed, so that a
drawing of the block can switch each place by itself; `PLACEMENTS` names the published ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

PLACES = (
    "attention_input",
    "attention_branch",
    "attention_sum",
    "ffn_input",
    "ffn_branch",
    "ffn_sum",
    "final",
)


@dataclass(frozen=True, slots=True)
class DepthPower:
    """factor · (layers · depth) ** exponent: a constant that follows the number of layers."""

    factor: float = 1.0
    layers: float = 1.0
    exponent: float = 0.0

    def __call__(self, depth: int) -> float:
        """The constant of a stack of `depth` layers."""
        return float(self.factor * (self.layers * depth) ** self.exponent)


ONE = DepthPower()


@dataclass(frozen=True, slots=True)
class Placement:
    """Which places hold a norm, and how the sums are scaled.

    The seven booleans are the places of the module's formulas. `parallel` feeds both sublayers
    from the same input; such a block has one sum, so `attention_sum` must be off.
    `residual_scale` is α. `init_scale` is β: it scales the initial value, output and FFN weights,
    as DeepNorm does.
    """

    attention_input: bool = False
    attention_branch: bool = False
    attention_sum: bool = False
    ffn_input: bool = False
    ffn_branch: bool = False
    ffn_sum: bool = False
    final: bool = False
    parallel: bool = False
    residual_scale: DepthPower = ONE
    init_scale: DepthPower = ONE

    def __post_init__(self) -> None:
        if self.parallel and self.attention_sum:
            raise ValueError(
                "attention_sum: expected off in a parallel block, got on: "
                "both branches meet in one sum, whose norm is ffn_sum"
            )

    @property
    def places(self) -> tuple[str, ...]:
        """The places that are on, in the order of `PLACES`."""
        return tuple(place for place in PLACES if getattr(self, place))

    def toggled(self, place: str) -> Placement:
        """The same placement with one place switched.

        Raises ValueError for a name that is not in `PLACES`.
        """
        if place not in PLACES:
            raise ValueError(f"place: expected one of {', '.join(PLACES)}, got {place!r}")
        switched: dict[str, Any] = {place: not getattr(self, place)}
        return replace(self, **switched)

    def with_parallel(self, parallel: bool) -> Placement:
        """The same placement with the sublayers side by side, or one after the other.

        Going parallel drops `attention_sum`, a place such a block does not have.
        """
        attention_sum = self.attention_sum and not parallel
        return replace(self, parallel=parallel, attention_sum=attention_sum)


@dataclass(frozen=True, slots=True)
class PublishedPlacement:
    """A placement with the source it was read from."""

    placement: Placement
    source: str


_PRE = Placement(attention_input=True, ffn_input=True)

PLACEMENTS: dict[str, PublishedPlacement] = {
    "none": PublishedPlacement(
        Placement(), "a residual network without norms: x + f(x), for comparison"
    ),
    "post_ln": PublishedPlacement(
        Placement(attention_sum=True, ffn_sum=True),
        "Vaswani et al. 2017, Attention Is All You Need, section 3.1: LayerNorm(x + Sublayer(x))",
    ),
    "pre_ln": PublishedPlacement(
        _PRE,
        "Xiong et al. 2020, On Layer Normalization in the Transformer Architecture, table 1, "
        "without its final layer normalization",
    ),
    "pre_ln_final": PublishedPlacement(
        replace(_PRE, final=True),
        "Xiong et al. 2020, table 1; GPT-2: Radford et al. 2019, section 2.3",
    ),
    "before_and_after": PublishedPlacement(
        replace(_PRE, attention_branch=True, ffn_branch=True, final=True),
        "Gemma Team 2025, Gemma 3 Technical Report, section 2; "
        "transformers 5.24.0, models/gemma3/modeling_gemma3.py",
    ),
    "branch_output": PublishedPlacement(
        Placement(attention_branch=True, ffn_branch=True, final=True),
        "OLMo Team 2024, 2 OLMo 2 Furious, section 3; "
        "transformers 5.24.0, models/olmo2/modeling_olmo2.py",
    ),
    "deep_norm": PublishedPlacement(
        Placement(
            attention_sum=True,
            ffn_sum=True,
            residual_scale=DepthPower(layers=2.0, exponent=0.25),
            init_scale=DepthPower(layers=8.0, exponent=-0.25),
        ),
        "Wang et al. 2022, DeepNet: Scaling Transformers to 1,000 Layers, figure 2: "
        "α = (2L)^(1/4), β = (8L)^(-1/4) for a stack that is all encoder or all decoder; "
        "torchscale, torchscale/architecture/decoder.py",
    ),
    "parallel": PublishedPlacement(
        replace(_PRE, final=True, parallel=True),
        "Chowdhery et al. 2022, PaLM, section 2: y = x + MLP(LN(x)) + Attention(LN(x))",
    ),
}


_NAMES = {published.placement: name for name, published in PLACEMENTS.items()}


def named_placement(name: str) -> Placement:
    """The published placement of that name.

    Raises ValueError for a name that is not in `PLACEMENTS`.
    """
    if name not in PLACEMENTS:
        raise ValueError(f"placement: expected one of {', '.join(PLACEMENTS)}, got {name!r}")
    return PLACEMENTS[name].placement


def published_name(placement: Placement) -> str | None:
    """The key of `PLACEMENTS` that holds this very placement, or None for one of one's own."""
    return _NAMES.get(placement)
