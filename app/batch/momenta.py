"""The steps of the momentum slider: hundredths, and the ends where frameworks' defaults lie."""

from __future__ import annotations

MOMENTA: tuple[float, ...] = (
    0.0,
    0.001,
    *(hundredth / 100 for hundredth in range(1, 100)),
    0.999,
    1.0,
)


def nearest_momentum(momentum: float) -> int:
    """The step a slider stands at for a momentum, which may lie between two."""
    return min(range(len(MOMENTA)), key=lambda step: abs(MOMENTA[step] - momentum))
