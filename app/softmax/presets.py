"""Chains to start from, as patches of the state: the kernels' own presets, and some of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from app.fields.softmax import FIELDS
from app.tensor import Tensor
from kernels.softmax_chain import PRESETS, ChainPreset

# What a preset sets: all of the chain. Which head and cell one looks at is not part of it.
SET = tuple(field.name for field in FIELDS if not field.silent)
DEFAULTS: dict[str, Any] = {field.name: field.default for field in FIELDS if not field.silent}


def patch_of(preset: ChainPreset) -> dict[str, Any]:
    """A preset of the kernels as a patch; what it does not speak of goes to its default."""
    settings = preset.settings
    mask = preset.mask or (True,) * len(preset.keys)
    return DEFAULTS | {
        "softmax_vectors": Tensor("[N,C]", np.array([preset.query, *preset.keys])),
        "softmax_scale": settings.query_scale,
        "softmax_factor": settings.scale,
        "softmax_norm": settings.qk_norm or "off",
        "softmax_eps": settings.eps,
        "softmax_cap": settings.soft_cap or 0.0,
        "softmax_cap_order": "after_mask" if settings.cap_after_mask else "before_mask",
        "softmax_temperature": settings.temperature,
        "softmax_masked": tuple(key for key, seen in enumerate(mask) if not seen),
    }


def _vectors(*rows: list[float]) -> Tensor:
    return Tensor("[N,C]", np.array(rows))


# The title in `strings` is "softmax_preset_" and the key.
SOFTMAX_PRESETS: dict[str, dict[str, Any]] = {
    "plain": patch_of(PRESETS["plain"]),
    "tripled": patch_of(PRESETS["tripled"]),
    "qk_norm_tripled": patch_of(PRESETS["qk_norm_tripled"]),
    "tripled_scaled": patch_of(PRESETS["tripled_scaled"]),
    "bound": patch_of(PRESETS["bound"]),
    "soft_cap": patch_of(PRESETS["soft_cap"]),
    "cap_before_mask": patch_of(PRESETS["cap_before_mask"]),
    "cap_after_mask": patch_of(PRESETS["cap_after_mask"]),
    # Gains that differ by feature: norm and rotation no longer commute.
    "rope_order": DEFAULTS
    | {
        "softmax_vectors": _vectors([1, 2], [2, 1], [-1, 2], [1, -1]),
        "softmax_factor": None,
        "softmax_norm": "rms",
        "softmax_gains": ((2.0, 1.0), (1.0, 1.0)),
        "softmax_rope": "rope_then_norm",
        "softmax_position": 2,
    },
    # One head much longer than the other: a statistic over all heads keeps that ratio.
    "over_heads": DEFAULTS
    | {
        "softmax_vectors": _vectors([2, 1, 8, 4], [1, 0, 4, 0], [0, 1, 0, 4]),
        "softmax_heads": 2,
        "softmax_factor": None,
        "softmax_norm": "rms",
        "softmax_norm_over": "all_heads",
    },
}


def preset_of(state: Mapping[str, Any]) -> str | None:
    """The preset whose every field the state has, if one is."""
    for key, patch in SOFTMAX_PRESETS.items():
        if all(state[name] == patch[name] for name in _QUICK_FIRST):
            return key
    return None


# A preset's fields, the vectors last: comparing arrays takes the longest.
_QUICK_FIRST = sorted(DEFAULTS, key=lambda name: name == "softmax_vectors")
