"""The deep stack on the device: the same blocks, weights and measures as `kernels.residual`.

A stack is many products of matrices, which NumPy in WebAssembly computes without BLAS. Here every
block runs on the device, wire by wire in the order of `kernels.blocks`, and its wires are read back
to be measured by the very functions that measure NumPy's. Weights stay on the device between runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kernels.blocks import WIRES, backward_block, forward_block
from kernels.head import head_loss
from kernels.products import WeightGradient, gradient_rms
from kernels.residual import StackTrace, trace_of
from kernels.self_attention import AttentionSaved
from kernels.stack_measures import LayerMeasures, joined, measure_layers, rms, wire_rms
from kernels.stack_passes import vocabulary_of
from kernels.stack_settings import StackSettings
from kernels.webgpu.glue import Array
from kernels.webgpu.later import Later
from kernels.webgpu.request import NotOnGpu, needs
from kernels.webgpu.stack_layer import GpuLayer
from kernels.webgpu.stack_weights import DeviceWeights
from kernels.webgpu.tensors import Scope, Tensor

# Wires are read back when so many bytes of them wait, with one wait for several layers.
READ_BYTES = 8 * 2**20


def check(settings: StackSettings) -> None:
    """Raises `NotOnGpu` with the reason where the device cannot compute these settings."""
    needs(settings.dtype == "float32", f"the stack is {settings.dtype}, and a GPU has float32")
    needs(settings.soft_cap is None, "the gradient of a soft-cap has no compute shader")


class GpuStackRun:
    """One stack on the device. Iterating sends a layer on its way a step and gives None, or an
    awaitable where results are read; `fraction` is done then.

    Raises, in an awaitable: `GpuFailed`; `NotOnGpu` where numbers are no longer finite, for which
    WGSL promises nothing. `trace` is the result once all are through.
    """

    def __init__(self, settings: StackSettings, weights: DeviceWeights) -> None:
        """A run that has done nothing; raises `NotOnGpu` as `check`."""
        check(settings)
        self.settings = settings
        self.trace: StackTrace | None = None
        self.fraction = 0.0
        self._weights = weights

    def __iter__(self) -> Iterator[Later | None]:
        with self._weights.open_scope() as gpu:
            passes = _Passes(self.settings, self._weights, gpu)
            depth = self.settings.depth
            for done in range(depth):
                passes.forward(done)
                self.fraction = (done + 1) / (2 * depth)
                yield passes.forward_reading(last=done == depth - 1)
            passes.turn()
            for done in range(depth):
                passes.backward(depth - 1 - done)
                self.fraction = (depth + done + 1) / (2 * depth)
                yield passes.backward_reading(last=done == depth - 1)
            self.trace = passes.trace()


class _Passes:
    """Both passes: tensors on the device, and what was read back and measured."""

    def __init__(self, settings: StackSettings, weights: DeviceWeights, gpu: Scope) -> None:
        self._settings = settings
        self._weights = weights
        self._gpu = gpu
        self._vocabulary = vocabulary_of(settings)
        embedded = self._vocabulary.embedding[self._vocabulary.tokens]
        self._stream: list[Array] = [embedded[None]]
        self._saved: list[dict[str, Any]] = []
        self._measures: list[LayerMeasures] = []
        self._last: tuple[Array, Array] | None = None
        self._x: Any = gpu.tensor(embedded)
        self._loss = np.nan
        self._gradient_rms = np.full(settings.depth + 1, np.nan)
        self._wire_rms = np.full((settings.depth, len(WIRES)), np.nan)
        self._weight_rms = np.full((settings.depth, 4), np.nan)
        self._waiting: list[tuple[int, dict[str, Tensor], tuple[Any, ...]]] = []
        self._bytes = 0

    def forward_reading(self, *, last: bool) -> Later | None:
        """Reading what ran forward, once enough waits or it was the last layer."""
        return Later(self.read_forward) if last or self._bytes >= READ_BYTES else None

    def backward_reading(self, *, last: bool) -> Later | None:
        """The same for what ran backward."""
        return Later(self.read_backward) if last or self._bytes >= READ_BYTES else None

    def _layer(self, index: int) -> GpuLayer:
        return GpuLayer(self._settings, self._weights.layer(self._settings, index), self._gpu)

    def _wait(self, index: int, wires: dict[str, Any], extra: tuple[Any, ...]) -> None:
        self._waiting.append((index, wires, extra))
        tensors = [*wires.values(), *(x for part in extra for x in part)]
        self._bytes += sum(4 * int(np.prod(tensor.shape)) for tensor in tensors)

    async def _read(self) -> list[tuple[int, dict[str, Array], list[list[Array]]]]:
        """What waits, as arrays; a tensor on several wires is read once and stays one array."""
        waiting, self._waiting, self._bytes = self._waiting, [], 0
        wanted: dict[int, Tensor] = {}
        for _, wires, extra in waiting:
            for tensor in [*wires.values(), *(x for part in extra for x in part)]:
                wanted[id(tensor)] = tensor
        values = await self._gpu.read(*wanted.values())
        arrays = dict(zip(wanted, values, strict=True))
        # Masked scores are −inf; what else is not finite shows as NaN or +inf one step further on.
        if any(np.isnan(array).any() or (array == np.inf).any() for array in values):
            raise NotOnGpu("the stack's numbers are no longer finite")
        return [
            (
                index,
                {name: arrays[id(tensor)] for name, tensor in wires.items()},
                [[arrays[id(tensor)] for tensor in part] for part in extra],
            )
            for index, wires, extra in waiting
        ]

    def forward(self, index: int) -> None:
        """Send the next layer's forward pass on its way."""
        settings = self._settings
        layer: Any = self._layer(index)
        wires, saved = forward_block(self._x, settings.placement, layer, settings.residual_scale)
        self._x = wires["output"]
        self._saved.append(saved)
        attention = saved["attention"]
        self._wait(index, wires, ((attention.scores, attention.probabilities),))

    async def read_forward(self) -> None:
        """Read and measure what ran forward."""
        for _, wires, ((scores, probabilities),) in await self._read():
            batched = _batched(wires)
            kept = measured_attention(scores, probabilities)
            self._measures.append(measure_layers([batched], [kept], self._last, self._settings))
            self._last = batched["attention_branch"], batched["ffn_branch"]
            self._stream.append(batched["output"])

    def turn(self) -> None:
        """The head and its loss, by NumPy; its gradient goes to the device."""
        settings = self._settings
        with np.errstate(all="ignore"):
            head = head_loss(
                self._stream[-1],
                self._vocabulary.unembedding,
                self._vocabulary.targets[None],
                norm=settings.norm if settings.placement.final else None,
                eps=settings.eps,
            )
        self._loss = head.loss
        self._gradient_rms[-1] = rms(head.gradient)
        self._x = self._gpu.tensor(head.gradient[0])

    def backward(self, index: int) -> None:
        """Send a layer's backward pass on its way."""
        settings = self._settings
        layer: Any = self._layer(index)
        wires, weights = backward_block(
            self._x, settings.placement, layer, self._saved[index], settings.residual_scale
        )
        self._x = wires["input"]
        self._saved[index] = {}
        # Each weight's inputs, and the gradients of its outputs: W_QKV has three.
        of_weights: Any = weights
        pairs = tuple((weight.inputs, *weight.gradients) for weight in of_weights)
        self._wait(index, wires, pairs)

    async def read_backward(self) -> None:
        """Read and measure what ran backward."""
        for index, wires, pairs in await self._read():
            self._wire_rms[index] = wire_rms([wires])[0]
            self._gradient_rms[index] = self._wire_rms[index, 0]
            self._weight_rms[index] = [weight_rms(inputs, parts) for inputs, *parts in pairs]

    def trace(self) -> StackTrace:
        """The result."""
        return trace_of(
            self._settings,
            vocabulary=self._vocabulary,
            stream=self._stream,
            measures=joined(self._measures),
            loss=self._loss,
            gradient_rms=self._gradient_rms,
            wire_gradient_rms=self._wire_rms,
            weight_gradient_rms=self._weight_rms,
        )


