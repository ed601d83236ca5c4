"""What is timed, inside the Python that is timed. Needs NumPy and `kernels`, nothing else.

Times are seconds. Subjects that are compared run in turn within one process, and each number is the
median of the rounds.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from kernels.placements import PLACEMENTS
from kernels.residual import Stacks, simulate_stack
from kernels.training import RECIPES, TrainingRun
from kernels.weights import WeightStore

# name: depth, width, tokens
STACKS = {"depth 24, width 64": (24, 64, 16), "depth 24, width 256": (24, 256, 16)}

# rows, features in, features out: the products of those stacks, and one layer of width 1024
PRODUCTS = (
    (16, 64, 64),
    (16, 64, 192),
    (16, 64, 256),
    (16, 256, 64),
    (16, 256, 1024),
    (16, 1024, 4096),
)


def seconds(run: Callable[[], Any]) -> float:
    """One run's time."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def stack_times(depth: int, width: int, tokens: int, rounds: int) -> dict[str, Any]:
    """Drawing the weights; each placement alone; the whole table; a final norm switched on."""
    weights = WeightStore()
    drawn = seconds(lambda: [weights.layer(0, width, index) for index in range(depth)])
    sizes = ("layer_norm", depth, width, tokens)

    def run_all(names: Iterable[str], stacks: Stacks) -> None:
        for name in names:
            simulate_stack(PLACEMENTS[name].placement, *sizes, stacks=stacks)

    times: dict[str, list[float]] = {name: [] for name in PLACEMENTS}
    table, switched = [], []
    for _ in range(rounds):
        table.append(seconds(partial(run_all, PLACEMENTS, Stacks(weights=weights))))
        for name in PLACEMENTS:
            stacks = Stacks(weights=weights)
            times[name].append(seconds(partial(run_all, [name], stacks)))
            if name == "pre_ln":
                switched.append(seconds(partial(run_all, ["pre_ln_final"], stacks)))
    return {
        "weights": drawn,
        "placements": {name: median(runs) for name, runs in times.items()},
        "table": median(table),
        "final norm switched": median(switched),
        "head at every depth": head_time(depth, width, tokens, weights, rounds),
    }


def head_time(depth: int, width: int, tokens: int, weights: WeightStore, rounds: int) -> float:
    """Reading logits, softmax and entropy at every depth from the stored stream."""
    placement = PLACEMENTS["pre_ln"].placement
    stacks = Stacks(weights=weights)
    trace = simulate_stack(placement, "layer_norm", depth, width, tokens, stacks=stacks)
    return median(seconds(lambda: trace.read_head(final_norm=True)) for _ in range(rounds))


def product_times(rounds: int) -> dict[str, dict[str, float]]:
    """x W by `einsum` and by `@`, and the product with W's transpose of the backward pass."""
    generator = np.random.default_rng(0)
    found = {}
    for rows, inner, outer in PRODUCTS:
        x = generator.standard_normal((rows, inner), dtype=np.float32)
        weight = generator.standard_normal((inner, outer), dtype=np.float32)
        gradient = generator.standard_normal((rows, outer), dtype=np.float32)
        ways: dict[str, Callable[[], Any]] = {
            "einsum": partial(np.einsum, "nk,kj->nj", x, weight),
            "matmul": partial(np.matmul, x, weight),
            "einsum back": partial(np.einsum, "nj,kj->nk", gradient, weight),
            "matmul back": partial(np.matmul, gradient, weight.T),
        }
        repeats = max(1, int(3e6 / (rows * inner * outer)))
        samples: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(rounds):
            for way, run in ways.items():
                samples[way].append(seconds(partial(_repeat, run, repeats)))
        found[f"{rows},{inner},{outer}"] = {
            way: median(times) / repeats for way, times in samples.items()
        }
    return found


def _repeat(run: Callable[[], Any], times: int) -> None:
    for _ in range(times):
        run()


def training_times() -> dict[str, dict[str, float]]:
    """Each recipe of the tiny model: seconds, and the mean loss of its last 20 steps."""
    found = {}
    for name, recipe in RECIPES.items():
        run = TrainingRun(recipe)
        taken = seconds(partial(list, run))
        loss = float(np.mean([step.loss for step in run.history[-20:]]))
        found[name] = {"seconds": taken, "loss": loss}
    return found


def as_json(rounds: int) -> str:
    """All measurements."""
    return json.dumps(
        {
            "numpy": np.__version__,
            "stacks": {name: stack_times(*size, rounds) for name, size in STACKS.items()},
            "products": product_times(rounds),
            "training": training_times(),
        }
    )
