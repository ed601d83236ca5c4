"""How numbers are written on the page."""

from __future__ import annotations

import math


def short(value: float, digits: int = 4) -> str:
    """A number as the page shows it: a few significant digits, a real minus sign."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 1e6 or size < 1e-4:
        text = f"{value:.{digits - 1}e}"
        mantissa, exponent = text.split("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        text = f"{mantissa}e{int(exponent)}"
    else:
        text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return text.replace("-", "−")
