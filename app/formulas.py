"""The steps of a normalizer's formula as MathML, and which number stands at each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.normalizers import Normalized


@dataclass(frozen=True)
class Step:
    """One step: its formula, its name in `strings`, and its number for a cell."""

    formula: str
    name: str
    number: Callable[[Normalized, tuple[int, ...], float], float]


def math(body: str) -> str:
    """A formula."""
    return f"<math><mrow>{body}</mrow></math>"


X = "<mi>x</mi>"
MU = "<mi>μ</mi>"
VARIANCE = "<msup><mi>σ</mi><mn>2</mn></msup>"
MEAN_SQUARE = "<mover><msup><mi>x</mi><mn>2</mn></msup><mo>¯</mo></mover>"
EPS = "<mi>ε</mi>"
HAT = "<mover><mi>x</mi><mo>^</mo></mover>"
CENTRED = f"<mo>(</mo>{X}<mo>−</mo>{MU}<mo>)</mo>"


def root(inside: str) -> str:
    """√(inside + ε)."""
    return f"<msqrt><mrow>{inside}<mo>+</mo>{EPS}</mrow></msqrt>"


CENTRED_STEPS = (
    Step(math(X), "step_x", lambda n, c, x: x),
    Step(math(MU), "step_mean", lambda n, c, x: n.statistic("mean", c)),
    Step(math(VARIANCE), "step_variance", lambda n, c, x: n.statistic("variance", c)),
    Step(math(root(VARIANCE)), "step_denominator", lambda n, c, x: n.statistic("denominator", c)),
    Step(
        math(f"{HAT}<mo>=</mo>{CENTRED}<mo>/</mo>{root(VARIANCE)}"),
        "step_normalized",
        lambda n, c, x: float(n.result.normalized[c]),
    ),
)
UNCENTRED_STEPS = (
    Step(math(X), "step_x", lambda n, c, x: x),
    Step(math(MEAN_SQUARE), "step_mean_square", lambda n, c, x: n.statistic("mean_square", c)),
    Step(
        math(root(MEAN_SQUARE)), "step_denominator", lambda n, c, x: n.statistic("denominator", c)
    ),
    Step(
        math(f"{HAT}<mo>=</mo>{X}<mo>/</mo>{root(MEAN_SQUARE)}"),
        "step_normalized",
        lambda n, c, x: float(n.result.normalized[c]),
    ),
)
Y = "<mi>y</mi><mo>=</mo>"
PLAIN_OUTPUT = Step(math(f"{Y}{HAT}"), "step_output", lambda n, c, x: float(n.result.output[c]))
SCALED = f"<mi>γ</mi><mo>·</mo>{HAT}"


def affine_steps(normalized: Normalized, channel: int) -> tuple[Step, ...]:
    """γ, β and the output, where they are not 1 and 0; RMSNorm has no β."""
    affine = normalized.affine
    if affine is None:
        return (PLAIN_OUTPUT,)
    gain = Step(math("<mi>γ</mi>"), "step_gain", lambda n, c, x: float(affine.weight[c[channel]]))
    output = PLAIN_OUTPUT.number
    if not normalized.centered:
        return gain, Step(math(f"{Y}{SCALED}"), "step_output", output)
    bias = Step(math("<mi>β</mi>"), "step_bias", lambda n, c, x: float(affine.bias[c[channel]]))
    return gain, bias, Step(math(f"{Y}{SCALED}<mo>+</mo><mi>β</mi>"), "step_output", output)


def steps_of(normalized: Normalized, channel: int) -> tuple[Step, ...]:
    """The steps of a normalizer, from the value to the output."""
    first = CENTRED_STEPS if normalized.centered else UNCENTRED_STEPS
    return (*first, *affine_steps(normalized, channel))
