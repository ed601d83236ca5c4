"""The forward and the backward pass of a deep stack, one layer a step, with what is measured."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.blocks import WIRES, Wires, backward_block, forward_block
from kernels.feed_forward import FfnSaved, ffn, ffn_backward
from kernels.head import HeadLoss, head_loss
from kernels.products import WeightGradient, gradient_rms
from kernels.row_norms import ROW_NORMS, NormalizedRows
from kernels.self_attention import AttentionForm, AttentionSaved, attention, attention_backward
from kernels.stack_measures import (
    LayerMeasures,
    joined,
    layers_together,
    measure_layers,
    rms,
    wire_rms,
)
from kernels.stack_settings import StackSettings
from kernels.weights import LayerWeights, Vocabulary, WeightStore, draw_vocabulary

Array = NDArray[np.floating]


class StackLayer:
    """A block's norms (γ = 1, β = 0) and sublayers, as `kernels.blocks` asks for them.

    inner_gain multiplies W_V and W₁, output_gain the two matrices that write into the stream.
    """

    def __init__(
        self,
        weights: LayerWeights,
        norm: str,
        form: AttentionForm,
        *,
        inner_gain: float = 1.0,
        output_gain: float = 1.0,
    ) -> None:
        self._weights = weights
        self._norm = ROW_NORMS[norm]
        self._form = form
        self._inner_gain = inner_gain
        self._output_gain = output_gain

    def normalize(self, place: str, x: Array) -> tuple[Array, NormalizedRows]:
        """The stack's norm, the same at every place."""
        saved = self._norm.forward(x, self._form.eps)
        return saved.rows, saved

    def normalize_backward(self, place: str, gradient: Array, saved: NormalizedRows) -> Array:
        """Through the norm."""
        return self._norm.backward(gradient, saved)

    def attention(self, x: Array) -> tuple[Array, AttentionSaved]:
        """Causal attention with the gains of W_V and W_O."""
        return attention(
            x,
            self._weights,
            self._form,
            value_gain=self._inner_gain,
            output_gain=self._output_gain,
        )

    def attention_backward(
        self, gradient: Array, saved: AttentionSaved
    ) -> tuple[Array, tuple[WeightGradient, ...]]:
        """Through attention."""
        return attention_backward(
            gradient,
            saved,
            self._weights,
            self._form,
            value_gain=self._inner_gain,
            output_gain=self._output_gain,
        )

    def ffn(self, x: Array) -> tuple[Array, FfnSaved]:
        """The FFN with the gains of W₁ and W₂."""
        return ffn(x, self._weights, hidden_gain=self._inner_gain, output_gain=self._output_gain)

    def ffn_backward(
        self, gradient: Array, saved: FfnSaved
    ) -> tuple[Array, tuple[WeightGradient, ...]]:
        """Through the FFN."""
        return ffn_backward(
            gradient,
            saved,
            self._weights,
            hidden_gain=self._inner_gain,
            output_gain=self._output_gain,
        )


def stack_layer(settings: StackSettings, store: WeightStore, index: int) -> StackLayer:
    """Layer `index` of the stack these settings describe."""
    weights = store.layer(settings.seed, settings.width, 0 if settings.shared_layers else index)
    if settings.dtype != "float32":
        weights = weights.astype(np.dtype(settings.dtype))
    return StackLayer(
        weights,
        settings.norm,
        settings.attention_form,
        inner_gain=settings.init_scale,
        output_gain=settings.output_gain,
    )


