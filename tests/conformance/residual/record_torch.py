"""Record what PyTorch computes for the stacks of `cases.py`.

Run with PyTorch 2.13 and NumPy in the environment, from the top of the checkout:

    python tests/conformance/residual/record_torch.py

It draws the weights by `kernels.weights` and computes everything else by PyTorch in float64, each
placement written out as its paper or model has it. The tests read `torch.npz` and need no PyTorch.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from kernels.weights import draw_layer, draw_vocabulary
from tests.conformance.residual.cases import CASES, SIZE

EPS = 1e-5
DEPTH, WIDTH, HEADS = SIZE["depth"], SIZE["width"], SIZE["heads"]
Tensor = torch.Tensor
Function = Callable[[Tensor], Tensor]


def norm_function(name: str, width: int = WIDTH) -> Function:
    if name == "layer_norm":
        return lambda x: F.layer_norm(x, (width,), eps=EPS)
    return lambda x: F.rms_norm(x, (width,), eps=EPS)


def blocks(name: str, norm: Function, attention: list, ffn: list) -> list[Function]:
    """The layers of a named placement, written as published."""
    alpha = (2 * DEPTH) ** 0.25

    def sequential(attend: Function, feed: Function, step: Callable) -> Function:
        return lambda x: step(step(x, attend), feed)

    steps = {
        "none": lambda x, f: x + f(x),
        "post_ln": lambda x, f: norm(x + f(x)),
        "pre_ln": lambda x, f: x + f(norm(x)),
        "pre_ln_final": lambda x, f: x + f(norm(x)),
        "before_and_after": lambda x, f: x + norm(f(norm(x))),
        "branch_output": lambda x, f: x + norm(f(x)),
        "deep_norm": lambda x, f: norm(alpha * x + f(x)),
    }
    pairs = zip(attention, ffn, strict=True)
    if name == "parallel":
        return [lambda x, a=a, f=f: x + f(norm(x)) + a(norm(x)) for a, f in pairs]
    return [sequential(a, f, steps[name]) for a, f in pairs]


def attention_function(qkv: Tensor, output: Tensor, options: dict) -> Function:
    size = WIDTH // HEADS
    scale = options.get("score_scale", size**-0.5)
    cap = options.get("soft_cap")
    over_heads = options.get("qk_norm_over_heads", False)
    qk_norm = options.get("qk_norm")
    normalize = norm_function(f"{qk_norm}_norm", WIDTH if over_heads else size) if qk_norm else None

    def attend(x: Tensor) -> Tensor:
        length = x.shape[0]
        q, k, v = (x @ qkv).split(WIDTH, dim=-1)
        if normalize is not None and over_heads:
            q, k = normalize(q), normalize(k)
        q, k, v = (part.view(length, HEADS, size).transpose(0, 1) for part in (q, k, v))
        if normalize is not None and not over_heads:
            q, k = normalize(q), normalize(k)
        if cap is None:
            context = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale)
        else:
            scores = cap * torch.tanh(q @ k.transpose(1, 2) * scale / cap)
            future = torch.ones(length, length, dtype=torch.bool).triu(1)
            context = scores.masked_fill(future, float("-inf")).softmax(-1) @ v
        return context.transpose(0, 1).reshape(length, WIDTH) @ output

    return attend


def draw_parameters(name: str, options: dict) -> list[list[Tensor]]:
    """W_QKV, W_O, W₁, W₂ of each layer, scaled as initialization scales them."""
    beta = (8 * DEPTH) ** -0.25 if name == "deep_norm" else 1.0
    writes = options.get("gain", 1.0) * beta
    if options.get("residual_scaling"):
        writes /= (2 * DEPTH) ** 0.5
    parameters = []
    for index in range(DEPTH):
        layer = 0 if options.get("shared_layers") else index
        drawn = draw_layer(SIZE["seed"], WIDTH, layer).astype(np.float64)
        qkv = torch.tensor(drawn.query_key_value)
        qkv[:, 2 * WIDTH :] *= beta
        matrices = (qkv, drawn.output * writes, drawn.hidden * beta, drawn.down * writes)
        parameters.append([torch.tensor(np.asarray(m)).requires_grad_() for m in matrices])
    return parameters


def run_case(name: str, norm_name: str, options: dict) -> dict[str, np.ndarray]:
    norm = norm_function(norm_name)
    parameters = draw_parameters(name, options)
    attention = [attention_function(p[0], p[1], options) for p in parameters]
    ffn = [lambda x, p=p: F.gelu(x @ p[2], approximate="tanh") @ p[3] for p in parameters]
    vocabulary = draw_vocabulary(SIZE["seed"], WIDTH, SIZE["tokens"], SIZE["vocabulary"])
    stream = [torch.tensor(vocabulary.embedding[vocabulary.tokens], dtype=torch.float64)]
    stream[0].requires_grad_()
    for block in blocks(name, norm, attention, ffn):
        stream.append(block(stream[-1]))
        stream[-1].retain_grad()
    final = name in ("pre_ln_final", "before_and_after", "branch_output", "parallel")
    rows = norm(stream[-1]) if final else stream[-1]
    logits = rows @ torch.tensor(vocabulary.unembedding, dtype=torch.float64)
    loss = F.cross_entropy(logits, torch.tensor(vocabulary.targets))
    loss.backward()
    return {
        "stream": torch.stack(stream).detach().numpy(),
        "gradient": np.stack([x.grad.numpy() for x in stream]),
        "weight_rms": np.array(
            [[p.grad.square().mean().sqrt().item() for p in layer] for layer in parameters]
        ),
        "logits": logits.detach().numpy(),
        "loss": np.array(loss.item()),
    }


def main() -> None:
    recorded = {"torch_version": np.array(torch.__version__)}
    recorded["weights_sum"] = np.array(
        sum(float(draw_layer(SIZE["seed"], WIDTH, i).down.sum()) for i in range(DEPTH))
    )
    for case, (name, norm, options) in CASES.items():
        for key, value in run_case(name, norm, options).items():
            recorded[f"{case}/{key}"] = value
    np.savez_compressed(Path(__file__).with_name("torch.npz"), **recorded)
    print(f"{len(CASES)} cases by PyTorch {torch.__version__}")


if __name__ == "__main__":
    main()
