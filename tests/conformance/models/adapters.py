"""How to reach, in each reference implementation, the wires of one block.

A row names the model and configuration class of `transformers`, a tiny configuration, and the
modules at whose inputs and outputs the wires are read. Paths are relative to the block unless they
begin with a slash. Only the recording script needs them; the tests use the same keys.
"""

from dataclasses import dataclass, field
from typing import Any

HIDDEN, HEADS, KEY_HEADS, HEAD_DIM, TOKENS, VOCABULARY = 16, 2, 1, 8, 4, 40

# The usual names of a configuration's sizes.
SIZES = {
    "hidden_size": HIDDEN,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": HEADS,
    "num_key_value_heads": KEY_HEADS,
    "head_dim": HEAD_DIM,
    "vocab_size": VOCABULARY,
    "max_position_embeddings": 32,
    "pad_token_id": 0,
}
MHA = {**SIZES, "num_key_value_heads": HEADS}
GPT = {"n_embd": HIDDEN, "n_head": HEADS, "n_layer": 2, "vocab_size": VOCABULARY, "n_positions": 32}
ENCODER = {name: value for name, value in SIZES.items() if "key_value" not in name}


@dataclass(frozen=True)
class Projections:
    """The modules whose outputs are q and k before norm and rotation."""

    query: str = "self_attn.q_proj"
    key: str = "self_attn.k_proj"
    fused: str | None = None  # one module that gives q, k, v side by side
    attention: str = "self_attn"  # the module that gives the probabilities
    probabilities: int = 1  # which of its outputs they are
    query_norm: str | None = None
    key_norm: str | None = None
    interleaved: bool = False
    rotates: bool = True
    backwards: bool = False  # RoPE turns the other way


@dataclass(frozen=True)
class Adapter:
    """Where one reference implementation keeps the wires of a block."""

    model: str
    config: str
    settings: dict[str, Any] = field(default_factory=lambda: SIZES)
    block: str = "model.layers.1"
    attention: tuple[str, str] = ("self_attn", "self_attn")  # read at input of, at output of
    ffn: tuple[str, str] = ("mlp", "mlp")
    norms: dict[str, str] = field(
        default_factory=lambda: {
            "attention_input": "input_layernorm",
            "ffn_input": "post_attention_layernorm",
        }
    )
    final: str | None = "model.norm"
    embedding: str | None = None
    projections: Projections | None = None
    causal: bool = True
    vision: bool = False


PRE = Projections()
GEMMA_NORMS = {
    "attention_input": "input_layernorm",
    "attention_branch": "post_attention_layernorm",
    "ffn_input": "pre_feedforward_layernorm",
    "ffn_branch": "post_feedforward_layernorm",
}
ONE_NORM = {"attention_input": "input_layernorm", "ffn_input": "input_layernorm"}
BRANCHES = {
    "attention_branch": "post_attention_layernorm",
    "ffn_branch": "post_feedforward_layernorm",
}
QK = {"query_norm": "self_attn.q_norm", "key_norm": "self_attn.k_norm"}
CHAMELEON = {
    **MHA,
    "vocabulary_map": {"<image>": 1},
    "vq_config": {"base_channels": 32, "channel_multiplier": [1], "attn_resolutions": None},
}
VIT = {
    "hidden_size": HIDDEN,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": HEADS,
    "image_size": 4,
    "patch_size": 2,
}


def _llama_like(name: str, **changes: Any) -> Adapter:
    settings = {"projections": PRE, **changes}
    return Adapter(f"{name}ForCausalLM", f"{name}Config", **settings)