class ForwardPass:
    """The stream from the embedding upwards, grown one layer at a time and kept.

    A deeper stack whose layers are the same goes on where this one ends; see
    `StackSettings.forward_key`.
    """

    def __init__(self, settings: StackSettings, store: WeightStore) -> None:
        self.settings = settings
        self._store = store
        self.reserved_bytes = 0
        self.vocabulary = vocabulary_of(settings)
        self.stream: list[Array] = [self.vocabulary.embedding[self.vocabulary.tokens][None]]
        self.saved: list[dict[str, Any]] = []
        self._measured: list[LayerMeasures] = []
        self._unmeasured: list[Wires] = []
        self._together = layers_together(settings)
        self._last_updates: tuple[Array, Array] | None = None

    @property
    def depth(self) -> int:
        """How many layers have run."""
        return len(self.saved)

    def reserve(self, depth: int) -> int:
        """About how many bytes more the pass will hold once so many layers have run."""
        before = self.reserved_bytes
        self.reserved_bytes = max(before, depth * self.settings.layer_bytes)
        return self.reserved_bytes - before

    def step(self) -> None:
        """Run the next layer."""
        settings = self.settings
        layer = stack_layer(settings, self._store, self.depth)
        with np.errstate(all="ignore"):  # a stack without norms may overflow: that is its result
            wires, saved = forward_block(
                self.stream[-1], settings.placement, layer, settings.residual_scale
            )
        self.stream.append(wires["output"])
        self.saved.append(saved)
        self._unmeasured.append(wires)
        if len(self._unmeasured) == self._together:
            self._measure()

    def measures(self, depth: int) -> LayerMeasures:
        """What the first `depth` layers showed; they must have run."""
        self._measure()
        self._measured = [joined(self._measured)]
        return self._measured[0].first(depth)

    def _measure(self) -> None:
        """Measure the layers that are not measured yet."""
        blocks, self._unmeasured = self._unmeasured, []
        if not blocks:
            return
        kept = [saved["attention"] for saved in self.saved[-len(blocks) :]]
        with np.errstate(all="ignore"):
            self._measured.append(measure_layers(blocks, kept, self._last_updates, self.settings))
        self._last_updates = blocks[-1]["attention_branch"], blocks[-1]["ffn_branch"]


class BackwardPass:
    """The gradient of the head's loss, from the last layer down, one layer at a time.

    gradient_rms[i] is the RMS of dL/dx entering layer i; wire_rms and weight_rms hold a row a
    layer, in the order of `WIRES` and of `kernels.weights.WEIGHT_NAMES`.
    """

    def __init__(self, settings: StackSettings, forward: ForwardPass, store: WeightStore) -> None:
        self.settings = settings
        self._forward = forward
        self._store = store
        self._layer = settings.depth
        with np.errstate(all="ignore"):
            self.head: HeadLoss = head_loss(
                forward.stream[settings.depth],
                forward.vocabulary.unembedding,
                forward.vocabulary.targets[None],
                norm=settings.norm if settings.placement.final else None,
                eps=settings.eps,
            )
        self.gradient = self.head.gradient
        self.gradient_rms = np.full(settings.depth + 1, np.nan)
        self.gradient_rms[-1] = rms(self.gradient)
        self.wire_rms = np.full((settings.depth, len(WIRES)), np.nan)
        self.weight_rms = np.full((settings.depth, 4), np.nan)
        self._unmeasured: list[tuple[Wires, tuple[WeightGradient, ...]]] = []
        self._together = layers_together(settings)

    @property
    def steps_left(self) -> int:
        """How many layers are still to come."""
        return self._layer

    def step(self) -> None:
        """Go back through the next layer."""
        self._layer -= 1
        settings, index = self.settings, self._layer
        layer = stack_layer(settings, self._store, index)
        with np.errstate(all="ignore"):
            wires, weights = backward_block(
                self.gradient,
                settings.placement,
                layer,
                self._forward.saved[index],
                settings.residual_scale,
            )
        self.gradient = wires["input"]
        self._unmeasured.append((wires, weights))
        if index == 0 or len(self._unmeasured) == self._together:
            self._measure()

    def _measure(self) -> None:
        """Measure the layers that are not measured yet."""
        blocks, self._unmeasured = self._unmeasured, []
        rows = slice(self._layer, self._layer + len(blocks))
        upwards = blocks[::-1]
        with np.errstate(all="ignore"):
            self.wire_rms[rows] = wire_rms([wires for wires, _ in upwards])
            for column, same in enumerate(zip(*(weights for _, weights in upwards), strict=True)):
                self.weight_rms[rows, column] = gradient_rms(same)
        self.gradient_rms[rows] = self.wire_rms[rows, 0]


def vocabulary_of(settings: StackSettings) -> Vocabulary:
    """The text, the embedding and the head of a stack, in its type."""
    size = settings.seed, settings.width, settings.tokens, settings.vocabulary
    return _vocabulary(*size, settings.dtype)


@lru_cache(maxsize=8)  # every placement of a stack reads the same one
def _vocabulary(seed: int, width: int, tokens: int, vocabulary: int, type_name: str) -> Vocabulary:
    drawn = draw_vocabulary(seed, width, tokens, vocabulary)
    for array in (drawn.embedding, drawn.unembedding, drawn.tokens, drawn.targets):
        array.flags.writeable = False  # it is shared
    dtype = np.dtype(type_name)
    return Vocabulary(
        drawn.embedding.astype(dtype, copy=False),
        drawn.unembedding.astype(dtype, copy=False),
        drawn.tokens,
        drawn.targets,
    )