def _batched(wires: dict[str, Array]) -> dict[str, Array]:
    """Each wire as [1, T, d]; wires that carry one array still do, since measures go by that."""
    batched = {id(wire): wire[None] for wire in wires.values()}
    return {name: batched[id(wire)] for name, wire in wires.items()}


def measured_attention(scores: Array, probabilities: Array) -> AttentionSaved:
    """What `measure_layers` asks of attention, from its scores and probabilities [heads, T, T]."""
    seen = np.tril(np.ones(scores.shape[-2:], dtype=bool))
    wide = probabilities.astype(np.float64)
    logs = np.log(wide, where=wide > 0, out=np.zeros_like(wide))
    entropy = -float((wide * logs).sum()) / (wide.shape[0] * wide.shape[1])
    none = np.empty(0, np.float32)
    largest = float(scores[:, seen].max())
    return AttentionSaved(none, none, None, probabilities, none, None, entropy, largest)


def weight_rms(inputs: Array, parts: list[Array]) -> float:
    """The RMS of a weight's gradient, from its inputs [N, k] and its outputs' gradients."""
    rows = inputs.shape[0]
    gradient = np.concatenate([part.reshape(rows, -1) for part in parts], axis=1)
    return float(gradient_rms([WeightGradient(inputs.reshape(rows, -1), gradient)])[0])
