"""How long a stack will take in NumPy on WebAssembly.

NumPy has no BLAS there. Measured with Pyodide 314.0.4 under Node.js 20: about 2 GFLOP/s, 1.5 ms a
layer for the many small calls, 60 ns to draw a weight. A run that is through corrects the estimate
of the next by how wrong its own was.
"""

from __future__ import annotations

from dataclasses import dataclass

from kernels.stack_settings import StackSettings
from kernels.weights import FFN_EXPANSION

FLOPS_PER_SECOND = 2e9
SECONDS_PER_LAYER = 1.5e-3
SECONDS_PER_WEIGHT = 60e-9

# Of the 4 GiB WebAssembly addresses, the share of all weights and of all forward passes.
WEIGHT_BYTES, PASS_BYTES = 256 * 2**20, 192 * 2**20

TELLING = 0.05  # seconds from which on a run says how fast this machine is

# A run beyond this many seconds waits for a person to ask for it.
PATIENCE = 15.0


def weights_of(settings: StackSettings) -> int:
    """The numbers in all layers' matrices."""
    layers = 1 if settings.shared_layers else settings.depth
    return layers * (4 + 2 * FFN_EXPANSION) * settings.width**2


def operations(settings: StackSettings) -> float:
    """Floating-point operations of one forward and one backward pass.

    A product costs two operations a weight and token, forward once and backward twice; attention
    has two products of T² scores with d features, the backward pass again twice as many.
    """
    tokens, width = settings.tokens, settings.width
    products = 2 * (4 + 2 * FFN_EXPANSION) * tokens * width**2
    scores = 4 * tokens**2 * width
    return 3.0 * settings.depth * (products + scores)


@dataclass
class Clock:
    """Estimates seconds, and learns from what runs really took."""

    correction: float = 1.0

    def seconds(self, settings: StackSettings, *, weights_drawn: bool) -> float:
        """The estimate for one stack, forward and backward."""
        return self.correction * self._nominal(settings, weights_drawn)

    def learn(self, settings: StackSettings, *, weights_drawn: bool, seconds: float) -> None:
        """A run of these settings took so long: move half of the way to what that says.

        A short run says more of the small calls than of the products, and is not learned from.
        """
        if seconds >= TELLING:
            self.correct(seconds / self._nominal(settings, weights_drawn))

    def correct(self, ratio: float) -> None:
        """A run took `ratio` times what was reckoned without the correction."""
        self.correction = min(10.0, max(0.1, (self.correction * ratio) ** 0.5))

    @staticmethod
    def _nominal(settings: StackSettings, weights_drawn: bool) -> float:
        weights = weights_of(settings)
        # What memory does not hold is drawn on the way up and again on the way down.
        draws = 2 if 4 * weights > WEIGHT_BYTES else 0 if weights_drawn else 1
        return (
            operations(settings) / FLOPS_PER_SECOND
            + SECONDS_PER_LAYER * settings.depth
            + SECONDS_PER_WEIGHT * weights * draws
        )
