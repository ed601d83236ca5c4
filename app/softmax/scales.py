"""The steps of the Softmax scene's sliders: few digits, evenly apart on a logarithmic scale."""

from __future__ import annotations

import math

DIGITS = (1, 1.5, 2, 3, 4, 5, 6, 8)

SCALE_STEPS: tuple[float, ...] = (
    *(float(f"{digit}e{power}") for power in (-1, 0, 1) for digit in DIGITS),
    100.0,
)
CAP_STEPS: tuple[float, ...] = (0, 0.5, 1, 1.5, 2, 3, 4, 5, 8, 10, 15, 20, 30, 40, 50, 75, 100)
TEMPERATURE_STEPS: tuple[float, ...] = (
    *(float(f"{digit}e-1") for digit in (1, 1.5, 2, 3, 4, 5, 6, 8)),
    *(1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0),
)


def nearest(steps: tuple[float, ...], value: float) -> int:
    """The step a slider stands at for a value, which may lie between two."""
    if value <= 0:
        return 0

    def apart(index: int) -> float:
        return abs(math.log(steps[index] / value)) if steps[index] > 0 else math.inf

    return min(range(len(steps)), key=apart)
