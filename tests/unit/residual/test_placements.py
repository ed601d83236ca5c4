"""Placements as data."""

from itertools import product

import pytest

from kernels.placements import PLACEMENTS, PLACES, Placement, published_name


def test_deep_norm_scales_are_the_papers_for_24_layers() -> None:
    deep_norm = PLACEMENTS["deep_norm"].placement
    assert deep_norm.residual_scale(24) ** 4 == pytest.approx(48)  # α = (2L)^(1/4)
    assert deep_norm.init_scale(24) ** -4 == pytest.approx(192)  # β = (8L)^(-1/4)


@pytest.mark.parametrize("name", [name for name in PLACEMENTS if name != "deep_norm"])
def test_other_published_placements_scale_nothing(name: str) -> None:
    placement = PLACEMENTS[name].placement
    assert placement.residual_scale(24) == placement.init_scale(24) == 1.0


def test_published_placements_differ_from_each_other() -> None:
    assert len({published.placement for published in PLACEMENTS.values()}) == 8


@pytest.mark.parametrize("place", PLACES)
def test_each_place_switches_by_itself_and_back(place: str) -> None:
    start = PLACEMENTS["before_and_after"].placement
    switched = start.toggled(place)
    assert set(switched.places) ^ set(start.places) == {place}
    assert switched.toggled(place) == start


def test_pre_ln_gets_its_published_final_norm_by_one_click() -> None:
    pre_ln = PLACEMENTS["pre_ln"].placement
    assert published_name(pre_ln.toggled("final")) == "pre_ln_final"


def test_one_more_norm_makes_a_placement_of_ones_own() -> None:
    assert published_name(PLACEMENTS["post_ln"].placement.toggled("ffn_input")) is None


def test_unknown_place_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"place: expected one of attention_input.*'head'"):
        Placement().toggled("head")


def test_parallel_block_has_one_sum() -> None:
    with pytest.raises(ValueError, match="attention_sum: expected off in a parallel block"):
        Placement(attention_sum=True, parallel=True)
    parallel = PLACEMENTS["post_ln"].placement.with_parallel(True)
    assert parallel.places == ("ffn_sum",)


def test_every_other_combination_is_allowed() -> None:
    for states in product((False, True), repeat=len(PLACES)):
        placement = Placement(**dict(zip(PLACES, states, strict=True)))
        assert len(placement.places) == sum(states)
