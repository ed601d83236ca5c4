"""Curves, scales, labels: what the plots are given."""

from __future__ import annotations

import numpy as np
import pytest

from app.placement import series
from app.placement.series import (
    ATTENTION,
    FFN,
    THEORY,
    columns,
    drawable,
    wires,
)
from kernels.blocks import WIRES
from kernels.residual import StackTrace, simulate_stack

DEPTH = 4


@pytest.fixture(scope="module")
def traces() -> dict[str, StackTrace]:
    """Two placements of a small stack."""
    return {
        key: simulate_stack(key, depth=DEPTH, width=16, tokens=4, gain=0.5)
        for key in ("pre_ln", "post_ln", "parallel")
    }


def test_the_stream_has_a_value_entering_each_layer_and_one_at_the_end(traces: dict) -> None:
    data = columns("stream", traces, "pre_ln", DEPTH)
    assert data["x"].tolist() == [0, 1, 2, 3, 4]
    np.testing.assert_array_equal(data["pre_ln"], traces["pre_ln"].stream_rms)
    # √(x₀² + 2ℓg²), the theory's own formula
    first = traces["pre_ln"].stream_rms[0]
    np.testing.assert_allclose(data[THEORY], np.sqrt(first**2 + 2 * np.arange(5) * 0.25))
    assert "none" not in data  # it has not run


def test_updates_show_both_sublayers_of_the_chosen_and_their_rms_of_every_placement(
    traces: dict,
) -> None:
    data = columns("updates", traces, "pre_ln", DEPTH)
    assert data["x"].tolist() == [1, 2, 3, 4]
    updates = traces["pre_ln"].update_rms
    np.testing.assert_array_equal(data[ATTENTION], updates[:, 0])
    np.testing.assert_array_equal(data[FFN], updates[:, 1])
    expected = np.sqrt((updates[:, 0] ** 2 + updates[:, 1] ** 2) / 2)
    np.testing.assert_allclose(data["pre_ln"], expected)


def test_cosines_begin_with_the_second_layer(traces: dict) -> None:
    data = columns("cosine", traces, "pre_ln", DEPTH)
    assert data["x"].tolist() == [2, 3, 4]
    np.testing.assert_array_equal(data["post_ln"], traces["post_ln"].layer_cosine)


def test_every_view_gives_columns_of_one_length_also_for_a_single_layer() -> None:
    trace = simulate_stack("pre_ln", depth=1, width=16, tokens=4)
    for view in series.VIEWS:
        data = columns(view, {"pre_ln": trace}, "pre_ln", 1)
        assert len({len(column) for column in data.values()}) == 1


def test_a_log_axis_has_no_place_for_infinities_and_zeros() -> None:
    values = np.array([1.0, np.inf, 0.0, -1.0, np.nan])
    assert np.isfinite(drawable(values)).tolist() == [True, False, False, False, False]
    assert np.isfinite(drawable(values, log=False)).tolist() == [True, False, True, True, False]


def test_a_parallel_block_has_no_wire_between_the_sublayers(traces: dict) -> None:
    assert set(WIRES) - set(wires(traces["parallel"], 1, gradient=False)) == {
        "attention_sum",
        "middle",
    }
    assert set(wires(traces["pre_ln"], 1, gradient=True)) == set(WIRES)


def test_wires_are_those_of_the_block_asked_for(traces: dict) -> None:
    trace = traces["pre_ln"]
    assert wires(trace, 3, gradient=False)["input"] == trace.stream_rms[2]
    assert wires(trace, 3, gradient=False)["output"] == trace.stream_rms[3]
    assert wires(trace, 3, gradient=True)["input"] == trace.gradient_rms[2]
