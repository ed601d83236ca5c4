"""The state of the scene: checked, consistent, and back from its own link."""

from __future__ import annotations

import pytest

from app.link import fragment_of, open_fragment
from app.placement.likes import LIKES
from app.state import Store
from kernels.placements import PLACEMENTS, Placement


@pytest.fixture
def store() -> Store:
    """A store at its defaults."""
    return Store()


def through_a_link(store: Store) -> Store:
    """Another store, opened from this one's link."""
    other = Store()
    assert open_fragment(other, fragment_of(store)) == []
    return other


OWN = Placement(attention_input=True, ffn_sum=True, final=True)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("post_ln", "place=post_ln"),
        (
            {"places": ["attention_input", "ffn_sum", "final"]},
            "place=own.attention_input.ffn_sum.final",
        ),
        ({"places": [], "parallel": True}, "place=own.parallel"),
        (
            {"places": ["ffn_branch"], "parallel": True, "scaling": "deep_norm"},
            "place=own.ffn_branch.parallel.deep_norm",
        ),
    ],
)
def test_placements_come_back_from_their_link(store: Store, value: object, text: str) -> None:
    store.update({"placement": value})
    assert text in fragment_of(store)
    assert through_a_link(store)["placement"] == store["placement"]
    assert Store().update({"placement": store.as_json()["placement"]}) == {"placement"}


def test_a_placement_of_the_table_is_called_by_its_name(store: Store) -> None:
    store.update({"placement": {"places": ["attention_sum", "ffn_sum"]}})
    assert store.as_json()["placement"] == "post_ln"
    store.update({"placement": OWN})
    assert store.as_json()["placement"]["places"] == ["attention_input", "ffn_sum", "final"]


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        ({"placement": "sideways"}, "placement: expected one of none, post_ln"),
        ({"placement": {"places": ["head"]}}, "placement: expected places of attention_input"),
        ({"placement": 3}, "placement: expected a name or an object with places, got 3"),
        (
            {"placement": {"places": ["attention_sum"], "parallel": True}},
            "placement: attention_sum: expected off in a parallel block",
        ),
        ({"placement": {"places": [], "scaling": "odd"}}, "placement: expected scaling null or"),
        ({"placement_residual_scaling": 1}, "placement_residual_scaling: expected true or false"),
        ({"placement_depth": 129}, "placement_depth: expected a whole number from 1 to 128"),
        ({"placement_width": 8}, "placement_width: expected a whole number from 16 to 1024"),
        ({"placement_heads": 5}, "placement_heads: expected a divisor of the width 64, got 5"),
        ({"placement_like": "gpt4"}, "placement_like: expected one of own"),
    ],
)
def test_what_cannot_be_is_refused_by_name(store: Store, patch: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        store.update(patch)
    assert store["placement"] == PLACEMENTS["pre_ln_final"].placement


@pytest.mark.parametrize("text", ["own.nowhere", "nowhere", "own.attention_sum.parallel"])
def test_a_link_with_an_unknown_placement_is_told_and_the_default_stays(
    store: Store, text: str
) -> None:
    problems = open_fragment(store, f"placement&place={text}&layers=12")
    assert len(problems) == 1
    assert store["placement"] == PLACEMENTS["pre_ln_final"].placement
    assert store["placement_depth"] == 12


def test_another_width_keeps_as_many_heads_as_divide_it(store: Store) -> None:
    store.update({"placement_width": 48, "placement_heads": 16})
    store.update({"placement_width": 32})
    assert store["placement_heads"] == 16
    store.update({"placement_width": 1000})
    assert store["placement_heads"] == 10


def test_the_block_looked_at_is_one_of_the_stack(store: Store) -> None:
    store.update({"placement_block": 24})
    store.update({"placement_depth": 6})
    assert store["placement_block"] == 6


def test_a_system_picked_brings_its_settings_and_is_left_with_the_first_of_ones_own(
    store: Store,
) -> None:
    store.update({"placement_like": "gpt2"})
    # GPT-2: Radford et al. 2019, section 2.3: norms before each sublayer and a final one, residual
    # weights scaled by 1/√N.
    assert store["placement"] == PLACEMENTS["pre_ln_final"].placement
    assert store["placement_norm"] == "layer_norm"
    assert store["placement_residual_scaling"] is True
    assert through_a_link(store)["placement_like"] == "gpt2"
    store.update({"placement_depth": 12})
    assert store["placement_like"] == "gpt2"  # sizes are not part of it
    store.update({"placement_residual_scaling": False})
    assert store["placement_like"] == "own"


def test_gemma_2_caps_its_scores_at_50_and_gemma_3_normalizes_q_and_k(store: Store) -> None:
    store.update({"placement_like": "gemma2"})
    assert (store["placement_soft_cap"], store["placement_qk_norm"]) == (50.0, "none")
    store.update({"placement_like": "gemma3"})
    assert (store["placement_soft_cap"], store["placement_qk_norm"]) == (0.0, "rms")


def test_a_system_without_published_placement_cannot_be_picked() -> None:
    assert "gpt4" not in LIKES
    assert {"bert", "palm", "olmo2", "deepnet"} <= set(LIKES)
