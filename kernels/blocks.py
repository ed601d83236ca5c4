"""One transformer block under any placement, forward and backward, wire by wire.

The order of norms, sublayers and sums stands here once; what a norm, attention and the FFN are
comes from the caller. The deep stack brings its own sublayers, the tests of published models
theirs, and both run the same placement.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kernels.placements import Placement
from kernels.products import WeightGradient

Array = NDArray[np.floating]

# The wires of a block in the order the numbers pass them. Where a place is off, the wire after it
# carries what the wire before it does. A parallel block has no attention_sum and no middle.
WIRES = (
    "input",  # x
    "attention_input",  # into attention
    "attention",  # out of attention
    "attention_branch",  # into the sum
    "attention_sum",  # α·x + the above
    "middle",  # h
    "ffn_input",
    "ffn",
    "ffn_branch",
    "ffn_sum",
    "output",  # y
)

# Each place between the wire that enters its norm and the one that leaves it.
PLACE_WIRES = {
    "attention_input": ("input", "attention_input"),
    "attention_branch": ("attention", "attention_branch"),
    "attention_sum": ("attention_sum", "middle"),
    "ffn_input": ("middle", "ffn_input"),
    "ffn_branch": ("ffn", "ffn_branch"),
    "ffn_sum": ("ffn_sum", "output"),
}

Wires = dict[str, Array]


class ForwardOperations(Protocol):
    """What a block is made of. Each returns its output and what its backward pass needs."""

    def normalize(self, place: str, x: Array) -> tuple[Array, Any]:
        """The norm that stands at `place`."""

    def attention(self, x: Array) -> tuple[Array, Any]:
        """The attention sublayer without norms and sum."""

    def ffn(self, x: Array) -> tuple[Array, Any]:
        """The feed-forward sublayer without norms and sum."""


class BackwardOperations(Protocol):
    """The same backward: from the gradient of an output to the gradient of its input."""

    def normalize_backward(self, place: str, gradient: Array, saved: Any) -> Array:
        """Through the norm that stands at `place`."""

    def attention_backward(
        self, gradient: Array, saved: Any
    ) -> tuple[Array, tuple[WeightGradient, ...]]:
        """Through attention, with its weights' gradients."""

    def ffn_backward(self, gradient: Array, saved: Any) -> tuple[Array, tuple[WeightGradient, ...]]:
        """Through the FFN, with its weights' gradients."""


def forward_block(
    x: Array, placement: Placement, operations: ForwardOperations, residual_scale: float = 1.0
) -> tuple[Wires, dict[str, Any]]:
    """Run x [..., T, d] through one block.

    Returns the arrays on the block's wires (`WIRES`; the last is the block's output) and what
    `backward_block` needs. residual_scale is α. The formulas stand in `kernels.placements`.
    """
    saved: dict[str, Any] = {}

    def norm(place: str, value: Array) -> Array:
        if not getattr(placement, place):
            return value
        value, saved[place] = operations.normalize(place, value)
        return value

    wires: Wires = {"input": x}
    skip: Array = x * residual_scale if residual_scale != 1.0 else x
    wires["attention_input"] = norm("attention_input", x)
    wires["attention"], saved["attention"] = operations.attention(wires["attention_input"])
    wires["attention_branch"] = norm("attention_branch", wires["attention"])
    total: Array = skip + wires["attention_branch"]
    if placement.parallel:
        middle = x
    else:
        wires["attention_sum"] = total
        middle = wires["middle"] = norm("attention_sum", total)
        total = middle * residual_scale if residual_scale != 1.0 else middle
    wires["ffn_input"] = norm("ffn_input", middle)
    wires["ffn"], saved["ffn"] = operations.ffn(wires["ffn_input"])
    wires["ffn_branch"] = norm("ffn_branch", wires["ffn"])
    wires["ffn_sum"] = total + wires["ffn_branch"]
    wires["output"] = norm("ffn_sum", wires["ffn_sum"])
    return wires, saved


def backward_block(
    gradient: Array,
    placement: Placement,
    operations: BackwardOperations,
    saved: dict[str, Any],
    residual_scale: float = 1.0,
) -> tuple[Wires, tuple[WeightGradient, ...]]:
    """From dL/d(output) back to dL/d(input) of the block that `forward_block` ran.

    Returns the gradient on every wire ("input" is the block's own result) and the gradients of
    the weights, attention's first.
    """

    def norm(place: str, value: Array) -> Array:
        if not getattr(placement, place):
            return value
        return operations.normalize_backward(place, value, saved[place])

    wires: Wires = {"output": gradient}
    wires["ffn_sum"] = norm("ffn_sum", gradient)
    wires["ffn_branch"] = wires["ffn_sum"]
    wires["ffn"] = norm("ffn_branch", wires["ffn_branch"])
    wires["ffn_input"], of_ffn = operations.ffn_backward(wires["ffn"], saved["ffn"])
    through_ffn = norm("ffn_input", wires["ffn_input"])
    total = wires["ffn_sum"]
    skip: Array = total * residual_scale if residual_scale != 1.0 else total
    if not placement.parallel:
        wires["middle"] = skip + through_ffn
        total = wires["attention_sum"] = norm("attention_sum", wires["middle"])
        skip = total * residual_scale if residual_scale != 1.0 else total
    wires["attention_branch"] = total
    wires["attention"] = norm("attention_branch", total)
    wires["attention_input"], of_attention = operations.attention_backward(
        wires["attention"], saved["attention"]
    )
    wires["input"] = skip + norm("attention_input", wires["attention_input"])
    if placement.parallel:
        wires["input"] += through_ffn
    return wires, of_attention + of_ffn
