"""No kernel is further than 4 units in the last place from the correctly rounded answer."""

import numpy as np
import pytest

import kernels
from tests.conformance.kernels.accuracy import GOAL, MEASURED, errors


@pytest.mark.parametrize("name", MEASURED)
def test_within_4_ulps_of_the_correctly_rounded_answer(name: str) -> None:
    missed = {f"{given.name}, {size}": error for size, given, error in errors(name)}
    assert len(missed) > 50
    assert {where: error for where, error in missed.items() if not error <= GOAL} == {}


def test_2_to_the_25_values_down_the_slow_axis() -> None:
    # Integers around 1e6: their sums and the sums of their squares are exact in int64.
    count = 2**25
    steps = np.random.default_rng(0).integers(-8, 9, (count, 1)).astype(np.int8)
    x = np.float32(1e6) + steps.astype(np.float32)
    result = kernels.batch_norm(x, training=True, eps=0.0)
    total = int(steps.sum(dtype=np.int64))
    squares = int(np.square(steps, dtype=np.int16).sum(dtype=np.int64))
    variance = squares / count - (total / count) ** 2
    assert result.mean.item() == pytest.approx(1e6 + total / count, rel=1e-15)
    assert result.variance.item() == pytest.approx(variance, rel=1e-14)
    for step in (-8, -1, 0, 1, 8):
        exact = (step - total / count) / variance**0.5
        got = result.output[steps == step]
        assert (got == got[0]).all()
        assert abs(float(got[0]) - exact) <= np.spacing(np.float32(abs(exact)))
