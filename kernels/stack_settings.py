"""What a deep stack is asked to be: its settings, checked, and the constants that follow."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, fields, replace

import numpy as np

from kernels.placements import ONE, Placement
from kernels.row_norms import ROW_NORMS
from kernels.self_attention import QK_ROW_NORMS, AttentionForm

# field: (lowest, highest). Time and memory of the browser set the upper ends.
LIMITS = {
    "depth": (1, 128),
    "width": (16, 1024),
    "tokens": (1, 256),
    "heads": (1, 64),
    "vocabulary": (2, 1024),
    "seed": (0, 2**32 - 1),
}
MEMORY_LIMIT = 2**30  # bytes of one pass, of the 4 GiB a browser gives to all of Python


@dataclass(frozen=True, slots=True)
class StackSettings:
    """Everything a stack's numbers depend on.

    placement  where the norms stand, and α and β (`kernels.placements`)
    norm       "layer_norm" or "rms_norm", every norm of the stack but QK-norm
    depth, width, tokens, heads, vocabulary   sizes: layers, features, positions, …
    seed       of the weights and of the text
    gain       g: the RMS of a sublayer's output for a unit-RMS input, at initialization
    residual_scaling   divide the weights that write into the stream by √(2·depth), as GPT-2 does
    shared_layers      every layer uses layer 0's weights, as ALBERT does: correlated updates
    qk_norm, qk_norm_over_heads, score_scale, soft_cap   see `kernels.self_attention.AttentionForm`
    eps        of every norm
    dtype      "float32", or "float64" for checking

    Raises ValueError that names the field, what was expected and what came.
    """

    placement: Placement
    norm: str = "layer_norm"
    depth: int = 24
    width: int = 64
    tokens: int = 16
    heads: int = 4
    vocabulary: int = 64
    seed: int = 0
    gain: float = 1.0
    residual_scaling: bool = False
    shared_layers: bool = False
    qk_norm: str | None = None
    qk_norm_over_heads: bool = False
    score_scale: float | None = None
    soft_cap: float | None = None
    eps: float = 1e-5
    dtype: str = "float32"

    def __post_init__(self) -> None:
        for name, (low, high) in LIMITS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise ValueError(f"{name}: expected a whole number, got {value!r}")
            if not low <= value <= high:
                raise ValueError(f"{name}: expected {low} to {high}, got {value}")
        if self.width % self.heads:
            raise ValueError(
                f"heads: width must be divisible by heads, but {self.width} is not by {self.heads}"
            )
        _one_of("norm", self.norm, tuple(ROW_NORMS))
        _one_of("dtype", self.dtype, ("float32", "float64"))
        if self.qk_norm is not None:
            _one_of("qk_norm", self.qk_norm, tuple(QK_ROW_NORMS))
        for name in ("gain", "eps"):
            _finite(name, getattr(self, name), zero=True)
        for name in ("score_scale", "soft_cap"):
            if getattr(self, name) is not None:
                _finite(name, getattr(self, name), zero=False)
        held = self.depth * self.layer_bytes
        if held > MEMORY_LIMIT:
            raise ValueError(
                f"tokens: {self.tokens} of width {self.width} in {self.depth} layers would hold "
                f"{held >> 20} MiB, expected at most {MEMORY_LIMIT >> 20}: "
                "take fewer tokens, layers or features"
            )

    @property
    def residual_scale(self) -> float:
        """α at this depth."""
        return self.placement.residual_scale(self.depth)

    @property
    def init_scale(self) -> float:
        """β at this depth."""
        return self.placement.init_scale(self.depth)

    @property
    def output_gain(self) -> float:
        """The factor on the two matrices that write into the stream."""
        scaling = (2 * self.depth) ** -0.5 if self.residual_scaling else 1.0
        return self.gain * scaling * self.init_scale

    @property
    def update_gain(self) -> float:
        """The RMS a sublayer writes for a unit-RMS input, if it were linear.

        β stands twice in each branch: in W_V and W_O, in W₁ and W₂.
        """
        return self.output_gain * self.init_scale

    @property
    def layer_bytes(self) -> int:
        """About how much memory a layer's forward pass holds: some 24 arrays like the stream."""
        maps = 1 if self.soft_cap is None else 2
        numbers = 24 * self.tokens * self.width + maps * self.heads * self.tokens**2
        return numbers * np.dtype(self.dtype).itemsize

    @property
    def attention_form(self) -> AttentionForm:
        """The settings attention itself needs."""
        return AttentionForm(
            self.heads,
            self.score_scale,
            self.qk_norm,
            self.qk_norm_over_heads,
            self.soft_cap,
            self.eps,
        )

    def under(self, placement: Placement) -> StackSettings:
        """The same stack under another placement; no other field has to be checked again."""
        other = object.__new__(StackSettings)
        for name in _FIELDS:
            object.__setattr__(other, name, getattr(self, name))
        object.__setattr__(other, "placement", placement)
        return other

    def forward_key(self) -> Hashable:
        """Equal for settings whose forward passes agree layer by layer.

        The final norm stands behind the stack, and the depth decides only where it ends, unless α
        or a gain depends on it: those are in the key as the numbers they come to.
        """
        placement = replace(self.placement, final=False, residual_scale=ONE, init_scale=ONE)
        kept = [getattr(self, name) for name in _KEPT]
        scales = (self.residual_scale, self.init_scale, self.output_gain)
        return (placement, *kept, *scales)


_FIELDS = tuple(field.name for field in fields(StackSettings))
# What a forward pass depends on as it is: the others by the scales and gains they come to.
_KEPT = tuple(
    name for name in _FIELDS if name not in ("placement", "depth", "gain", "residual_scaling")
)


def _one_of(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name}: expected one of {', '.join(allowed)}, got {value!r}")


def _finite(name: str, value: float, *, zero: bool) -> None:
    bad = not math.isfinite(value) or value < 0 or (value == 0 and not zero)
    if bad:
        bound = "0 or above" if zero else "above 0"
        raise ValueError(f"{name}: expected a finite number {bound}, got {value}")
