"""Curves of the layer plots: for each view, one row of numbers a placement over the same layers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.placement.catalogue import LISTED, OWN
from kernels.blocks import WIRES
from kernels.residual import StackTrace
from kernels.weights import WEIGHT_NAMES

Row = NDArray[np.float64]

# The columns of a plot's source beside x: a curve a placement, and what belongs to the chosen one.
CURVES = (*LISTED, OWN)
THEORY, ATTENTION, FFN = "theory", "attention", "ffn"
COLUMNS = (*CURVES, THEORY, ATTENTION, FFN)


@dataclass(frozen=True)
class View:
    """What of a trace a plot shows: where the first value stands, the values, and its number."""

    first: int  # layer of the first value: 0 is what enters the stack, ℓ what layer ℓ did
    values: Callable[[StackTrace], Row]
    number: Callable[[StackTrace], float]  # that stands in the list of placements
    log: bool = True
    sign: str = ""  # before the number


def both_updates(trace: StackTrace) -> Row:
    """RMS over both updates of each layer [depth]: √((a² + f²) / 2)."""
    return np.sqrt(np.square(trace.update_rms).mean(axis=1))


def growth_of(trace: StackTrace) -> float:
    """How many times the stream's RMS grew from the first layer's input to the last's output."""
    return float(trace.stream_rms[-1] / trace.stream_rms[0])


def mean_cosine(trace: StackTrace) -> float:
    """The mean cosine between neighbouring layers' updates; NaN for a stack of one layer."""
    return float(trace.layer_cosine.mean()) if len(trace.layer_cosine) else float("nan")


VIEWS: dict[str, View] = {
    "stream": View(0, lambda trace: trace.stream_rms, growth_of, sign="×"),
    "updates": View(1, both_updates, lambda trace: float(both_updates(trace)[-1])),
    "gradient": View(
        0,
        lambda trace: trace.gradient_rms,
        lambda trace: float(trace.gradient_rms[0] / trace.gradient_rms[-1]),
        sign="×",
    ),
    "cosine": View(2, lambda trace: trace.layer_cosine, mean_cosine, log=False),
}


def columns(name: str, traces: dict[str, StackTrace], chosen: str, depth: int) -> dict[str, Row]:
    """The data of a view: x, and the columns of `COLUMNS` that are known, NaN for no number."""
    view = VIEWS[name]
    data: dict[str, Row] = {"x": np.arange(view.first, depth + 1, dtype=np.float64)}
    for key, trace in traces.items():
        data[key] = drawable(view.values(trace), view.log)
    own = traces.get(chosen)
    if own is not None and name == "stream":
        data[THEORY] = drawable(own.predicted_rms, view.log)
    if own is not None and name == "updates":
        data[ATTENTION] = drawable(own.update_rms[:, 0], view.log)
        data[FFN] = drawable(own.update_rms[:, 1], view.log)
    return data


def drawable(values: Row, log: bool = True) -> Row:
    """The values, NaN where they are infinite or, on a log axis, not above 0."""
    good = np.isfinite(values) & ((values > 0) | (not log))
    return np.where(good, values, np.nan)


def down_gradient(trace: StackTrace) -> Row:
    """RMS of the gradient of W₂, the FFN's second matrix, in each layer [depth]."""
    return trace.weight_gradient_rms[:, WEIGHT_NAMES.index("down")]


def wires(trace: StackTrace, block: int, *, gradient: bool) -> dict[str, float]:
    """RMS on the wires of a block (from 1), or of the gradient on them; absent wires left out."""
    rows = trace.wire_gradient_rms if gradient else trace.wire_rms
    absent = ("attention_sum", "middle") if trace.settings.placement.parallel else ()
    return {
        name: float(value)
        for name, value in zip(WIRES, rows[block - 1], strict=True)
        if name not in absent
    }
