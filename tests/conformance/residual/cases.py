"""The stacks whose numbers were recorded from PyTorch: small, each with one thing set apart."""

SIZE = {"depth": 3, "width": 16, "tokens": 5, "heads": 2, "vocabulary": 11, "seed": 20}

PLACEMENT_NAMES = (
    "none",
    "post_ln",
    "pre_ln",
    "pre_ln_final",
    "before_and_after",
    "branch_output",
    "deep_norm",
    "parallel",
)

_OPTIONS = {
    "gain": ("pre_ln", {"gain": 0.5}),
    "residual_scaling": ("pre_ln_final", {"residual_scaling": True}),
    "shared_layers": ("pre_ln", {"shared_layers": True}),
    "qk_rms_per_head": ("pre_ln_final", {"qk_norm": "rms"}),
    "qk_rms_over_heads": ("branch_output", {"qk_norm": "rms", "qk_norm_over_heads": True}),
    "qk_layer_parallel": ("parallel", {"qk_norm": "layer"}),
    "soft_cap": ("before_and_after", {"soft_cap": 1.5}),
    "score_scale": ("post_ln", {"score_scale": 1.0}),
}

# name: (placement, norm, options)
CASES = {
    f"{placement}.{norm}": (placement, norm, {})
    for placement in PLACEMENT_NAMES
    for norm in ("layer_norm", "rms_norm")
} | {name: (placement, "layer_norm", options) for name, (placement, options) in _OPTIONS.items()}
