"""The deep stack against PyTorch 2.13, recorded by record_torch.py (float64)."""

import functools
from pathlib import Path

import numpy as np
import pytest

from kernels.placements import PLACEMENTS
from kernels.residual import Stacks, StackTrace, simulate_stack
from kernels.stack_passes import BackwardPass
from kernels.weights import draw_layer
from tests.conformance.residual.cases import CASES, SIZE


@pytest.fixture(scope="module")
def recorded() -> dict[str, np.ndarray]:
    with np.load(Path(__file__).with_name("torch.npz")) as data:
        return dict(data)


@functools.cache
def run(case: str, dtype: str) -> StackTrace:
    name, norm, options = CASES[case]
    placement = PLACEMENTS[name].placement
    return simulate_stack(placement, norm, dtype=dtype, **SIZE, **options)


def rms(x: np.ndarray) -> np.ndarray:
    return np.sqrt(np.square(x).mean(axis=(-1, -2)))


def test_weights_are_those_the_record_was_made_with(recorded: dict[str, np.ndarray]) -> None:
    drawn = [draw_layer(SIZE["seed"], SIZE["width"], i).down.sum() for i in range(SIZE["depth"])]
    assert sum(map(float, drawn)) == pytest.approx(float(recorded["weights_sum"]), abs=1e-6)


@pytest.mark.parametrize("case", CASES)
def test_stream_is_pytorchs(recorded: dict[str, np.ndarray], case: str) -> None:
    np.testing.assert_allclose(
        run(case, "float64").stream, recorded[f"{case}/stream"], rtol=1e-10, atol=1e-12
    )


@pytest.mark.parametrize("case", CASES)
def test_loss_and_logits_are_pytorchs(recorded: dict[str, np.ndarray], case: str) -> None:
    trace = run(case, "float64")
    assert trace.loss == pytest.approx(float(recorded[f"{case}/loss"]), rel=1e-12)
    np.testing.assert_allclose(
        trace.read_head().logits[-1], recorded[f"{case}/logits"], rtol=1e-10, atol=1e-12
    )


@pytest.mark.parametrize("case", CASES)
def test_gradients_are_pytorchs(recorded: dict[str, np.ndarray], case: str) -> None:
    trace = run(case, "float64")
    expected = recorded[f"{case}/gradient"]
    np.testing.assert_allclose(trace.gradient_rms, rms(expected), rtol=1e-10)
    if trace.settings.shared_layers:  # PyTorch adds the layers' gradients of the one matrix up
        return
    np.testing.assert_allclose(trace.weight_gradient_rms, recorded[f"{case}/weight_rms"], rtol=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_first_layers_gradient_is_pytorchs_in_every_entry(
    recorded: dict[str, np.ndarray], case: str
) -> None:
    stacks = Stacks()
    settings = run(case, "float64").settings
    forward = stacks.forward(settings)
    while forward.depth < settings.depth:
        forward.step()
    backward = BackwardPass(settings, forward, stacks.weights)
    for index in reversed(range(settings.depth + 1)):
        np.testing.assert_allclose(
            backward.gradient[0], recorded[f"{case}/gradient"][index], rtol=1e-9, atol=1e-13
        )
        if index:
            backward.step()


@pytest.mark.parametrize("case", CASES)
def test_float32_stays_near_pytorchs_float64(recorded: dict[str, np.ndarray], case: str) -> None:
    trace = run(case, "float32")
    expected = recorded[f"{case}/stream"]
    np.testing.assert_allclose(trace.stream, expected, rtol=1e-4, atol=1e-4 * rms(expected).max())
    np.testing.assert_allclose(trace.gradient_rms, rms(recorded[f"{case}/gradient"]), rtol=1e-3)
