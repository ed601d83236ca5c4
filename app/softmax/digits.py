"""How the Softmax scene writes its numbers: probabilities to five decimals, the rest to three."""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.numbers import short
from app.strings import say

MOST_SPELLED = 3  # longer vectors are told by their length alone


def significant(value: float, digits: int = 3) -> str:
    """A number to so many significant digits: 0.197, 1.23e-4, 11.3, 554."""
    if not math.isfinite(value) or value == 0:
        return short(value)
    exponent = math.floor(math.log10(abs(value)))
    if not -3 <= exponent < 6:
        mantissa, power = f"{value:.{digits - 1}e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        return f"{mantissa}e{int(power)}".replace("-", "−")
    text = f"{value:.{max(0, digits - 1 - exponent)}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−")


def probability(value: float) -> str:
    """0.73106, 0.99988, 0.00012; 1.49e-10 below that; 0 and 1 where it is just that."""
    if value in (0, 1):
        return short(value)
    return f"{value:.5f}" if value >= 1e-4 else significant(value)


def percent(value: float) -> str:
    """12.3 %, 99.99 %, 100 %: as many decimals as tell it from all and from nothing."""
    if value in (0, 1):
        return f"{100 * value:.0f} %"
    for decimals in range(1, 5):
        text = f"{100 * value:.{decimals}f}"
        if 0 < float(text) < 100:
            return f"{text.rstrip('0').rstrip('.')} %"
    if value > 0.5:
        return say("softmax_over", share="99.9999 %")
    return f"{significant(100 * value, 2)} %"


def vector(values: Sequence[float]) -> str:
    """[6, 3], or the length where there are too many numbers to spell: |·| 11.3."""
    if len(values) <= MOST_SPELLED:
        return f"[{', '.join(significant(value) for value in values)}]"
    return f"|·| {significant(math.hypot(*values))}"
