"""Each row of the models' table against the reference implementation it was read from.

The numbers are those record_transformers.py saw inside one block of a tiny random model.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from kernels.blocks import forward_block
from kernels.model_table import MODELS
from kernels.models import GAINS, Model, QKChoice, placement_of
from kernels.normalization import layer_norm, rms_norm
from kernels.rope import Rope
from kernels.softmax_chain import softmax_chain
from tests.conformance.models.adapters import ADAPTERS, HEADS

Recorded = dict[str, np.ndarray]
WITH_SCORES = [key for key, adapter in ADAPTERS.items() if adapter.projections]


@cache
def everything() -> Recorded:
    with np.load(Path(__file__).with_name("transformers.npz")) as data:
        return dict(data)


def recorded(key: str) -> Recorded:
    prefix = f"{key}/"
    return {
        name.removeprefix(prefix): value
        for name, value in everything().items()
        if name.startswith(prefix)
    }


def normalize(model: Model, x: np.ndarray, data: Recorded, place: str) -> np.ndarray:
    """The norm the row describes, with the recorded parameters."""
    weight, bias = data.get(f"norm.{place}.weight"), data.get(f"norm.{place}.bias")
    assert (weight is None) == (model.gain == "none")
    assert (bias is not None) == model.bias
    offset = GAINS[model.gain]
    if model.norm == "rms_norm":
        return rms_norm(x, x.shape[-1], weight, model.eps, gain_offset=offset).output
    gain = None if weight is None else weight + offset
    return layer_norm(x, x.shape[-1], gain, bias, model.eps).output


class RecordedBlock:
    """The row's norms around sublayers whose results are the recorded ones.

    Each sublayer first checks that it is given what the reference gave its own.
    """

    def __init__(self, model: Model, data: Recorded) -> None:
        self.model, self.data = model, data

    def normalize(self, place: str, x: np.ndarray) -> tuple[np.ndarray, None]:
        return normalize(self.model, x, self.data, place), None

    def attention(self, x: np.ndarray) -> tuple[np.ndarray, None]:
        return self._sublayer("attention", x)

    def ffn(self, x: np.ndarray) -> tuple[np.ndarray, None]:
        return self._sublayer("ffn", x)

    def _sublayer(self, name: str, x: np.ndarray) -> tuple[np.ndarray, None]:
        given = self.data[f"{name}_input"].reshape(x.shape)
        np.testing.assert_allclose(x, given, rtol=2e-5, atol=2e-5)
        return self.data[name].reshape(x.shape), None


def test_every_row_read_from_transformers_is_checked() -> None:
    read = {key for key, model in MODELS.items() if model.source.startswith("transformers")}
    assert read == set(ADAPTERS)


@pytest.mark.parametrize("key", ADAPTERS)
def test_block_is_the_references(key: str) -> None:
    model, data = MODELS[key], recorded(key)
    placement = placement_of(model)
    assert placement is not None
    wires, _ = forward_block(data["input"], placement, RecordedBlock(model, data))
    np.testing.assert_allclose(wires["output"], data["output"], rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("key", ADAPTERS)
def test_epsilon_is_the_references(key: str) -> None:
    model, data = MODELS[key], recorded(key)
    output = normalize(model, data["small_input"], data, str(data["small_place"]))
    np.testing.assert_allclose(output, data["small_output"], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("key", ADAPTERS)
def test_final_norm_is_the_references(key: str) -> None:
    model, data = MODELS[key], recorded(key)
    assert model.final_norm == ("final_input" in data)
    if model.final_norm:
        output = normalize(model, data["final_input"], data, "final")
        np.testing.assert_allclose(output, data["final_output"], rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("key", ADAPTERS)
def test_embedding_norm_is_the_references(key: str) -> None:
    model, data = MODELS[key], recorded(key)
    assert model.embedding_norm == (ADAPTERS[key].embedding is not None)
    if "embedding_input" in data:
        output = normalize(model, data["embedding_input"], data, "embedding")
        np.testing.assert_allclose(output, data["embedding_output"], rtol=2e-5, atol=2e-5)


def heads(x: np.ndarray, size: int) -> np.ndarray:
    """[1, T, heads · d] as [heads, T, d]."""
    return x[0].reshape(x.shape[1], -1, size).swapaxes(0, 1)


def projections(key: str, data: Recorded) -> tuple[np.ndarray, np.ndarray]:
    size = data["input"].shape[-1] // HEADS
    if "fused" in data:
        query, key_states, _ = np.split(data["fused"], 3, axis=-1)
    else:
        query, key_states = data["query"], data["key"]
    return heads(query, size), heads(key_states, size)


def gain(data: Recorded, which: str, shape: tuple[int, ...]) -> np.ndarray | None:
    weight = data.get(f"norm.{which}.weight")
    return None if weight is None else weight.reshape(shape)


@pytest.mark.parametrize("key", WITH_SCORES)
def test_attention_probabilities_are_the_references(key: str) -> None:
    model, data, adapter = MODELS[key], recorded(key), ADAPTERS[key]
    q, k = projections(key, data)
    size = q.shape[-1]
    settings = model.score_settings(size)
    assert settings is not None
    choice = model.qk_norm
    changes: dict = {}
    if isinstance(choice, QKChoice):
        over = choice.over == "all heads"
        changes["gain_offset"] = GAINS[choice.gain]
        changes["weight_q"] = gain(data, "query_norm", (HEADS, size) if over else (size,))
        changes["weight_k"] = gain(data, "key_norm", (k.shape[0], size) if over else (size,))
    if adapter.projections.rotates:
        order = choice.order if isinstance(choice, QKChoice) else "norm_then_rope"
        positions = np.arange(q.shape[1]) * (-1 if adapter.projections.backwards else 1)
        changes["rope"] = Rope(
            base=float(data["rope_theta"]),
            query_positions=positions,
            key_positions=positions,
            rotary_dim=int(data["rotary_dim"]),
            interleaved=adapter.projections.interleaved,
            order=order,
        )
    if model.score_scale == "10, learned":
        scale = np.exp(data["logit_scale"].ravel())
        assert scale == pytest.approx([10.0, 10.0], rel=1e-5)
    if key == "gemma2":  # recorded at a cap of 0.5, which these small scores feel
        changes["soft_cap"] = 0.5
    settings = replace(settings, **changes)
    length = q.shape[1]
    mask = np.tril(np.ones((length, length), bool)) if adapter.causal else None
    chain = softmax_chain(q, k, settings, mask=mask)
    np.testing.assert_allclose(chain.probabilities, data["probabilities"][0], atol=2e-6)
