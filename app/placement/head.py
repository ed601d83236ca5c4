"""What the head reads from the chosen stack, with and without the final norm, at every depth."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernels.head import HeadReading, read_head, undoing_temperature
from kernels.residual import StackTrace

SHOWN = 10  # tokens with a bar
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
        without = read_head(stream, unembedding)
        with_norm = read_head(stream, unembedding, norm=settings.norm, eps=settings.eps)
        last = stream[-1:, -1:]
        temperature = float(undoing_temperature(last, settings.norm, settings.eps)[0, 0])
        usable = math.isfinite(temperature) and temperature > 0
        cooled = read_head(last, unembedding, temperature=temperature if usable else 1.0)
    wanted = with_norm.probabilities[-1, -1]
    tokens = np.argsort(-wanted, kind="stable")[:SHOWN]
    return Head(
        tokens,
        positions,
        _answer(without, tokens),
        _answer(with_norm, tokens),
        temperature,
        float(cooled.entropy[0, 0]),
        float(cooled.top_probability[0, 0]),
        float(np.abs(cooled.probabilities[0, 0] - wanted).max()),
    )


def _answer(reading: HeadReading, tokens: NDArray[np.integer]) -> Answer:
    return Answer(
        reading.logits[-1, -1, tokens],
        reading.probabilities[-1, -1, tokens],
        float(reading.entropy[-1, -1]),
        float(reading.top_probability[-1, -1]),
        reading.top_probability.mean(axis=-1, dtype=np.float64),
        reading.entropy.mean(axis=-1, dtype=np.float64),
    )
