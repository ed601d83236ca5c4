"""A deep stack on one set of weights, under any placement of its norms.

`simulate_stack` runs one from end to end. A page that must stay alive takes a `StackRun` from
`Stacks` and iterates over it: one layer a step, with the fraction done, to be dropped at any point.
`Stacks` keeps what was computed, so a change computes only what it touches: a final norm switched
on runs no block forward, and a deeper stack only its new layers.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.blocks import WIRES
from kernels.growth import GrowthAccount, account_for_growth, predicted_rms
from kernels.head import HeadReading, read_head, undoing_temperature
from kernels.placements import Placement, named_placement
from kernels.stack_measures import LayerMeasures
from kernels.stack_passes import BackwardPass, ForwardPass
from kernels.stack_settings import StackSettings
from kernels.weights import Vocabulary, WeightStore

Array = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class StackTrace:
    """What a stack did, layer by layer.

    L is the depth, T the tokens, d the width, V the vocabulary.

    stream [L+1, T, d]        the residual stream entering layer 0 … L−1, and leaving the last
    stream_rms [L+1]          its root mean square over tokens and features
    predicted_rms [L+1]       the same by the theory (`kernels.growth`)
    wire_rms [L, 11]          RMS on every wire of each block, as `kernels.blocks.WIRES` lists them
    update_rms [L, 2]         what attention and FFN add to the stream
    update_cosine [2L−1]      cosine of each update with the one before it
    layer_cosine [L−1]        cosine of each layer's whole update with the layer before's
    stream_cosine [L, 2]      cosine of each update with the stream it is added to
    attention_entropy [L]     mean over heads and tokens, nats
    largest_score [L]         the largest score of attention before its softmax
    loss                      mean cross-entropy of the head, nats
    gradient_rms [L+1]        RMS of dL/d(stream), where `stream` has its values
    wire_gradient_rms [L, 11] RMS of the gradient on every wire
    weight_gradient_rms [L, 4]  of W_QKV, W_O, W₁, W₂ as scaled at initialization
    growth                    the measured growth against the theory, and which assumption fails
    """

    settings: StackSettings
    vocabulary: Vocabulary
    stream: Array
    stream_rms: NDArray[np.float64]
    predicted_rms: NDArray[np.float64]
    wire_rms: NDArray[np.float64]
    update_rms: NDArray[np.float64]
    update_cosine: NDArray[np.float64]
    layer_cosine: NDArray[np.float64]
    stream_cosine: NDArray[np.float64]
    attention_entropy: NDArray[np.float64]
    largest_score: NDArray[np.float64]
    loss: float
    gradient_rms: NDArray[np.float64]
    wire_gradient_rms: NDArray[np.float64]
    weight_gradient_rms: NDArray[np.float64]
    growth: GrowthAccount

    def read_head(
        self, *, final_norm: bool | None = None, temperature: float | Array = 1.0
    ) -> HeadReading:
        """The head's answer at every depth, [L+1, T, …], with or without the final norm.

        final_norm None: as the placement says. Uses the stored stream; no block runs.
        """
        settings = self.settings
        on = settings.placement.final if final_norm is None else final_norm
        with np.errstate(all="ignore"):
            return read_head(
                self.stream,
                self.vocabulary.unembedding,
                norm=settings.norm if on else None,
                temperature=temperature,
                eps=settings.eps,
            )

    @property
    def logits(self) -> Array:
        """What the head reads at every depth, [L+1, T, V], with the placement's final norm."""
        return self.read_head().logits

    def undoing_temperature(self) -> Array:
        """At every depth and token [L+1, T], the temperature that stands in for a final norm."""
        with np.errstate(all="ignore"):
            return undoing_temperature(self.stream, self.settings.norm, self.settings.eps)

    def first_overflow(self) -> tuple[int, str] | None:
        """The layer and wire whose RMS is the first not finite on the way forward, or None."""
        absent = ("attention_sum", "middle") if self.settings.placement.parallel else ()
        if np.isfinite(self.wire_rms).all():
            return None
        for layer, row in enumerate(self.wire_rms):
            for wire, value in zip(WIRES, row, strict=True):
                if wire not in absent and not np.isfinite(value):
                    return layer, wire
        return None


class StackRun:
    """One stack being computed. Iterating runs it, a layer a step, and yields the fraction done.

    Stop by not asking for the next step; what was computed stays in the `Stacks` it came from.
    """

    def __init__(self, settings: StackSettings, stacks: Stacks) -> None:
        self.settings = settings
        self._stacks = stacks
        self.trace: StackTrace | None = stacks.finished(settings)

    def __iter__(self) -> Iterator[float]:
        if self.trace is not None:
            return
        depth = self.settings.depth
        forward = self._stacks.forward(self.settings)
        steps = max(depth - forward.depth, 0) + depth
        done = 0
        while forward.depth < depth:
            forward.step()
            done += 1
            yield done / steps
        backward = BackwardPass(self.settings, forward, self._stacks.weights)
        while backward.steps_left:
            backward.step()
            done += 1
            if not backward.steps_left:
                self.trace = trace_of(
                    self.settings,
                    vocabulary=forward.vocabulary,
                    stream=forward.stream[: depth + 1],
                    measures=forward.measures(depth),
                    loss=backward.head.loss,
                    gradient_rms=backward.gradient_rms,
                    wire_gradient_rms=backward.wire_rms,
                    weight_gradient_rms=backward.weight_rms,
                )
                self._stacks.keep(self.trace)
            yield done / steps

    def finish(self) -> StackTrace:
        """Run what is left and return the trace."""
        for _ in self:
            pass
        if self.trace is None:
            raise RuntimeError("the run ended without a trace")
        return self.trace


