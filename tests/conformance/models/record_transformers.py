"""Record one block of each reference implementation in `transformers`.

Run with PyTorch 2.13, transformers 5.24 and NumPy in the environment, from the top of the checkout:

    python tests/conformance/models/record_transformers.py

Each model is made tiny and random (seed 0), norms' parameters are drawn at random so that a gain of
γ and one of 1 + γ differ, and one forward pass is watched: what enters and leaves the sublayers of
one block, the norms' parameters, and the final norm; where the projections are modules of their
own, also q and k before norm and rotation and the attention probabilities. The tests read
`transformers.npz` and need neither package.
"""

import sys
from pathlib import Path

import numpy as np
import torch
import transformers

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.conformance.models.adapters import (
    ADAPTERS,
    HEADS,
    HIDDEN,
    TOKENS,
    VOCABULARY,
    Adapter,
    Projections,
)

Recorded = dict[str, np.ndarray]


def build(adapter: Adapter) -> torch.nn.Module:
    torch.manual_seed(0)
    config = getattr(transformers, adapter.config)(**adapter.settings, attn_implementation="eager")
    model = getattr(transformers, adapter.model)(config).eval()
    generator = torch.Generator().manual_seed(1)

    def draw(parameter: torch.Tensor, scale: float) -> None:
        noise = torch.randn(parameter.shape, generator=generator)
        parameter.data = parameter.data + scale * noise

    for name, parameter in model.named_parameters():
        last_module = name.split(".")[-2] if "." in name else ""
        if "norm" in last_module.lower() or last_module.startswith("ln_"):
            draw(parameter, 0.3)
        elif "continuous_position_bias" in name or "relative_attention_bias" in name:
            parameter.data.zero_()  # a position bias is no part of what is recorded
        elif parameter.dim() > 1 and not name.endswith("logit_scale"):
            parameter.data = torch.randn(parameter.shape, generator=generator) * 0.3
    return model


def first(value: object) -> torch.Tensor:
    while isinstance(value, (tuple, list)):
        value = value[0]
    return value


class Watch:
    """Copies what passes through chosen modules."""

    def __init__(self) -> None:
        self.seen: dict[str, torch.Tensor] = {}

    def input_of(self, name: str, module: torch.nn.Module) -> None:
        def hook(module: torch.nn.Module, args: tuple, kwargs: dict) -> None:
            value = args[0] if args else kwargs["hidden_states"]
            self.seen[name] = value.detach().clone()

        module.register_forward_pre_hook(hook, with_kwargs=True)

    def output_of(self, name: str, module: torch.nn.Module, part: int = 0) -> None:
        def hook(module: torch.nn.Module, args: tuple, output: object) -> None:
            value = output[part] if part else first(output)
            self.seen[name] = value.detach().clone()

        module.register_forward_hook(hook)


def watch_block(watch: Watch, block: torch.nn.Module, adapter: Adapter) -> None:
    watch.input_of("input", block)
    watch.output_of("output", block)
    watch.input_of("attention_input", block.get_submodule(adapter.attention[0]))
    watch.output_of("attention", block.get_submodule(adapter.attention[1]))
    watch.input_of("ffn_input", block.get_submodule(adapter.ffn[0]))
    watch.output_of("ffn", block.get_submodule(adapter.ffn[1]))


def watch_projections(watch: Watch, block: torch.nn.Module, chosen: Projections) -> None:
    if chosen.fused:
        watch.output_of("fused", block.get_submodule(chosen.fused))
    else:
        watch.output_of("query", block.get_submodule(chosen.query))
        watch.output_of("key", block.get_submodule(chosen.key))
    watch.output_of(
        "probabilities", block.get_submodule(chosen.attention), part=chosen.probabilities
    )


def parameters_of(module: torch.nn.Module) -> Recorded:
    return {
        name: parameter.detach().numpy()
        for name, parameter in module.named_parameters(recurse=False)
    }


def rotation_of(model: torch.nn.Module) -> Recorded:
    """θ and the rotated share of a head, as the configuration has them."""
    rope = getattr(model.config, "rope_parameters", None) or {}
    head = HIDDEN // HEADS
    if hasattr(model.config, "rotary_dim"):
        rope = {"rope_theta": 10000.0, "partial_rotary_factor": model.config.rotary_dim / head}
    if "rope_theta" not in rope:
        rope = next((r for r in rope.values() if isinstance(r, dict)), {"rope_theta": 10000.0})
    share = rope.get("partial_rotary_factor") or 1.0
    return {
        "rope_theta": np.array(float(rope["rope_theta"])),
        "rotary_dim": np.array(int(head * share)),
    }


def record(adapter: Adapter) -> Recorded:
    model = build(adapter)
    block = model.get_submodule(adapter.block)
    watch = Watch()
    watch_block(watch, block, adapter)
    for name, path in (("final", adapter.final), ("embedding", adapter.embedding)):
        if path and not (name == "embedding" and path == adapter.final):
            watch.input_of(f"{name}_input", model.get_submodule(path))
            watch.output_of(f"{name}_output", model.get_submodule(path))
    if adapter.projections:
        watch_projections(watch, block, adapter.projections)
    with torch.no_grad():
        if adapter.vision:
            image = torch.randn(1, 3, 4, 4, generator=torch.Generator().manual_seed(2))
            model(pixel_values=image, output_attentions=True)
        else:
            ids = torch.arange(3, 3 + 5 * TOKENS, 5) % VOCABULARY
            model(input_ids=ids[None], output_attentions=True)
    result = {name: value.numpy() for name, value in watch.seen.items()}
    modules = {place: block.get_submodule(path) for place, path in adapter.norms.items()}
    if adapter.final:
        modules["final"] = model.get_submodule(adapter.final)
    if adapter.embedding:
        modules["embedding"] = model.get_submodule(adapter.embedding)
    # Features of 1e-3, beside whose squares the smallest ε in use (1e-7) is felt.
    small = 1e-3 * torch.randn(TOKENS, HIDDEN, generator=torch.Generator().manual_seed(3))
    place, module = next(iter(modules.items()))
    result |= {"small_place": np.array(place), "small_input": small.numpy()}
    result["small_output"] = module(small).detach().numpy()
    chosen = adapter.projections
    if chosen:
        result |= rotation_of(model)
        for name, path in (("query_norm", chosen.query_norm), ("key_norm", chosen.key_norm)):
            if path:
                modules[name] = block.get_submodule(path)
        logit_scale = dict(block.named_parameters()).get(f"{chosen.attention}.logit_scale")
        if logit_scale is not None:
            result["logit_scale"] = logit_scale.detach().numpy()
    for place, module in modules.items():
        for name, value in parameters_of(module).items():
            result[f"norm.{place}.{name}"] = value
    return result


def main() -> None:
    recorded: Recorded = {"versions": np.array([torch.__version__, transformers.__version__])}
    for key, adapter in ADAPTERS.items():
        for name, value in record(adapter).items():
            recorded[f"{key}/{name}"] = value
    np.savez_compressed(Path(__file__).with_name("transformers.npz"), **recorded)
    print(f"{len(ADAPTERS)} models by transformers {transformers.__version__}")


if __name__ == "__main__":
    main()
