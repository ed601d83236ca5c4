"""The 131 public cases of `cases/normalization.json`, each with its own tolerance."""

import re
from typing import Any

import numpy as np
import pytest

from tests.conformance.kernels.cases import CASES, Case, numbers
from tests.conformance.kernels.model_cases import MODEL_CASES
from tests.conformance.kernels.norm_cases import NORM_CASES
from tests.conformance.kernels.softmax_cases import SOFTMAX_CASES

OPERATIONS = NORM_CASES | SOFTMAX_CASES | MODEL_CASES

# What `expected` says about errors and other libraries, and is no result to compare.
ABOUT_ERRORS = {"error", "match", "torch_error"}
# Softmax at T = 0 and a cap of 0 raise; these stand there to say what others do.
ALTERNATIVES = {"limit", "naive", "alt_disabled"}


def test_there_are_131_cases() -> None:
    assert len(CASES) == 131


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_public_case(case: Case) -> None:
    run = OPERATIONS[case["op"]]
    expected = case["expected"]
    if "error" in expected:
        assert set(expected) <= ABOUT_ERRORS | ALTERNATIVES
        pattern = re.escape(expected["match"]) if "match" in expected else None
        with pytest.raises({"ValueError": ValueError}[expected["error"]], match=pattern):
            run(case)
        return
    answer = run(case)
    compared = 0
    for name, wanted in expected.items():
        if name in ABOUT_ERRORS:
            continue
        compared += 1
        assert name in answer, f"nothing computed for {name}"
        assert_same(answer[name], wanted, case["tol"])
        if name.startswith("wrong_"):
            right = next(iter(answer.values()))
            assert not np.allclose(np.asarray(right), np.asarray(answer[name]), rtol=1e-3)
    assert compared


def assert_same(got: Any, wanted: Any, tol: dict[str, float]) -> None:
    """Numbers within the tolerance, or within one unit of the type they come in."""
    if isinstance(wanted, dict):
        assert got.keys() == wanted.keys()
        for key in wanted:
            assert_same(got[key], wanted[key], tol)
        return
    if isinstance(wanted, str) and wanted not in {"NaN", "Infinity", "-Infinity"}:
        assert got == wanted
        return
    array = np.asarray(got)
    exact = numbers(wanted)
    unit = 0.0
    if array.dtype in (np.float16, np.float32):
        unit = float(np.finfo(array.dtype).eps)
    np.testing.assert_allclose(
        array.astype(np.float64).reshape(exact.shape),
        exact,
        rtol=max(tol["rtol"], unit),
        atol=tol["atol"],
    )
