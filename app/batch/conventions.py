"""How frameworks update running statistics: what momentum weighs, and which variance is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kernels.running import update_weights


@dataclass(frozen=True)
class Convention:
    """One way to read ``momentum``, as the arguments of `kernels.batch_norm`.

    Attributes:
        title: whose it is.
        momentum_convention: whether momentum weighs the new value ("pytorch") or the old ("keras").
        unbiased: whether the running variance is divided by m − 1, as torch stores it.
        cumulative: ``momentum=None``: every batch weighs the same.
    """

    title: str
    momentum_convention: str
    unbiased: bool
    cumulative: bool = False

    def arguments(self, momentum: float) -> dict[str, Any]:
        """The keyword arguments of `kernels.batch_norm`."""
        return {
            "momentum": None if self.cumulative else momentum,
            "momentum_convention": self.momentum_convention,
            "unbiased_running_var": self.unbiased,
        }

    def weights(self, momentum: float, batches_seen: int) -> tuple[float, float]:
        """The weights of the old and of the new value in the next update."""
        given = None if self.cumulative else momentum
        return update_weights(given, self.momentum_convention, batches_seen)


# torch 2.13; Keras 3.15, Flax 0.12 and ONNX BatchNormalization-15 agree with one another.
CONVENTIONS: dict[str, Convention] = {
    "pytorch": Convention("PyTorch", "pytorch", unbiased=True),
    "keras": Convention("Keras, Flax, ONNX", "keras", unbiased=False),
    "cumulative": Convention("momentum=None", "pytorch", unbiased=True, cumulative=True),
}


@dataclass(frozen=True)
class Settings:
    """What a BatchNorm layer is made with."""

    eps: float = 1e-5
    momentum: float = 0.1
    convention: str = "pytorch"

    @property
    def rule(self) -> Convention:
        """The row of `CONVENTIONS`."""
        return CONVENTIONS[self.convention]

    def arguments(self, batches_seen: int = 0) -> dict[str, Any]:
        """The keyword arguments of `kernels.batch_norm`, ε among them."""
        return {
            "eps": self.eps,
            "num_batches_tracked": batches_seen,
            **self.rule.arguments(self.momentum),
        }
