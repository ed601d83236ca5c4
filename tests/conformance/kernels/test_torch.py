"""Forward and backward against what PyTorch 2.13 answered; `record_torch.py` wrote it down."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kernels
from tests.conformance.kernels.torch_cases import TORCH_CASES, TorchCase, draw_inputs
from tests.conformance.kernels.torch_faults import FAULTS, Fault

RECORDING = np.load(Path(__file__).with_name("torch_2.13.0.npz"))
# softmax and log_softmax return an array, the others a result with running statistics.
PLAIN = {"softmax", "log_softmax"}


def recorded(case: TorchCase, name: str) -> np.ndarray:
    return RECORDING[f"{case.name}/{name}"]


def tolerance(case: TorchCase, factor: float = 1.0) -> dict[str, float]:
    """What torch's own rounding allows.

    In float64 it grows with |x|/σ, since torch subtracts a mean that is rounded. In float32 and
    float16 the recorded numbers were rounded, and torch computes float32 in float32.
    """
    if case.dtype == "float64":
        return {"rtol": 1e-11, "atol": factor * 1e-13 * max(1.0, abs(case.offset) / case.scale)}
    if case.dtype == "float32":
        return {"rtol": 2e-6, "atol": factor * 2e-6}
    return {"rtol": 2e-3, "atol": factor * 2e-3}


def arguments(case: TorchCase) -> dict[str, Any]:
    """x and the parameters as they went into torch."""
    names = ["x", *case.parameters]
    return {name: recorded(case, f"in_{name}") for name in names} | case.options


def test_the_recording_is_of_torch_2_13() -> None:
    assert str(RECORDING["version"]).startswith("2.13.0")


def test_the_recording_has_these_cases_and_no_others() -> None:
    names = {key.partition("/")[0] for key in RECORDING.files} - {"version", "fault"}
    assert names == {case.name for case in TORCH_CASES}
    assert len(names) == len(TORCH_CASES)


@pytest.mark.parametrize("case", TORCH_CASES, ids=lambda case: case.name)
def test_the_seed_still_draws_the_recorded_inputs(case: TorchCase) -> None:
    # To the last bits: the recorded statistics were summed on another processor.
    for name, value in draw_inputs(case).items():
        np.testing.assert_allclose(value, recorded(case, f"in_{name}"), rtol=1e-15)


@pytest.mark.parametrize("case", TORCH_CASES, ids=lambda case: case.name)
def test_forward_is_that_of_torch(case: TorchCase) -> None:
    result = getattr(kernels, case.kernel)(**arguments(case))
    output = result if case.kernel in PLAIN else result.output
    assert output.dtype == case.dtype
    np.testing.assert_allclose(output, recorded(case, "output"), **tolerance(case))
    for name in ("running_mean", "running_var"):
        if name in case.parameters:
            after = getattr(result, name)
            assert after.dtype == case.dtype
            np.testing.assert_allclose(after, recorded(case, name), **tolerance(case))


@pytest.mark.parametrize("case", TORCH_CASES, ids=lambda case: case.name)
def test_backward_is_that_of_torch(case: TorchCase) -> None:
    named = arguments(case)
    for unused in ("bias", "momentum"):
        named.pop(unused, None)
    gradient = recorded(case, "in_grad_output")
    grads = getattr(kernels, f"{case.kernel}_backward")(gradient, **named)
    # g/σ is what cancels in ∂L/∂x, and in float32 torch has lost its last digits by then.
    factor = 10.0
    if case.kernel not in PLAIN:
        denominator = getattr(kernels, case.kernel)(**arguments(case)).denominator
        factor *= max(1.0, float(np.max(np.abs(gradient)) / np.min(denominator)))
    dx = grads if case.kernel in PLAIN else grads.x
    np.testing.assert_allclose(dx, recorded(case, "grad_x"), **tolerance(case, factor))
    for name in {"weight", "bias"} & case.parameters.keys():
        np.testing.assert_allclose(
            getattr(grads, name), recorded(case, f"grad_{name}"), **tolerance(case, 10)
        )


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_where_torch_is_wrong_the_exact_value_counts(fault: Fault) -> None:
    named = {name: np.array(value, fault.dtype) for name, value in fault.inputs.items()}
    ours = getattr(kernels, fault.kernel)(**named, **fault.options).output.ravel()
    unit = float(np.finfo(fault.dtype).eps)
    np.testing.assert_allclose(ours, fault.exact, rtol=2 * unit, atol=0)
    theirs = RECORDING[f"fault/{fault.name}"].ravel()
    assert not np.allclose(theirs, fault.exact, rtol=1e-3, atol=1e-7), "torch is right by now"
