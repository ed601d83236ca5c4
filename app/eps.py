"""The steps of ε on its slider: 0, then 1, 2, 5 in each decade up to 1."""

from __future__ import annotations

import math

EPS_STEPS: tuple[float, ...] = (
    0.0,
    *(float(f"{digit}e{power}") for power in range(-12, 0) for digit in (1, 2, 5)),
    1.0,
)


def nearest_step(eps: float) -> int:
    """The step a slider stands at for an ε, which may lie between two."""
    if eps <= 0:
        return 0
    log = math.log10(eps)
    return min(range(1, len(EPS_STEPS)), key=lambda step: abs(math.log10(EPS_STEPS[step]) - log))


def written(eps: float) -> str:
    """1e-5 as people write it, 0.5 where that is shorter."""
    if eps == 0 or eps >= 0.001:
        return f"{eps:g}"
    mantissa, exponent = f"{eps:e}".split("e")
    return f"{float(mantissa):g}e{int(exponent)}"
