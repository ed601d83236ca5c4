"""Ranges that hold their curves, round ticks, and labels that keep their distance."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from app.placement.scales import LEAVES, Scale, layer_ticks, log_scale, log_ticks, spread
from app.placement.series import COLUMNS, THEORY


def empty(**rows: list[float]) -> dict[str, np.ndarray]:
    """Columns with some rows filled."""
    data = {name: np.full(2, np.nan) for name in COLUMNS}
    return data | {name: np.array(row) for name, row in rows.items()}


def test_a_stack_without_norms_does_not_flatten_the_other_curves() -> None:
    data = empty(pre_ln=[1.0, 4.0], none=[1.0, 1e12])
    assert log_scale(data, "pre_ln").high < 4 * LEAVES * 1.2
    assert log_scale(data, "none").high >= 1e12


def test_a_scale_needs_no_theory_and_none_that_runs_away_widens_it() -> None:
    few = {"x": np.arange(2.0), "pre_ln": np.array([1.0, 4.0])}
    assert log_scale(few, "pre_ln").high < 8
    far = few | {THEORY: np.array([1.0, 1e100])}
    assert log_scale(far, "pre_ln").high < 4 * LEAVES * 1.2


def test_a_scale_holds_its_curves_and_at_least_a_factor_of_four() -> None:
    scale = log_scale(empty(pre_ln=[1.0, 1.0]), "pre_ln")
    assert scale.high / scale.low == pytest.approx(4)
    wide = log_scale(empty(pre_ln=[0.01, 300.0]), "pre_ln")
    assert wide.low < 0.01 < 300 < wide.high


@pytest.mark.parametrize(
    ("low", "high"), [(0.5, 2.0), (0.9, 4.2), (0.01, 300.0), (1e-9, 1.0), (1.0, 1e38)]
)
def test_a_log_axis_has_a_handful_of_round_ticks(low: float, high: float) -> None:
    ticks = log_ticks(low, high)
    assert 2 <= len(ticks) <= 12
    assert all(low <= tick <= high for tick in ticks)
    assert all(f"{tick:.0e}"[0] in "125" for tick in ticks)


@pytest.mark.parametrize("depth", [1, 2, 3, 5, 24, 37, 96, 127, 128])
def test_the_last_layer_is_always_named(depth: int) -> None:
    ticks = layer_ticks(depth)
    assert ticks[-1] == depth
    assert len(ticks) <= 7
    assert list(ticks) == sorted(set(ticks))


def test_labels_keep_their_distance_and_order() -> None:
    placed = spread([50.0, 51.0, 10.0, 52.0], 13.0, 0.0, 100.0)
    ordered = sorted(placed)
    assert all(b - a >= 13 - 1e-9 for a, b in pairwise(ordered))
    assert placed[2] == 10.0
    assert placed[0] < placed[1] < placed[3]
    assert np.mean([placed[0], placed[1], placed[3]]) == pytest.approx(51)


def test_labels_stay_within_the_frame_while_there_is_room() -> None:
    placed = spread([0.0, 0.0, 100.0, 100.0], 13.0, 0.0, 100.0)
    assert placed == [6.5, 19.5, 80.5, 93.5]


def test_a_range_around_another_holds_both_and_keeps_what_holds_the_other() -> None:
    small, large = Scale(1.0, 4.0, (1.0, 2.0)), Scale(0.5, 8.0, (1.0, 2.0, 5.0))
    assert small.around(large, log=True) is large
    assert large.around(small, log=True) is large
    both = Scale(1.0, 20.0, (1.0, 10.0)).around(large, log=True)
    assert (both.low, both.high) == (0.5, 20.0)
    assert both.ticks == log_ticks(0.5, 20.0)
    linear = Scale(-0.2, 0.4, (0.0, 0.2)).around(Scale(-1.1, 0.3, (-1.0, 0.0)), log=False)
    assert linear == Scale(-1.1, 0.4, (-1.0, 0.0, 0.2))
