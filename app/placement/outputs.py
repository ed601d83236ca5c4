"""The numbers on show, as `normscope.outputs()` gives them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from app.placement.backend import NumpyBackend
from app.placement.head import Head
from app.placement.runner import Runner
from app.placement.series import wires
from app.placement.training import Training
from kernels.residual import StackTrace
from kernels.training import RECIPES
from kernels.weights import WEIGHT_NAMES


def outputs_of(
    runner: Runner, training: Training, head: Head | None, *, gradient: bool, block: int
) -> dict[str, Any]:
    """Everything, keys as documented in README.

    placements has a key for each placement that is through; running, missing and fraction say what
    is not; work counts the layers NumPy has run since the page was opened.
    """
    trace = runner.chosen
    backend = runner.backends[-1]
    return {
        "placements": {key: _placement(one) for key, one in runner.traces.items()},
        "block": None if trace is None else wires(trace, block, gradient=gradient),
        "head": None if head is None else asdict(head),
        "refusal": runner.refusal,
        "running": runner.next,
        "busy": runner.busy,
        "fraction": runner.fraction,
        "missing": list(runner.missing),
        "work": asdict(backend.work) if isinstance(backend, NumpyBackend) else {},
        "training": {
            "going": training.going,
            "steps": training.steps_done,
            "losses": {name: training.losses(name) for name in RECIPES},
        },
    }


def _placement(trace: StackTrace) -> dict[str, Any]:
    gradients = trace.weight_gradient_rms
    return {
        "stream_rms": trace.stream_rms,
        "predicted_rms": trace.predicted_rms,
        "update_rms": trace.update_rms,
        "gradient_rms": trace.gradient_rms,
        "weight_gradient_rms": {name: gradients[:, n] for n, name in enumerate(WEIGHT_NAMES)},
        "update_cosine": trace.update_cosine,
        "layer_cosine": trace.layer_cosine,
        "loss": trace.loss,
        "growth": asdict(trace.growth),
    }
