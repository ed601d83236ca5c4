"""The Models scene without a browser: order, filter, comparison, and what a click opens."""

import pytest

from app import fields
from app.fields import kinds
from app.fields.field import Field
from app.models.columns import BY_KEY, COLUMNS, WIDE, cells_of
from app.models.comparison import compared, picked
from app.models.opening import in_placement, in_softmax
from app.models.order import shown
from app.softmax.problem import head_of, problem_of
from app.state import Store
from app.strings import STRINGS
from kernels.model_table import MODELS


def text(key: str, column: str) -> str:
    return BY_KEY[column].written(MODELS[key])


# What the papers say themselves.
PUBLISHED = [
    ("gemma2", "soft_cap", "50"),  # arXiv 2408.00118, section 2
    ("gemma2", "final_soft_cap", "30"),
    ("gemma3", "qk_norm", "RMS"),  # Gemma 3 Technical Report, section 2
    ("gemma3", "soft_cap", "—"),
    ("olmo2", "qk_norm", "RMS, all heads"),  # 2 OLMo 2 Furious, section 3
    ("olmo2", "placement", "after branch"),
    ("transformer", "placement", "after sum"),  # arXiv 1706.03762, section 3.1
    ("transformer", "eps", "not published"),
    ("gpt2", "placement", "before"),  # Radford et al. 2019, section 2.3
    ("gpt2", "final_norm", "yes"),
    ("gpt2", "residual_scaling", "yes"),
    ("palm", "parallel", "yes"),  # arXiv 2204.02311, section 2
    ("palm", "bias", "no"),
    ("vit_22b", "qk_norm", "Layer"),  # arXiv 2302.05442, section 2
    ("bert", "eps", "1e-12"),
    ("t5", "score_scale", "1"),
    ("llama4", "qk_norm", "RMS after RoPE"),
    ("ngpt", "final_norm", "see note"),
]


@pytest.mark.parametrize(("key", "column", "expected"), PUBLISHED)
def test_cells_say_what_was_published(key: str, column: str, expected: str) -> None:
    assert text(key, column) == expected


def test_nothing_of_gpt_4_but_its_name_is_published() -> None:
    """OpenAI 2023: "no further details about the architecture (including model size)"."""
    assert [cell["text"] for cell in cells_of(MODELS["gpt4"])] == [
        "GPT-4",
        "2023",
        *["not published"] * (len(WIDE) - 2),
    ]


def test_every_cell_of_every_system_is_written_and_sourced() -> None:
    for model in MODELS.values():
        assert model.source
        for column in COLUMNS:
            assert column.written(model).strip()


def test_every_column_and_placement_has_its_words() -> None:
    for column in COLUMNS:
        assert f"models_{column.key}" in STRINGS
    for model in MODELS.values():
        if model.placement != "not published":
            assert f"models_place_{model.placement}" in STRINGS


def test_sorting_by_year_keeps_the_order_of_appearance() -> None:
    keys = shown("", "year", False)
    assert keys[0] == "transformer"
    assert [MODELS[key].year for key in keys] == sorted(model.year for model in MODELS.values())
    assert shown("", "year", True)[0] in {k for k, m in MODELS.items() if m.year == 2025}


def test_sorting_by_cap_puts_the_largest_first_and_those_without_last() -> None:
    keys = shown("", "soft_cap", True)
    assert keys[:2] == ["gemma2", "grok1"]  # 50 and 30
    assert keys[-1] == "gpt4"
    assert shown("", "soft_cap", False)[:2] == ["grok1", "gemma2"]
    assert shown("", "soft_cap", False)[-1] == "gpt4"


def test_sorting_by_epsilon_goes_by_size() -> None:
    keys = shown("", "eps", False)
    sizes = [MODELS[key].eps for key in keys if isinstance(MODELS[key].eps, float)]
    assert sizes == sorted(sizes)
    assert keys.index("bert") < keys.index("gemma3") < keys.index("gpt2") < keys.index("gpt3")


def test_filter_wants_every_word() -> None:
    assert set(shown("gemma", "year", False)) == {"gemma", "gemma2", "gemma3"}
    both = shown("rmsnorm before and after", "year", False)
    assert {"gemma2", "gemma3", "grok1", "glm4"} <= set(both)
    assert shown("RMSNorm 2017", "year", False) == []


