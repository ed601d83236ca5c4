"""What the scene says of the head."""

from __future__ import annotations

import math

from app.placement.head import Head
from app.placement.words import decimals, figures
from app.strings import say

SAME = 1e-3  # probabilities closer than this are called the same answer


def temperature_line(head: Head, norm: str) -> str:
    """The temperature that stands in for the final norm, and how well it does."""
    if not math.isfinite(head.temperature) or not math.isfinite(head.cooled_entropy):
        return say("place_no_temperature")
    same = norm == "rms_norm" or head.largest_difference < SAME
    return say(
        "place_temperature_exact" if same else "place_temperature_near",
        temperature=figures(head.temperature),
        entropy=decimals(head.cooled_entropy),
        top=decimals(head.cooled_top),
    )
