"""The models' table: whole, sourced, and of use to the scenes."""

from dataclasses import fields

import numpy as np
import pytest

from kernels.model_table import MODELS
from kernels.models import (
    GAINS,
    NOT_PUBLISHED,
    OTHER,
    SCORE_SCALES,
    Model,
    QKChoice,
    differences,
    placement_of,
)
from kernels.placements import PLACEMENTS
from kernels.residual import simulate_stack
from kernels.softmax_chain import score_bound, softmax_chain

# The systems the commissioning texts and the issue name.
NAMED = (
    *("transformer", "bert", "gpt2", "gpt3", "gpt4", "t5", "palm", "llama", "mistral"),
    *("qwen2", "qwen3", "gemma", "gemma2", "gemma3", "olmo2", "vit_22b"),
)


@pytest.mark.parametrize("key", NAMED)
def test_every_named_system_has_a_row(key: str) -> None:
    assert MODELS[key].name


@pytest.mark.parametrize("key", MODELS)
def test_row_uses_known_words_only(key: str) -> None:
    model = MODELS[key]
    assert model.source
    assert model.norm in ("layer_norm", "rms_norm", "l2", NOT_PUBLISHED)
    assert model.placement in (*PLACEMENTS, OTHER, NOT_PUBLISHED)
    assert model.gain in (*GAINS, NOT_PUBLISHED)
    assert model.score_scale in (*SCORE_SCALES, NOT_PUBLISHED)
    assert isinstance(model.eps, float) or model.eps == NOT_PUBLISHED
    if isinstance(model.qk_norm, QKChoice):
        assert model.qk_norm.norm in ("rms", "layer", "l2")
        assert model.qk_norm.over in ("head", "all heads", "latent")
        assert model.qk_norm.order in ("norm_then_rope", "rope_then_norm", "no rope")
        assert model.qk_norm.gain in GAINS
    assert model.placement != OTHER or model.note


def test_rows_stand_in_order_of_appearance() -> None:
    years = [model.year for model in MODELS.values()]
    assert years == sorted(years)


def test_gpt_4_is_not_published_in_any_field() -> None:
    model = MODELS["gpt4"]
    known = {"name", "year", "source", "note"}
    for field in fields(Model):
        if field.name not in known:
            assert getattr(model, field.name) == NOT_PUBLISHED, field.name
    assert model.stack_settings() is None
    assert model.score_settings(64) is None
    assert model.final_norm is None
    assert model.parallel is None
    assert placement_of(model) is None


def test_palm_and_vit_22b_use_layer_norm_not_rms_norm() -> None:
    # A correction to one of the texts: facts, section 1.3.
    assert MODELS["palm"].norm == MODELS["vit_22b"].norm == "layer_norm"
    assert MODELS["palm"].bias is False


@pytest.mark.parametrize("key", MODELS)
def test_row_sets_a_stack_that_runs_or_says_it_can_not(key: str) -> None:
    model = MODELS[key]
    settings = model.stack_settings()
    if settings is None:
        assert key in ("gpt4", "ngpt")
        return
    trace = simulate_stack(**settings, depth=2, width=16, tokens=4, heads=2)
    assert np.isfinite(trace.loss)
    assert trace.settings.placement == placement_of(model)
    if isinstance(model.eps, float):
        assert trace.settings.eps == model.eps


@pytest.mark.parametrize("key", MODELS)
def test_row_sets_a_softmax_chain_that_runs_or_says_it_can_not(key: str) -> None:
    settings = MODELS[key].score_settings(8)
    if settings is None:
        assert key == "gpt4"
        return
    q, k = np.random.default_rng(0).standard_normal((2, 2, 5, 8))
    chain = softmax_chain(q, k, settings)
    np.testing.assert_allclose(chain.probabilities.sum(-1), 1.0)


@pytest.mark.parametrize(
    ("key", "bound"),
    [
        ("qwen3", 128**0.5),  # √d: |q̂| = |k̂| = √d
        ("gemma3", 128 / 16),  # 1/√256 instead of 1/√d
        ("gemma2", 50.0),
        ("grok1", 30.0),
        ("swin_v2", 10.0),
        ("ngpt", 128**0.5),
        ("llama", None),
    ],
)
def test_bound_on_scores_of_128_features(key: str, bound: float | None) -> None:
    settings = MODELS[key].score_settings(128)
    assert settings is not None
    assert score_bound(settings, 128) == (None if bound is None else pytest.approx(bound))


def test_gemma_2_and_3_differ_in_cap_and_qk_norm() -> None:
    assert differences(MODELS["gemma2"], MODELS["gemma3"]) == {
        "qk_norm": (None, QKChoice("rms", gain="1 + γ")),
        "soft_cap": (50.0, None),
        "final_soft_cap": (30.0, None),
    }


def test_llama_and_qwen2_make_the_same_choices() -> None:
    assert differences(MODELS["llama"], MODELS["qwen2"]) == {}


@pytest.mark.parametrize(
    ("key", "order"), [("qwen3", "norm_then_rope"), ("hunyuan", "rope_then_norm")]
)
def test_order_of_norm_and_rotation_reaches_the_chain(key: str, order: str) -> None:
    settings = MODELS[key].score_settings(8)
    assert settings is not None
    assert settings.rope is not None
    assert settings.rope.order == order