ADAPTERS: dict[str, Adapter] = {
    "bert": Adapter(
        "BertModel",
        "BertConfig",
        ENCODER,
        "encoder.layer.1",
        ("attention.self", "attention.output.dense"),
        ("intermediate", "output.dense"),
        {"attention_sum": "attention.output.LayerNorm", "ffn_sum": "output.LayerNorm"},
        None,
        "embeddings.LayerNorm",
        Projections(
            "attention.self.query", "attention.self.key", None, "attention.self", rotates=False
        ),
        causal=False,
    ),
    "albert": Adapter(
        "AlbertModel",
        "AlbertConfig",
        {**ENCODER, "embedding_size": 8},
        "encoder.albert_layer_groups.0.albert_layers.0",
        ("attention", "attention.dense"),
        ("ffn", "ffn_output"),
        {"attention_sum": "attention.LayerNorm", "ffn_sum": "full_layer_layer_norm"},
        None,
        "embeddings.LayerNorm",
        causal=False,
    ),
    "gpt2": Adapter(
        "GPT2LMHeadModel",
        "GPT2Config",
        GPT,
        "transformer.h.1",
        ("attn", "attn"),
        ("mlp", "mlp"),
        {"attention_input": "ln_1", "ffn_input": "ln_2"},
        "transformer.ln_f",
        None,
        Projections(fused="attn.c_attn", attention="attn", rotates=False),
    ),
    "t5": Adapter(
        "T5EncoderModel",
        "T5Config",
        {
            "d_model": HIDDEN,
            "d_kv": HEAD_DIM,
            "d_ff": 24,
            "num_layers": 2,
            "num_heads": HEADS,
            "vocab_size": VOCABULARY,
        },
        "encoder.block.0",
        ("layer.0.SelfAttention", "layer.0.SelfAttention"),
        ("layer.1.DenseReluDense", "layer.1.DenseReluDense"),
        {"attention_input": "layer.0.layer_norm", "ffn_input": "layer.1.layer_norm"},
        "encoder.final_layer_norm",
        None,
        Projections(
            "layer.0.SelfAttention.q",
            "layer.0.SelfAttention.k",
            None,
            "layer.0.SelfAttention",
            probabilities=2,
            rotates=False,
        ),
        causal=False,
    ),
    "llama": _llama_like("Llama"),
    "mistral": _llama_like("Mistral"),
    "qwen2": _llama_like("Qwen2"),
    "qwen3": _llama_like("Qwen3", projections=Projections(**QK)),
    "gemma": _llama_like("Gemma"),
    "gemma2": _llama_like(
        "Gemma2", norms=GEMMA_NORMS, settings={**SIZES, "attn_logit_softcapping": 0.5}
    ),
    "gemma3": Adapter(
        "Gemma3ForCausalLM",
        "Gemma3TextConfig",
        SIZES,
        norms=GEMMA_NORMS,
        projections=Projections(**QK),
    ),
    "olmo": _llama_like("Olmo"),
    "olmo2": _llama_like("Olmo2", norms=BRANCHES, projections=Projections(**QK)),
    "llama4": Adapter(
        "Llama4ForCausalLM",
        "Llama4TextConfig",
        {
            **SIZES,
            "num_local_experts": 2,
            "intermediate_size_mlp": 24,
            "no_rope_layers": [1, 1],
            "moe_layers": [],
        },
        ffn=("feed_forward", "feed_forward"),
        projections=Projections(interleaved=True),
    ),
    "deepseek_v3": _llama_like(
        "DeepseekV3",
        projections=None,
        settings={
            **MHA,
            "head_dim": 4,
            "q_lora_rank": 8,
            "kv_lora_rank": 8,
            "qk_nope_head_dim": 4,
            "qk_rope_head_dim": 4,
            "v_head_dim": 8,
            "n_routed_experts": 4,
            "num_experts_per_tok": 2,
            "n_group": 1,
            "topk_group": 1,
            "moe_intermediate_size": 8,
            "first_k_dense_replace": 2,
        },
    ),
    "glm4": _llama_like(
        "Glm4",
        projections=Projections(interleaved=True),
        norms={
            "attention_input": "input_layernorm",
            "attention_branch": "post_self_attn_layernorm",
            "ffn_input": "post_attention_layernorm",
            "ffn_branch": "post_mlp_layernorm",
        },
    ),
    "phi": _llama_like("Phi", norms=ONE_NORM, final="model.final_layernorm", settings=MHA),
    "falcon": Adapter(
        "FalconForCausalLM",
        "FalconConfig",
        {
            "hidden_size": HIDDEN,
            "num_hidden_layers": 2,
            "num_attention_heads": HEADS,
            "vocab_size": VOCABULARY,
        },
        "transformer.h.1",
        ("self_attention", "self_attention"),
        norms=ONE_NORM,
        final="transformer.ln_f",
    ),
    "gptj": Adapter(
        "GPTJForCausalLM",
        "GPTJConfig",
        {**GPT, "rotary_dim": 4},
        "transformer.h.1",
        ("attn", "attn"),
        norms={"attention_input": "ln_1", "ffn_input": "ln_1"},
        final="transformer.ln_f",
        projections=Projections("attn.q_proj", "attn.k_proj", None, "attn", interleaved=True),
    ),
    "gpt_neox": Adapter(
        "GPTNeoXForCausalLM",
        "GPTNeoXConfig",
        ENCODER,
        "gpt_neox.layers.1",
        ("attention", "attention"),
        final="gpt_neox.final_layer_norm",
    ),
    "chameleon": Adapter("ChameleonModel", "ChameleonConfig", CHAMELEON, "layers.1", final="norm"),
    "chameleon_swin_norm": Adapter(
        "ChameleonModel",
        "ChameleonConfig",
        {**CHAMELEON, "swin_norm": True},
        "layers.1",
        norms={"attention_branch": "input_layernorm", "ffn_branch": "post_attention_layernorm"},
        final="norm",
    ),
    "swin_v2": Adapter(
        "Swinv2Model",
        "Swinv2Config",
        {
            "embed_dim": HIDDEN,
            "image_size": 4,
            "patch_size": 2,
            "depths": [1],
            "num_heads": [HEADS],
            "window_size": 2,
        },
        "encoder.layers.0.blocks.0",
        ("attention.self", "attention.output"),
        ("intermediate", "output"),
        {"attention_branch": "layernorm_before", "ffn_branch": "layernorm_after"},
        "layernorm",
        "embeddings.norm",
        Projections(
            "attention.self.query", "attention.self.key", None, "attention.self", rotates=False
        ),
        causal=False,
        vision=True,
    ),
    "bloom": Adapter(
        "BloomForCausalLM",
        "BloomConfig",
        {"hidden_size": HIDDEN, "n_head": HEADS, "n_layer": 2, "vocab_size": VOCABULARY},
        "transformer.h.1",
        ("self_attention", "self_attention.dense"),
        ("mlp", "mlp.dense_4h_to_h"),
        final="transformer.ln_f",
        embedding="transformer.word_embeddings_layernorm",
    ),
    "command_r": _llama_like("Cohere", norms=ONE_NORM, projections=Projections(interleaved=True)),
    "nemotron": _llama_like("Nemotron"),
    "persimmon": _llama_like(
        "Persimmon", projections=None, settings=MHA, final="model.final_layernorm"
    ),
    "gpt_oss": _llama_like(
        "GptOss",
        projections=None,
        settings={**SIZES, "num_local_experts": 2, "num_experts_per_tok": 1},
    ),
    "qwen3_next": _llama_like(
        "Qwen3Next",
        projections=None,
        settings={
            **SIZES,
            "layer_types": ["full_attention", "full_attention"],
            "mlp_only_layers": [0, 1],
        },
    ),
    "modernbert": Adapter(
        "ModernBertModel",
        "ModernBertConfig",
        ENCODER,
        "layers.1",
        ("attn", "attn"),
        norms={"attention_input": "attn_norm", "ffn_input": "mlp_norm"},
        final="final_norm",
        embedding="embeddings.norm",
        causal=False,
    ),
    "opt": Adapter(
        "OPTForCausalLM",
        "OPTConfig",
        {**ENCODER, "ffn_dim": 24, "word_embed_proj_dim": HIDDEN},
        "model.decoder.layers.1",
        ffn=("fc1", "fc2"),
        norms={"attention_input": "self_attn_layer_norm", "ffn_input": "final_layer_norm"},
        final="model.decoder.final_layer_norm",
        projections=Projections(rotates=False),
    ),
    "mpt": Adapter(
        "MptForCausalLM",
        "MptConfig",
        {"d_model": HIDDEN, "n_heads": HEADS, "n_layers": 2, "vocab_size": VOCABULARY},
        "transformer.blocks.1",
        ("attn", "attn"),
        ("ffn.up_proj", "ffn.down_proj"),
        {"attention_input": "norm_1", "ffn_input": "norm_2"},
        "transformer.norm_f",
    ),
    "exaone4": _llama_like("Exaone4", norms=BRANCHES, projections=Projections(**QK)),
    "hunyuan": Adapter(
        "HunYuanDenseV1ForCausalLM",
        "HunYuanDenseV1Config",
        SIZES,
        projections=Projections(
            query_norm="self_attn.query_layernorm", key_norm="self_attn.key_layernorm"
        ),
    ),
    "apertus": _llama_like(
        "Apertus",
        settings={**SIZES, "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}},
        norms={"attention_input": "attention_layernorm", "ffn_input": "feedforward_layernorm"},
        projections=Projections(**QK),
    ),
    "granite": _llama_like("Granite"),
    "vit": Adapter(
        "ViTModel",
        "ViTConfig",
        VIT,
        "layers.1",
        ("attention", "attention"),
        norms={"attention_input": "layernorm_before", "ffn_input": "layernorm_after"},
        final="layernorm",
        projections=Projections(
            "attention.q_proj", "attention.k_proj", None, "attention", rotates=False
        ),
        causal=False,
        vision=True,
    ),
    "nanochat": _llama_like(
        "NanoChat", projections=Projections(**QK, backwards=True), embedding="model.norm"
    ),
}
