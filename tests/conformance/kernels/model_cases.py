"""How each case about a block, a stack or a single number of a model is computed."""

from collections.abc import Callable

import numpy as np

import kernels
from kernels.axes import NORMALIZERS
from kernels.precision import emulate_rms_norm, round_to
from tests.conformance.kernels.cases import Answer, Case, tensor


def residual_block(case: Case) -> Answer:
    params, x = case["params"], tensor(case)
    weight, eps = np.array(params["W"]), params["eps"]
    if params["placement"] == "post":
        return {"y": kernels.layer_norm(x + weight @ x, 2, eps=eps).output}
    if params["placement"] == "pre":
        return {"y": x + weight @ kernels.layer_norm(x, 2, eps=eps).output}
    gemma = {"weight": params["gain"], "eps": eps, "gain_offset": params["gain_offset"]}
    inner = weight @ kernels.rms_norm(x, 2, **gemma).output
    branch = kernels.rms_norm(inner, 2, **gemma).output
    return {"branch": branch, "y": x + branch}


def residual_growth(case: Case) -> Answer:
    # Updates that are orthogonal and of unit variance, and updates that are all the same.
    def growth(depth: int, same: bool) -> float:
        width = depth + 1
        updates = np.ones((width, width)) if same else np.sqrt(width) * np.eye(width)
        stream = updates.sum(0)
        # mean_square is what RMSNorm takes of the stream.
        return float(np.sqrt(kernels.rms_norm(stream, width, eps=0.0).mean_square.item()))

    depths = case["input"]["L"]
    return {
        "std": [growth(depth, same=False) for depth in depths],
        "std_fully_correlated": [growth(depth, same=True) for depth in depths],
    }


def residual_growth_sim(case: Case) -> Answer:
    params = case["params"]
    rng = np.random.default_rng(params["seed"])
    width = params["d"]
    stream = rng.standard_normal((params["N"], width))
    reached = {}
    for layer in range(1, params["layers"] + 1):
        weight = rng.standard_normal((width, width)) / np.sqrt(width)
        stream = stream + kernels.layer_norm(stream, width).output @ weight
        reached[str(layer)] = float(np.sqrt(kernels.normalize(stream, None).variance.item()))
    return {"std_after": {depth: reached[depth] for depth in case["expected"]["std_after"]}}


def final_norm(case: Case) -> Answer:
    x, eps = tensor(case), case["params"]["eps"]
    once = kernels.layer_norm(x, x.shape[-1], eps=eps).output
    return {"y": once, "once": once, "twice": kernels.layer_norm(once, once.shape[-1]).output}


def param_count(case: Case) -> Answer:
    width = case["params"]["d"]
    x = np.arange(2.0 * width).reshape(2, width)
    trained = kernels.batch_norm(x, np.zeros(width), np.ones(width), training=True)
    # What a state dict holds besides: the number of batches.
    buffers = trained.running_mean.size + trained.running_var.size + 1
    gradients = {
        "batch_norm": kernels.batch_norm_backward(x, x, training=True),
        "layer_norm": kernels.layer_norm_backward(x, x, width),
        "rms_norm": kernels.rms_norm_backward(x, x, width),
    }
    running = {row.kernel for row in NORMALIZERS.values() if row.running}
    return {
        name: {
            "params": sum(part.size for part in grads[1:] if part is not None),
            "buffers": buffers if name in running else 0,
        }
        for name, grads in gradients.items()
    }


def scalar(case: Case) -> Answer:
    params = case["params"]
    if "d_k" in params:
        query = np.random.default_rng(0).standard_normal((1, params["d_k"]))
        q_hat = kernels.normalized_heads(query, qk_norm="rms", eps=0.0)
        best = kernels.attention_scores(query, query, qk_norm="rms", eps=0.0)
        return {"bound": best, "q_norm": np.linalg.norm(q_hat)}
    if "hidden_size" in params:
        exact = np.sqrt(float(params["hidden_size"]))
        return {
            "exact": exact,
            "bf16": round_to(exact, "bfloat16"),
            "f16": round_to(exact, "float16"),
        }
    if "w" in case["input"]:
        one, weight = [np.sqrt(1.0)], [case["input"]["w"]]
        added = emulate_rms_norm(
            one, weight, 0.0, storage="float32", accumulation="float32", gain_offset=1.0
        )
        rounded = emulate_rms_norm(
            one, weight, 0.0, storage="bfloat16", accumulation="bfloat16", gain_offset=1.0
        )
        return {"right_f32_add": added, "wrong_bf16_add": rounded}
    x = tensor(case)
    if x.dtype == np.float16:
        with np.errstate(over="ignore"):
            wrong = np.var(x)
        return {"var": kernels.normalize(x, None).variance, "wrong_np_var_f16": wrong}
    layer = kernels.layer_norm(x, x.shape, eps=params["eps"])
    rms = kernels.rms_norm(x, x.shape, eps=params["eps"])
    return {
        "ln_mean": layer.mean,
        "ln_var": layer.variance,
        "ln_std": layer.denominator,
        "rms_mean_sq": rms.mean_square,
        "rms": rms.denominator,
    }


MODEL_CASES: dict[str, Callable[[Case], Answer]] = {
    "residual_block": residual_block,
    "residual_growth": residual_growth,
    "residual_growth_sim": residual_growth_sim,
    "final_norm": final_norm,
    "param_count": param_count,
    "scalar": scalar,
}
