"""What the head reads from the chosen stack, with and without the final norm, at every depth."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernels.head import HeadReading, read_head, undoing_temperature
from kernels.residual import StackTrace
from kernels.row_norms import ROW_NORMS

SHOWN = 10  # tokens with a bar
WITHOUT, WITH_NORM = 0, 1  # on the first axis of what is read together
MOST_PRODUCTS = 16e6  # multiplications of one reading: some 20 ms in the browser


@dataclass(frozen=True)
class Answer:
    """The head's answer at the end of the stack for the last position, and over depth.

    logits and probabilities belong to the tokens of `Head.tokens`; entropy is in nats; the curves
    are top-1 probability and entropy at every depth [L+1], means over the positions read.
    """

    logits: NDArray[np.floating]
    probabilities: NDArray[np.floating]
    entropy: float
    top: float
    top_curve: NDArray[np.float64]
    entropy_curve: NDArray[np.float64]


@dataclass(frozen=True)
class Head:
    """Both answers on the same stream, and what would make one of them the other.

    temperature undoes the missing norm at the last position: the logits divided by it have the
    size they have after the norm; cooled_entropy and cooled_top belong to the answer without a
    norm at it, largest_difference is between its probabilities and those with the norm.
    """

    tokens: NDArray[np.integer]
    positions: int
    without: Answer
    with_norm: Answer
    temperature: float
    cooled_entropy: float
    cooled_top: float
    largest_difference: float


def positions_read(trace: StackTrace) -> int:
    """How many positions, the last ones, are read at every depth: all, where that is quick."""
    settings = trace.settings
    products = (settings.depth + 1) * settings.width * settings.vocabulary
    return max(1, min(settings.tokens, int(MOST_PRODUCTS // products)))


def read(trace: StackTrace) -> Head:
    """Read the stored stream twice; no block runs."""
    settings, unembedding = trace.settings, trace.vocabulary.unembedding
    positions = positions_read(trace)
    stream = trace.stream[:, -positions:]
    with np.errstate(all="ignore"):  # a stream that left float32's range is a result
        normalized = ROW_NORMS[settings.norm].forward(stream, settings.eps).rows
        both = read_head(np.array([stream, normalized]), unembedding)
        last = stream[-1:, -1:]
        temperature = float(undoing_temperature(last, settings.norm, settings.eps)[0, 0])
        usable = math.isfinite(temperature) and temperature > 0
        cooled = read_head(last, unembedding, temperature=temperature if usable else 1.0)
    wanted = both.probabilities[WITH_NORM, -1, -1]
    tokens = np.argsort(-wanted, kind="stable")[:SHOWN]
    return Head(
        tokens,
        positions,
        _answer(both, WITHOUT, tokens),
        _answer(both, WITH_NORM, tokens),
        temperature,
        float(cooled.entropy[0, 0]),
        float(cooled.top_probability[0, 0]),
        float(np.abs(cooled.probabilities[0, 0] - wanted).max()),
    )


def _answer(both: HeadReading, one: int, tokens: NDArray[np.integer]) -> Answer:
    return Answer(
        both.logits[one, -1, -1, tokens],
        both.probabilities[one, -1, -1, tokens],
        float(both.entropy[one, -1, -1]),
        float(both.top_probability[one, -1, -1]),
        both.top_probability[one].mean(axis=-1, dtype=np.float64),
        both.entropy[one].mean(axis=-1, dtype=np.float64),
    )
