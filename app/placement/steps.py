"""The values the sliders stop at; a link or a script may set any between them."""

from __future__ import annotations

from collections.abc import Sequence

from kernels.stack_settings import LIMITS

DEPTHS = range(LIMITS["depth"][0], LIMITS["depth"][1] + 1)
WIDTHS = (16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
TOKENS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
GAINS = (
    *(step / 20 for step in range(21)),  # 0 to 1 by 0.05
    *(1 + step / 10 for step in range(1, 11)),  # to 2 by 0.1
    *(2.0 + step / 2 for step in range(1, 5)),  # to 4 by 0.5
)


def heads_of(width: int) -> tuple[int, ...]:
    """The numbers of heads a width can be shared among."""
    return tuple(heads for heads in range(1, LIMITS["heads"][1] + 1) if width % heads == 0)


def nearest(steps: Sequence[float], value: float) -> int:
    """The position of the step closest to a value."""
    return min(range(len(steps)), key=lambda index: abs(steps[index] - value))
