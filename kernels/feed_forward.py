"""The feed-forward sublayer of a transformer block, forward and by hand backward.

Two matrices with a GELU between them, without biases and dropout.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernels.products import WeightGradient, project, project_back
from kernels.weights import LayerWeights

Array = NDArray[np.floating]

# GELU by its tanh form: Hendrycks and Gimpel 2016, section 2; GPT-2.
_GELU_SCALE = (2.0 / np.pi) ** 0.5
_GELU_CUBIC = 0.044715


@dataclass(frozen=True, slots=True)
class FfnSaved:
    """What the FFN's backward pass needs, each [N, …]: inputs [d], the rest [4d]."""

    inputs: Array
    before: Array
    tanh: Array
    activated: Array


def ffn(
    x: Array, weights: LayerWeights, *, hidden_gain: float = 1.0, output_gain: float = 1.0
) -> tuple[Array, FfnSaved]:
    """GELU(x W₁) W₂ for x [B, T, d]; hidden_gain and output_gain multiply W₁ and W₂.

    Source: Vaswani et al. 2017, section 3.3, with the GELU of GPT-2 in place of the ReLU.
    """
    inputs = x.reshape(-1, x.shape[-1])
    before = project(inputs, weights.hidden)
    if hidden_gain != 1.0:
        before *= hidden_gain
    inner = before * before
    inner *= _GELU_SCALE * _GELU_CUBIC
    inner += _GELU_SCALE
    inner *= before
    tanh = np.tanh(inner, out=inner)
    activated = tanh + 1.0
    activated *= before
    activated *= 0.5
    update = project(activated, weights.down)
    if output_gain != 1.0:
        update *= output_gain
    return update.reshape(x.shape), FfnSaved(inputs, before, tanh, activated)


def ffn_backward(
    gradient: Array,
    saved: FfnSaved,
    weights: LayerWeights,
    *,
    hidden_gain: float = 1.0,
    output_gain: float = 1.0,
) -> tuple[Array, tuple[WeightGradient, WeightGradient]]:
    """dL/dx of `ffn` from dL/d(its output) [B, T, d], and the gradients of W₁ and W₂.

    GELU′(z) = ½(1 + t) + ½·z·(1 − t²)·√(2/π)·(1 + 3·0.044715·z²), t the tanh of the forward pass.
    """
    update = gradient.reshape(-1, gradient.shape[-1])
    down = WeightGradient(saved.activated, update)
    scaled = update * output_gain if output_gain != 1.0 else update
    before = project_back(scaled, weights.down)
    before *= _gelu_slope(saved)
    hidden = WeightGradient(saved.inputs, before)
    back = project_back(before, weights.hidden)
    if hidden_gain != 1.0:
        back *= hidden_gain
    return back.reshape(gradient.shape), (hidden, down)


def _gelu_slope(saved: FfnSaved) -> Array:
    # (1 − t²)·z first, which is 0 for large z, whose square may be more than float32 holds.
    bell = 1.0 - saved.tanh * saved.tanh
    bell *= saved.before
    slope = bell * saved.before
    slope *= saved.before
    slope *= 3.0 * _GELU_CUBIC
    slope += bell
    slope *= _GELU_SCALE
    slope += saved.tanh
    slope += 1.0
    slope *= 0.5
    return slope
