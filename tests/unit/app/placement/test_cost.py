"""Estimates of time: what they count, and that they learn."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.placement.cost import SECONDS_PER_WEIGHT, Clock, operations, weights_of
from app.placement.steps import GAINS, TOKENS, WIDTHS, heads_of, nearest
from kernels.placements import PLACEMENTS
from kernels.stack_settings import LIMITS, StackSettings
from kernels.weights import draw_layer

SETTINGS = StackSettings(PLACEMENTS["pre_ln"].placement, depth=24, width=64, tokens=16)


def test_weights_are_those_that_are_drawn() -> None:
    layer = draw_layer(0, 64, 0)
    drawn = sum(m.size for m in (layer.query_key_value, layer.output, layer.hidden, layer.down))
    assert weights_of(SETTINGS) == 24 * drawn
    assert weights_of(replace(SETTINGS, shared_layers=True)) == drawn


def test_operations_count_products_once_forward_and_twice_backward() -> None:
    # 12·d² weights a layer, 2 operations a weight and token, plus QKᵀ and PV: 4·T²·d
    expected = 3 * 24 * (2 * 12 * 64**2 * 16 + 4 * 16**2 * 64)
    assert operations(SETTINGS) == expected


def test_a_run_that_took_longer_makes_the_next_estimate_longer() -> None:
    clock = Clock()
    before = clock.seconds(SETTINGS, weights_drawn=True)
    clock.learn(SETTINGS, weights_drawn=True, seconds=4 * before)
    assert clock.seconds(SETTINGS, weights_drawn=True) == pytest.approx(2 * before)
    clock.learn(SETTINGS, weights_drawn=True, seconds=1e9)
    assert clock.seconds(SETTINGS, weights_drawn=True) <= 10 * before


def test_a_short_run_says_nothing_of_a_long_one() -> None:
    clock = Clock()
    clock.learn(replace(SETTINGS, depth=1), weights_drawn=True, seconds=0.03)
    assert clock.correction == 1


def test_weights_that_are_drawn_already_cost_nothing() -> None:
    clock = Clock()
    wide = replace(SETTINGS, width=256)
    assert clock.seconds(wide, weights_drawn=False) > clock.seconds(wide, weights_drawn=True)


def test_weights_that_memory_does_not_hold_are_drawn_twice_whatever_was_drawn() -> None:
    clock = Clock()
    large = replace(SETTINGS, depth=96, width=512)
    assert clock.seconds(large, weights_drawn=True) == clock.seconds(large, weights_drawn=False)
    drawn = SECONDS_PER_WEIGHT * weights_of(large)
    assert clock.seconds(large, weights_drawn=True) > 2 * drawn


def test_sliders_reach_both_ends_of_what_a_stack_can_be() -> None:
    assert (WIDTHS[0], WIDTHS[-1]) == LIMITS["width"]
    assert (TOKENS[0], TOKENS[-1]) == LIMITS["tokens"]
    for steps in (WIDTHS, TOKENS, GAINS):
        assert list(steps) == sorted(set(steps))
    assert {0.0, 0.5, 1.0} <= set(GAINS)


def test_heads_divide_the_width() -> None:
    assert heads_of(48) == (1, 2, 3, 4, 6, 8, 12, 16, 24, 48)
    assert max(heads_of(1024)) == 64


def test_a_value_between_two_steps_is_shown_at_the_nearer() -> None:
    assert WIDTHS[nearest(WIDTHS, 100)] == 96
    assert GAINS[nearest(GAINS, 0.52)] == 0.5
