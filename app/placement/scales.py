"""Ranges, ticks and the places of labels for the plots of curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.placement.series import THEORY, Row

LEAVES = 30.0  # how far beyond the others a curve that runs away is followed


@dataclass(frozen=True)
class Scale:
    """A range of an axis with its ticks."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def around(self, other: Scale, log: bool) -> Scale:
        """The range that holds both."""
        low, high = min(self.low, other.low), max(self.high, other.high)
        if (low, high) == (other.low, other.high):
            return other
        if (low, high) == (self.low, self.high):
            return self
        ticks = log_ticks(low, high) if log else tuple(sorted({*self.ticks, *other.ticks}))
        return Scale(low, high, ticks)

    @property
    def far(self) -> bool:
        """Whether its ticks are better written as powers of ten."""
        return any(tick and not 1e-4 <= abs(tick) < 1e6 for tick in self.ticks)


def log_scale(data: dict[str, Row], chosen: str) -> Scale:
    """A logarithmic range around all the curves, at least a factor of 4, ticks at round numbers.

    A stack without norms can run away by many powers of ten and flatten every other curve; unless
    it is the chosen one, its curve leaves the range after one and a half, and so does the theory's.
    """
    wild = {key: row for key, row in data.items() if key in {THEORY, "none"} - {chosen}}
    lows, highs = _ends({key: row for key, row in data.items() if key not in wild})
    if not lows:
        return Scale(0.5, 2.0, (0.5, 1.0, 2.0))
    low, high = min(lows), max(highs)
    wild_lows, wild_highs = _ends(wild)
    low = min([low, *(max(value, low / LEAVES) for value in wild_lows)])
    high = max([high, *(min(value, high * LEAVES) for value in wild_highs)])
    widen = max(1.15, (4.0 * low / high) ** 0.5)
    low, high = low / widen, high * widen
    return Scale(low, high, log_ticks(low, high))


def log_ticks(low: float, high: float) -> tuple[float, ...]:
    """Three to seven round numbers in a range: 1, 2, 5 a decade, or whole decades far apart."""
    first, last = int(np.floor(np.log10(low))), int(np.ceil(np.log10(high)))
    if last - first > 4:
        step = -(-(last - first) // 6)
        found = [10.0**power for power in range(first, last + 1, step)]
    else:
        digits = (1, 2, 5) if last - first <= 3 else (1,)
        found = [digit * 10.0**power for power in range(first, last + 1) for digit in digits]
    return tuple(tick for tick in found if low <= tick <= high)


def linear_scale(data: dict[str, Row], *, least: float) -> Scale:
    """A range around all the curves and 0, at least `least` to either side."""
    lows, highs = _ends(data)
    low, high = min([-least, *lows]), max([least, *highs])
    room = 0.06 * (high - low)
    step = 0.5 if high - low > 1.2 else 0.2 if high - low > 0.5 else 0.1
    ticks = np.arange(np.ceil((low - room) / step), np.floor((high + room) / step) + 1) * step
    return Scale(low - room, high + room, tuple(float(tick) for tick in np.round(ticks, 6)))


def linear_range(data: dict[str, Row], low: float, high: float) -> Scale:
    """A range around all the curves that holds at least low to high, with ticks by halves."""
    lows, highs = _ends(data)
    low, high = min([low, *lows]), max([high, *highs])
    room = 0.04 * (high - low)
    step = 0.5 if high - low < 4 else 1.0 if high - low < 8 else 5.0
    ticks = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
    return Scale(low - room, high + room, tuple(float(tick) for tick in ticks))


def _ends(data: dict[str, Row]) -> tuple[list[float], list[float]]:
    present = [row[np.isfinite(row)] for key, row in data.items() if key != "x"]
    present = [row for row in present if len(row)]
    return [float(row.min()) for row in present], [float(row.max()) for row in present]


def layer_ticks(depth: int) -> tuple[int, ...]:
    """Layers that are named under a plot: four or so, the last always."""
    step = next(step for step in (1, 2, 4, 6, 8, 12, 16, 24, 32) if depth / step <= 5)
    inner = [layer for layer in range(0, depth, step) if depth - layer > step / 2]
    return (*inner, depth)


def spread(positions: list[float], gap: float, low: float, high: float) -> list[float]:
    """The same positions moved so that neighbours are at least `gap` apart, as little as can be.

    Positions too close are put around their common mean, in their order, as labels beside curves
    are; all stay between low and high while there is room for them.
    """

    def start(group: list[int]) -> float:
        middle = sum(positions[index] for index in group) / len(group)
        size = gap * len(group)
        return max(low, min(middle - size / 2, high - size))

    order = sorted(range(len(positions)), key=lambda index: positions[index])
    groups: list[list[int]] = []
    for index in order:
        groups.append([index])
        while len(groups) > 1 and start(groups[-1]) < start(groups[-2]) + gap * len(groups[-2]):
            groups[-2:] = [groups[-2] + groups[-1]]
    placed = [0.0] * len(positions)
    for group in groups:
        for rank, index in enumerate(group):
            placed[index] = start(group) + gap * (rank + 0.5)
    return placed
