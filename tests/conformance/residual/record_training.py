"""Record the losses PyTorch's Adam and autograd reach on the tiny character model.

Run with PyTorch 2.13 and NumPy in the environment, from the top of the checkout:

    python tests/conformance/residual/record_training.py

Weights and batches come from `kernels.training`; forward, backward and Adam are PyTorch's, in
float64. The tests read `training.json` and need no PyTorch.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from kernels.training import RECIPES, CharacterModel, TrainingSettings
from kernels.training_text import TEXT
from kernels.weights import VOCABULARY_STREAM, generator

SMALL = {"depth": 2, "width": 16, "heads": 2, "context": 8, "batch": 3, "steps": 12}


def causal_attention(x: torch.Tensor, qkv: torch.Tensor, heads: int) -> torch.Tensor:
    batch, length, width = x.shape
    parts = [
        part.view(batch, length, heads, -1).transpose(1, 2)
        for part in (x @ qkv).split(width, dim=-1)
    ]
    context = F.scaled_dot_product_attention(*parts, is_causal=True)
    return context.transpose(1, 2).reshape(batch, length, width)


def losses(settings: TrainingSettings) -> list[float]:
    alphabet = sorted(set(TEXT))
    text = torch.tensor([alphabet.index(character) for character in TEXT])
    model = CharacterModel(settings, len(alphabet))
    parameters = [torch.tensor(m).requires_grad_() for m in model.matrices]
    optimizer = torch.optim.Adam(parameters, lr=1.0, betas=(0.9, 0.999), eps=1e-8)
    embedding, positions, head, *layers = parameters
    pre = settings.placement.attention_input
    batches = generator(settings.seed, VOCABULARY_STREAM + 4)

    def norm(x: torch.Tensor) -> torch.Tensor:
        return F.layer_norm(x, (settings.width,))

    def attend(x: torch.Tensor, qkv: torch.Tensor, output: torch.Tensor) -> torch.Tensor:
        return causal_attention(x, qkv, settings.heads) @ output

    def feed(x: torch.Tensor, hidden: torch.Tensor, down: torch.Tensor) -> torch.Tensor:
        return F.gelu(x @ hidden, approximate="tanh") @ down

    def step(x: torch.Tensor, sublayer: Callable, *weights: torch.Tensor) -> torch.Tensor:
        return x + sublayer(norm(x), *weights) if pre else norm(x + sublayer(x, *weights))

    found = []
    for count in range(settings.steps):
        starts = batches.integers(0, len(text) - settings.context, settings.batch)
        places = torch.tensor(starts[:, None] + np.arange(settings.context + 1))
        x = embedding[text[places[:, :-1]]] + positions
        for qkv, output, hidden, down in zip(*[iter(layers)] * 4, strict=True):
            x = step(x, attend, qkv, output)
            x = step(x, feed, hidden, down)
        logits = (norm(x) if pre else x) @ head
        loss = F.cross_entropy(logits.flatten(0, 1), text[places[:, 1:]].flatten())
        found.append(loss.item())
        for group in optimizer.param_groups:
            group["lr"] = settings.learning_rate * min(1.0, (count + 1) / max(settings.warmup, 1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return found


def main() -> None:
    recorded = {"torch_version": torch.__version__, "settings": SMALL}
    for name, recipe in RECIPES.items():
        warmup = 6 if recipe.warmup else 0
        recorded[name] = losses(replace(recipe, dtype="float64", warmup=warmup, **SMALL))
    Path(__file__).with_name("training.json").write_text(json.dumps(recorded, indent=1) + "\n")
    print({name: recorded[name][-1] for name in RECIPES})


if __name__ == "__main__":
    main()
