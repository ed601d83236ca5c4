"""How the residual stream should grow, and which assumption fails where it does not.

The theory has two assumptions: a sublayer fed with a stream of RMS 1 writes an update of RMS g
("size"), and each update is uncorrelated with the stream it is added to ("independence"). Then
mean squares add, and a Pre-LN stack of ℓ layers, two sublayers each, has RMS √(1 + 2ℓg²).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernels.placements import Placement

# An assumption counts as failing once it alone moves the stream's RMS by more than this share.
TOLERANCE = 0.05


def predicted_rms(
    placement: Placement, depth: int, update_gain: float, *, initial: float = 1.0
) -> NDArray[np.float64]:
    """The stream's RMS entering layer 0 … depth, were both assumptions true: [depth + 1].

    update_gain g is the RMS of a sublayer's output for a unit-RMS input. A sublayer without a norm
    before it is taken to write g times its input's RMS; one with a norm on its branch writes 1;
    α multiplies the stream; a norm after the sum sets it to 1. For norms before the sublayers only
    this is √(initial² + 2ℓg²), for no norms at all (1 + g²)^ℓ · initial.
    """

    rms = np.empty(depth + 1)
    rms[0] = initial
    for layer in range(depth):
        stream = float(rms[layer])
        attention = _update(
            update_gain, stream, placement.attention_input, placement.attention_branch
        )
        middle = _after_attention(placement, depth, stream, attention)
        ffn_reads = stream if placement.parallel else middle
        ffn = _update(update_gain, ffn_reads, placement.ffn_input, placement.ffn_branch)
        rms[layer + 1] = _after_ffn(placement, depth, middle, ffn)
    return rms


def uncorrelated_rms(
    placement: Placement, update_rms: NDArray[np.floating], initial: float
) -> NDArray[np.float64]:
    """The stream's RMS if updates of the measured sizes [depth, 2] were uncorrelated: [depth + 1].

    It lies between the prediction and the measurement: what separates it from the first is the
    updates' size, what separates it from the second is their correlation.
    """
    depth = len(update_rms)
    rms = np.empty(depth + 1)
    rms[0] = initial
    for layer in range(depth):
        middle = _after_attention(placement, depth, rms[layer], float(update_rms[layer, 0]))
        rms[layer + 1] = _after_ffn(placement, depth, middle, float(update_rms[layer, 1]))
    return rms


def _update(update_gain: float, stream: float, input_norm: bool, branch_norm: bool) -> float:
    if branch_norm:
        return 1.0
    return update_gain if input_norm else update_gain * stream


def _after_attention(placement: Placement, depth: int, stream: float, update: float) -> float:
    if placement.attention_sum:
        return 1.0
    return float(np.hypot(placement.residual_scale(depth) * stream, update))


def _after_ffn(placement: Placement, depth: int, stream: float, update: float) -> float:
    if placement.ffn_sum:
        return 1.0
    scale = 1.0 if placement.parallel else placement.residual_scale(depth)
    return float(np.hypot(scale * stream, update))


@dataclass(frozen=True, slots=True)
class GrowthAccount:
    """Why the measured stream is not the predicted one.

    predicted, uncorrelated and measured are RMS values at the end of the stack. size_factor is
    uncorrelated over predicted: what the updates' real sizes do. correlation_factor is measured
    over uncorrelated: what their correlation with the stream does; above 1 they point along it.
    size_ratio is the updates' mean square over the assumed one, for attention and for FFN (1 where
    the assumption holds). cross_ratio is 2·Σ mean(αx·u) / Σ mean(u²), over all updates (0 where
    it holds). failing names the assumptions that move the RMS by more than `TOLERANCE`.
    """

    predicted: float
    uncorrelated: float
    measured: float
    size_factor: float
    correlation_factor: float
    size_ratio: tuple[float, float]
    cross_ratio: float
    failing: tuple[str, ...]


def account_for_growth(
    placement: Placement,
    *,
    stream_rms: NDArray[np.floating],
    input_rms: NDArray[np.floating],
    update_rms: NDArray[np.floating],
    cross_terms: NDArray[np.floating],
    update_gain: float,
) -> GrowthAccount:
    """Compare a stack's measured growth with the theory.

    stream_rms [depth + 1]; for attention and FFN of each layer, [depth, 2]: input_rms of what the
    sublayer reads, update_rms of what enters the sum, cross_terms mean(αx·u) at that sum.
    """
    depth = len(update_rms)
    initial, measured = float(stream_rms[0]), float(stream_rms[-1])
    predicted = float(predicted_rms(placement, depth, update_gain, initial=initial)[-1])
    uncorrelated = float(uncorrelated_rms(placement, update_rms, initial)[-1])
    factors = {"size": uncorrelated / predicted, "independence": measured / uncorrelated}
    assumed = update_gain * input_rms
    for column, on in enumerate((placement.attention_branch, placement.ffn_branch)):
        if on:
            assumed[:, column] = 1.0
    ratios = np.square(update_rms / assumed).mean(axis=0)
    return GrowthAccount(
        predicted,
        uncorrelated,
        measured,
        factors["size"],
        factors["independence"],
        (float(ratios[0]), float(ratios[1])),
        float(2.0 * cross_terms.sum() / np.square(update_rms).sum()),
        tuple(name for name, factor in factors.items() if not abs(factor - 1.0) <= TOLERANCE),
    )