def test_filter_by_the_name_of_a_choice_leaves_those_that_make_it() -> None:
    assert shown("soft-cap", "year", False) == ["grok1", "gemma2"]
    with_norm = {
        key for key, model in MODELS.items() if model.qk_norm not in (None, "not published")
    }
    assert with_norm <= set(shown("qk-norm", "year", False))
    assert "llama" not in shown("qk-norm", "year", False)


def test_filter_looks_into_sources_and_notes() -> None:
    assert shown("query_pre_attn_scalar", "year", False) == ["gemma2", "gemma3"]
    assert shown("torchscale", "year", False) == ["deepnet"]


def test_gemma_2_gave_its_cap_for_a_norm_in_gemma_3() -> None:
    """The Gemma 3 report, section 2: soft-capping of Gemma 2 replaced with QK-norm."""
    differing = {line.title: line.texts for line in compared(("gemma2", "gemma3")) if line.differs}
    assert differing == {
        "QK-norm": ("—", "RMS"),
        "Soft-cap": ("50", "—"),
        "Cap of logits": ("30", "—"),
    }


def test_a_system_alone_differs_from_nobody() -> None:
    assert not any(line.differs for line in compared(("gpt2",)))
    assert compared(("gpt2",))[0].texts == ("LayerNorm",)


def test_a_picked_row_comes_goes_or_takes_the_second_place() -> None:
    assert picked((), "gpt2") == ("gpt2",)
    assert picked(("gpt2",), "t5") == ("gpt2", "t5")
    assert picked(("gpt2", "t5"), "bert") == ("gpt2", "bert")
    assert picked(("gpt2", "t5"), "gpt2") == ("t5",)


@pytest.mark.parametrize("key", MODELS)
def test_every_system_opens_in_softmax_or_says_it_cannot(key: str) -> None:
    store = Store()
    patch = in_softmax(MODELS[key], store.values)
    if key == "gpt4":
        assert patch is None
        return
    assert patch is not None
    store.update(patch)
    assert store["scene"] == "softmax"
    problem = problem_of(store.values)
    result = head_of(problem.run(), store["softmax_head"], problem.visible)
    assert result.probabilities.sum() == pytest.approx(1, abs=1e-12)


def test_a_system_opens_in_placement_where_that_scene_has_its_stack(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    likes = Field("placement_like", "like", kinds.Choice("own", "gpt2"), "own")
    monkeypatch.setitem(fields.FIELDS, "placement_like", likes)
    assert in_placement("gpt2") == {"scene": "placement", "placement_like": "gpt2"}
    assert in_placement("gpt4") is None


def test_gemma_2_opens_with_its_cap_and_scale() -> None:
    patch = in_softmax(MODELS["gemma2"], Store().values)
    assert patch is not None
    assert (patch["softmax_cap"], patch["softmax_factor"]) == (50, 1 / 16)


def test_olmo_2_opens_with_two_heads_under_one_norm() -> None:
    store = Store()
    store.update(in_softmax(MODELS["olmo2"], store.values) or {})
    assert store["softmax_norm_over"] == "all_heads"
    assert store["softmax_heads"] == 2
    assert store["softmax_norm"] == "rms"


def test_qwen_3_opens_with_its_norm_before_rope_and_the_root_of_d() -> None:
    store = Store()
    store.update(in_softmax(MODELS["qwen3"], store.values) or {})
    assert store["softmax_factor"] is None
    assert (store["softmax_norm"], store["softmax_rope"]) == ("rms", "norm_then_rope")
    assert store["softmax_vectors"] == Store()["softmax_vectors"]


def test_state_refuses_systems_that_are_not_in_the_table() -> None:
    store = Store()
    with pytest.raises(ValueError, match="models_compare: expected up to 2 of"):
        store.update({"models_compare": ["gpt5"]})
    with pytest.raises(ValueError, match="models_compare"):
        store.update({"models_compare": ["gpt2", "gpt2"]})
    with pytest.raises(ValueError, match="models_filter: expected a text of up to 80"):
        store.update({"models_filter": "x" * 81})