class Stacks:
    """The weights, forward passes and traces computed so far, up to limits of memory.

    The least recently used forward passes and traces go first; weights see `WeightStore`.
    """

    def __init__(
        self, *, weights: WeightStore | None = None, limit_bytes: int = 256 * 2**20
    ) -> None:
        self.weights = WeightStore() if weights is None else weights
        self.limit_bytes = limit_bytes
        self._passes: OrderedDict[Hashable, ForwardPass] = OrderedDict()
        self._traces: OrderedDict[StackSettings, StackTrace] = OrderedDict()
        self._held_bytes = (
            0  # of both; what a pass is about to hold counts from when it is asked for
        )

    def run(
        self,
        placement: Placement | str,
        norm: str = "layer_norm",
        depth: int = 24,
        width: int = 64,
        tokens: int = 16,
        **options: Any,
    ) -> StackRun:
        """A run of the stack these settings describe, as `simulate_stack` takes them."""
        if isinstance(placement, str):
            placement = named_placement(placement)
        settings = StackSettings(placement, norm, depth, width, tokens, **options)
        return StackRun(settings, self)

    def forward(self, settings: StackSettings) -> ForwardPass:
        """The forward pass these settings share, with the layers it has so far."""
        key = settings.forward_key()
        held = self._passes.get(key)
        if held is None:
            held = self._passes[key] = ForwardPass(settings, self.weights)
        self._passes.move_to_end(key)
        self._held_bytes += held.reserve(settings.depth)
        self._forget()
        return held

    def finished(self, settings: StackSettings) -> StackTrace | None:
        """The trace of these very settings, if it is still held."""
        trace = self._traces.get(settings)
        if trace is not None:
            self._traces.move_to_end(settings)
        return trace

    def keep(self, trace: StackTrace) -> None:
        """Hold a finished trace."""
        before = self._traces.pop(trace.settings, None)
        self._traces[trace.settings] = trace
        self._held_bytes += trace.stream.nbytes - (0 if before is None else before.stream.nbytes)
        self._forget()

    def _forget(self) -> None:
        while self._held_bytes > self.limit_bytes and len(self._passes) > 1:
            self._held_bytes -= self._passes.popitem(last=False)[1].reserved_bytes
        while self._held_bytes > self.limit_bytes and len(self._traces) > 1:
            self._held_bytes -= self._traces.popitem(last=False)[1].stream.nbytes


def simulate_stack(
    placement: Placement | str,
    norm: str = "layer_norm",
    depth: int = 24,
    width: int = 64,
    tokens: int = 16,
    *,
    seed: int = 0,
    stacks: Stacks | None = None,
    **options: Any,
) -> StackTrace:
    """Run a stack of transformer blocks forward, its loss backward, and measure every layer.

    placement is a `Placement` or a name of `kernels.placements.PLACEMENTS`; norm is "layer_norm" or
    "rms_norm"; depth is 1 to 128 layers of width 16 to 1024 on tokens positions. seed draws the
    weights, the same for every placement and norm. `StackSettings` lists the other options: heads,
    gain, residual_scaling, qk_norm, soft_cap, and more. `stacks` holds what earlier calls computed;
    without it nothing is reused.

    Raises ValueError for a setting out of range.
    """
    return (
        (Stacks() if stacks is None else stacks)
        .run(placement, norm, depth, width, tokens, seed=seed, **options)
        .finish()
    )


def trace_of(
    settings: StackSettings,
    *,
    vocabulary: Vocabulary,
    stream: list[Array],
    measures: LayerMeasures,
    loss: float,
    gradient_rms: NDArray[np.float64],
    wire_gradient_rms: NDArray[np.float64],
    weight_gradient_rms: NDArray[np.float64],
) -> StackTrace:
    """The trace of a stack from what was measured in each layer, wherever it was computed.

    stream holds the L+1 arrays [1, T, d]; the others are as in `StackTrace`.
    """
    wire_rms = measures.wire_rms
    columns = {name: wire_rms[:, index] for index, name in enumerate(WIRES)}
    stream_rms = np.append(columns["input"], columns["output"][-1])
    update_rms = np.column_stack([columns["attention_branch"], columns["ffn_branch"]])
    with np.errstate(all="ignore"):
        growth = account_for_growth(
            settings.placement,
            stream_rms=stream_rms,
            input_rms=np.column_stack([columns["attention_input"], columns["ffn_input"]]),
            update_rms=update_rms,
            cross_terms=measures.cross,
            update_gain=settings.update_gain,
        )
        predicted = predicted_rms(
            settings.placement, settings.depth, settings.update_gain, initial=float(stream_rms[0])
        )
    return StackTrace(
        settings=settings,
        vocabulary=vocabulary,
        stream=np.concatenate(stream),
        stream_rms=stream_rms,
        predicted_rms=predicted,
        wire_rms=wire_rms,
        update_rms=update_rms,
        update_cosine=measures.update_cosine.ravel()[1:],
        layer_cosine=measures.layer_cosine[1:],
        stream_cosine=measures.stream_cosine,
        attention_entropy=measures.attention_entropy,
        largest_score=measures.largest_score,
        loss=loss,
        gradient_rms=gradient_rms,
        wire_gradient_rms=wire_gradient_rms,
        weight_gradient_rms=weight_gradient_rms,
        growth=growth,
    )
