"""The runner: chosen first, nothing twice, slices, stopping, and work that waits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.placement.backend import NumpyBackend, choose
from app.placement.catalogue import LISTED
from app.placement.runner import Runner
from kernels.placements import PLACEMENTS, Placement
from kernels.residual import StackTrace, simulate_stack
from kernels.stack_settings import StackSettings

SMALL = StackSettings(PLACEMENTS["pre_ln_final"].placement, depth=3, width=16, tokens=4, heads=2)


def finished(runner: Runner) -> list[str]:
    """Run to the end; the keys in the order their results came."""
    return [step for step in runner.steps() if isinstance(step, str)]


def work(runner: Runner) -> tuple[int, int]:
    """Layers run forward and backward so far."""
    backend = runner.backends[-1]
    assert isinstance(backend, NumpyBackend)
    return backend.work.forward_layers, backend.work.backward_layers


@pytest.fixture
def runner() -> Runner:
    """A runner that has all placements of the small stack."""
    runner = Runner()
    runner.begin(SMALL)
    finished(runner)
    return runner


def test_the_chosen_placement_comes_first_then_its_opposite_then_the_rest() -> None:
    runner = Runner()
    runner.begin(SMALL)
    order = finished(runner)
    assert order[:2] == ["pre_ln_final", "post_ln"]
    assert set(order) == set(LISTED)
    assert runner.chosen is runner.traces["pre_ln_final"]
    assert not runner.busy


def test_placements_that_differ_by_the_final_norm_share_their_forward_pass(runner: Runner) -> None:
    # 8 placements, of which Pre-LN with and without final norm have one forward pass.
    assert work(runner) == (7 * 3, 8 * 3)


def test_the_final_norm_switched_runs_nothing_where_the_table_has_both(runner: Runner) -> None:
    before = work(runner)
    runner.begin(replace(SMALL, placement=PLACEMENTS["pre_ln"].placement))
    assert finished(runner) == []
    assert work(runner) == before


def test_the_final_norm_switched_on_a_block_of_ones_own_runs_no_layer_forward(
    runner: Runner,
) -> None:
    gemma = PLACEMENTS["before_and_after"].placement
    before = work(runner)
    runner.begin(replace(SMALL, placement=gemma.toggled("final")))
    assert finished(runner) == ["own"]
    assert work(runner) == (before[0], before[1] + 3)


def test_a_deeper_stack_runs_only_its_new_layers_forward(runner: Runner) -> None:
    before = work(runner)
    runner.begin(replace(SMALL, depth=4))
    finished(runner)
    # DeepNorm's α follows the depth: it alone starts anew.
    assert work(runner)[0] - before[0] == 6 * 1 + 4


def test_results_are_those_of_the_kernel_on_the_same_weights(runner: Runner) -> None:
    for key, trace in runner.traces.items():
        fresh = simulate_stack(key, depth=3, width=16, tokens=4, heads=2)
        np.testing.assert_array_equal(trace.stream_rms, fresh.stream_rms)
        np.testing.assert_array_equal(trace.gradient_rms, fresh.gradient_rms)


def test_a_change_drops_what_no_longer_holds_and_going_back_runs_nothing(runner: Runner) -> None:
    runner.begin(replace(SMALL, gain=0.5))
    assert runner.traces == {}
    finished(runner)
    before = work(runner)
    runner.begin(SMALL)
    assert set(runner.traces) == set(LISTED)
    assert work(runner) == before


def test_stopped_work_keeps_its_layers_and_goes_on() -> None:
    runner = Runner()
    runner.begin(SMALL)
    for step in runner.steps():
        if step == "post_ln":
            break
    done = work(runner)
    runner.stop()
    assert not runner.busy
    assert set(runner.missing) == set(LISTED) - {"pre_ln_final", "post_ln"}
    runner.resume()
    finished(runner)
    assert runner.missing == []
    assert work(runner) == (7 * 3, 8 * 3)
    assert done == (2 * 3, 2 * 3)


def test_slices_end_between_layers_and_tell_how_far_the_work_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.placement.runner.SLICE", 0.0)
    runner = Runner()
    runner.begin(SMALL)
    fractions = [runner.fraction for step in runner.steps() if step is None]
    assert len(fractions) == 7 * 3 + 8 * 3  # a slice a layer
    assert fractions == sorted(fractions)
    assert runner.fraction == pytest.approx(1.0)


def test_a_placement_of_ones_own_is_computed_too() -> None:
    runner = Runner()
    own = Placement(attention_input=True, ffn_sum=True)
    runner.begin(replace(SMALL, placement=own))
    assert finished(runner)[0] == "own"
    assert len(runner.traces) == 9


def test_what_would_take_long_waits_for_a_person() -> None:
    runner = Runner()
    large = replace(SMALL, depth=96, width=512, tokens=16)
    runner.begin(large)
    assert runner.plan.now == ()
    assert runner.plan.chosen_held
    assert runner.plan.seconds_chosen > 15
    assert not runner.busy
    assert finished(runner) == []
    runner.resume()
    assert runner.busy
    assert len(runner.plan.now) == 8


def test_where_only_the_others_would_take_long_the_chosen_runs() -> None:
    runner = Runner()
    runner.begin(replace(SMALL, depth=24, width=512, tokens=16))
    assert runner.plan.now[0] == "pre_ln_final"
    assert runner.plan.held
    assert not runner.plan.chosen_held


class GraphicsRun:
    """A run whose steps have to be waited for."""

    title = "graphics"

    def __init__(self, settings: StackSettings, log: list[str]) -> None:
        self.settings = settings
        self.log = log
        self.trace: StackTrace | None = None

    def __iter__(self) -> Iterator[float | Awaitable[object]]:
        async def wait() -> None:
            self.log.append("waited")

        yield wait()
        yield 0.5
        settings = self.settings
        self.trace = simulate_stack(
            settings.placement, depth=settings.depth, width=16, tokens=4, heads=2
        )


class Graphics:
    """A backend that takes wide stacks only."""

    title = "graphics"

    def __init__(self, least: int) -> None:
        self.least = least
        self.log: list[str] = []

    def takes(self, settings: StackSettings) -> bool:
        return settings.width >= self.least

    def finished(self, settings: StackSettings) -> StackTrace | None:
        return None

    def run(self, settings: StackSettings) -> GraphicsRun:
        return GraphicsRun(settings, self.log)

    def seconds(self, settings: StackSettings) -> float:
        return 0.1


def test_a_faster_backend_is_used_for_what_it_takes_and_its_steps_are_awaited() -> None:
    graphics, numpy = Graphics(least=16), NumpyBackend()
    runner = Runner((graphics, numpy))
    runner.begin(SMALL)

    async def go() -> None:
        for step in runner.steps():
            if isinstance(step, Awaitable):
                await step

    # In a thread of its own: the browser's tests leave an event loop running in this one.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, go()).result()
    assert set(runner.traces) == set(LISTED)
    assert graphics.log == ["waited"] * 8
    assert numpy.work.forward_layers == 0


def test_numpy_takes_what_no_other_backend_does() -> None:
    backends: Any = (Graphics(least=512), NumpyBackend())
    assert choose(backends, SMALL).title == "NumPy"
    assert choose(backends, replace(SMALL, width=512)).title == "graphics"


class Exhausted(NumpyBackend):
    """A backend that runs out of memory."""

    def run(self, settings: StackSettings) -> Any:
        raise MemoryError


def test_memory_that_runs_out_is_told_and_nothing_is_left_running() -> None:
    runner = Runner((Exhausted(),))
    runner.begin(SMALL)
    assert finished(runner) == []
    assert not runner.busy
    assert runner.refusal == "Memory ran out. Take fewer tokens, layers or features."
    runner.begin(SMALL)
    assert runner.refusal == ""


def test_a_stack_that_cannot_be_leaves_nothing_of_the_one_before(runner: Runner) -> None:
    runner.refuse("too large")
    assert runner.chosen is None
    assert runner.traces == {}
    assert runner.missing == []
    assert not runner.busy
    assert finished(runner) == []
