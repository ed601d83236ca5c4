"""How each case about a normalizer is computed with `kernels`.

One function an operation. It gets the case and returns what the case's ``expected`` names; a name
that starts with ``wrong_`` is a known-bad value, which the result beside it must not be.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import kernels
from kernels.axes import group_ids
from kernels.precision import emulate_rms_norm
from kernels.statistics import merge_moments, moments
from tests.conformance.kernels.cases import Answer, Case, numbers, optional, tensor


def layer_norm(case: Case) -> Answer:
    params = case["params"]
    gain = optional(case, "gamma")
    eps = params.get("eps", 1e-5)
    result = kernels.layer_norm(
        tensor(case), params["normalized_shape"], gain, optional(case, "beta"), eps
    )
    x = tensor(case)
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        deviation = wide - wide.mean() if x.size else wide
        spread = wide.std() if x.size else np.nan
        unbiased = wide.std(ddof=1) if x.size > 1 else np.nan
        wrong_scale = deviation / (unbiased + eps)
        wrong_eps = deviation / (spread + eps)
    return {
        "y": result.output,
        "wrong_annotated_transformer": wrong_scale,
        "wrong_sqrt_plus_eps": wrong_eps,
        # Types: bfloat16 inputs are kept as float32 here; the kernel keeps the type of x ...
        "torch_out_dtype": params.get("dtype") if result.output.dtype == x.dtype else None,
        # ... while Llama's order of casts promotes to the type of the weight.
        "llama_rmsnorm_out_dtype": _llama_type(gain),
        "y_shape": list(result.output.shape),
    }


def _llama_type(gain: np.ndarray | None) -> str | None:
    if gain is None:
        return None
    half = np.ones(gain.shape, np.float16)
    promoted = kernels.rms_norm(half, gain.shape, gain.astype(np.float32), cast_before_weight=True)
    return str(promoted.output.dtype)


def rms_norm(case: Case) -> Answer:
    params, x = case["params"], tensor(case)
    shape, gain, eps = params["normalized_shape"], optional(case, "gamma"), params["eps"]
    result = kernels.rms_norm(x, shape, gain, eps, gain_offset=params.get("gain_offset", 0.0))
    answer: Answer = {"y": result.output}
    if eps is None:
        answer["eps_used"] = result.denominator.item() ** 2 - result.mean_square.item()
    else:
        square = np.mean(np.square(x, dtype=np.float64))
        answer["wrong_double_sqrt"] = x / np.sqrt(np.sqrt(square) + eps)
    if params.get("dtype") == "bfloat16":
        answer["llama_cast_then_mul"] = emulate_rms_norm(x, gain, eps, cast_before_weight=True)
        answer["olmo2_gemma_mul_then_cast"] = emulate_rms_norm(x, gain, eps)
        answer["float64"] = kernels.rms_norm(x.astype(np.float64), shape, gain, eps).output
    if "gain_offset" in params:
        answer["wrong_plain_gain"] = kernels.rms_norm(x, shape, gain, eps).output
    return answer


def identity(case: Case) -> Answer:
    x, eps = tensor(case), case["input"]["eps"]
    centered = x - x.mean()
    layer = kernels.layer_norm(x, x.shape, eps=eps).output
    np.testing.assert_allclose(
        kernels.rms_norm(centered, x.shape, eps=eps).output, layer, rtol=1e-15
    )
    return {"y": layer}


def _batch_norm_options(params: dict[str, Any]) -> dict[str, Any]:
    return {
        "momentum": params.get("momentum", 0.1),
        "eps": params.get("eps", 1e-5),
        "momentum_convention": params.get("momentum_convention", "pytorch"),
        "unbiased_running_var": params.get("running_var_ddof", 1) == 1,
        "strict": params.get("policy", "torch") == "torch" and "low level" not in str(params),
    }


def batch_norm(case: Case) -> Answer:
    params, x = case["params"], tensor(case)
    channels = x.shape[1]
    untracked = params.get("track_running_stats") is False
    mean, var = optional(case, "running_mean"), optional(case, "running_var")
    if mean is None and not untracked:
        mean, var = np.zeros(channels), np.ones(channels)
    options = _batch_norm_options(params)
    options["training"] = params["mode"] == "train"
    result = kernels.batch_norm(x, mean, var, **options)
    answer: Answer = {
        "y": result.output,
        "y_shape": list(result.output.shape),
        "running_mean": result.running_mean,
        "running_var": result.running_var,
    }
    if "mask" in params:
        masked = kernels.batch_norm(x, mean, var, mask=params["mask"], **options)
        options["unbiased_running_var"] = False
        biased = kernels.batch_norm(x, mean, var, mask=params["mask"], **options)
        answer |= {
            "y_unmasked_stats": result.output,
            "y_masked_stats": masked.output,
            "running_mean_masked": masked.running_mean,
            "running_var_masked_unbiased": masked.running_var,
            "running_var_masked_biased": biased.running_var,
            "mean": masked.mean,
            "var": masked.variance,
        }
    return answer


def batch_norm_train_then_eval(case: Case) -> Answer:
    options = _batch_norm_options(case["params"])
    x = tensor(case)
    train = kernels.batch_norm(x, np.zeros(1), np.ones(1), training=True, **options)
    evaluated = kernels.batch_norm(x, train.running_mean, train.running_var, **options)
    return {
        "train_y": train.output,
        "running_mean": train.running_mean,
        "running_var": train.running_var,
        "eval_y": evaluated.output,
    }


def batch_norm_sequence(case: Case) -> Answer:
    params = case["params"]
    if "batches" in params:
        batches = [numbers(batch).reshape(-1, 1) for batch in params["batches"]]
    else:
        batches = np.split(tensor(case), np.cumsum(params["split"])[:-1])
    mean, var, seen = np.zeros(1), np.ones(1), 0
    answer: Answer = {}
    for number, batch in enumerate(batches, start=1):
        result = kernels.batch_norm(
            batch,
            mean,
            var,
            training=True,
            num_batches_tracked=seen,
            **_batch_norm_options(params),
        )
        mean, var = result.running_mean, result.running_var
        seen += batch.size > 0
        answer |= {f"y{number}": result.output, f"rm{number}": mean, f"rv{number}": var}
    return answer | {"running_mean": mean, "running_var": var}


def batch_norm_no_grad(case: Case) -> Answer:
    # There is no autograd here, so every forward is one under no_grad().
    result = kernels.batch_norm(tensor(case), np.zeros(1), np.ones(1), training=True)
    return {"running_mean": result.running_mean, "running_var": result.running_var}


def batch_norm_composition(case: Case) -> Answer:
    token = case["input"]["token"]
    own = [
        kernels.batch_norm(
            np.array([[token], *[[mate] for mate in mates]]),
            training=True,
            eps=case["params"]["eps"],
        ).output[0, 0]
        for mates in case["input"]["mates"]
    ]
    return {"bn": own}


def sync_batch_norm(case: Case) -> Answer:
    workers = [numbers(part).reshape(-1, 1) for part in case["input"]["workers"]]
    eps, momentum = case["params"]["eps"], case["params"]["momentum"]
    result = kernels.sync_batch_norm(workers, np.zeros(1), np.ones(1), eps=eps, momentum=momentum)[
        0
    ]
    alone = [moments(part, (0,)) for part in workers]
    return {
        "naive_mean": np.mean([part.mean for part in alone]),
        "naive_var": np.mean([part.variance for part in alone]),
        "mean": result.mean,
        "var": result.variance,
        "var_unbiased": merge_moments(alone).unbiased_variance(),
        "running_mean": result.running_mean,
        "running_var": result.running_var,
    }


def group_norm(case: Case) -> Answer:
    params, x = case["params"], tensor(case)
    gain = optional(case, "gamma")
    if "gamma_per_group" in params:
        gain = np.repeat(params["gamma_per_group"], x.shape[1] // params["num_groups"])
        np.testing.assert_array_equal(gain, params["gamma_per_channel"])
    result = kernels.group_norm(
        x, params["num_groups"], gain, optional(case, "beta"), params["eps"]
    )
    return {"y": result.output}


def instance_norm(case: Case) -> Answer:
    return {"y": kernels.instance_norm(tensor(case), eps=case["params"].get("eps", 1e-5)).output}


def family(case: Case) -> Answer:
    x, eps = numbers(case["input"]["x_NCL"]), case["params"]["eps"]
    return {
        "bn": kernels.batch_norm(x, training=True, eps=eps).output,
        "instance": kernels.instance_norm(x, eps=eps).output,
        "group1": kernels.group_norm(x, 1, eps=eps).output,
        "group2": kernels.group_norm(x, 2, eps=eps).output,
        "ln_over_C": kernels.normalize(x, 1, eps=eps).output,
        "ln_over_CL": kernels.layer_norm(x, x.shape[1:], eps=eps).output,
    }


def masked_stats(case: Case) -> Answer:
    x, mask = tensor(case), np.array(case["input"]["mask"], bool)
    plain, masked = moments(x, (0,)), moments(x, (0,), mask)
    return {
        "mean": plain.mean,
        "var": plain.variance,
        "masked_mean": masked.mean,
        "masked_var": masked.variance,
        "masked_var_unbiased": masked.unbiased_variance(),
    }


def reduce_axes(case: Case) -> Answer:
    shape = tuple(case["input"]["shape"])
    kernels.normalize(np.zeros(shape), case["params"]["axes"])
    return {"groups": group_ids(shape, case["params"]["axes"])}


def layer_norm_gradient(case: Case) -> Answer:
    x = tensor(case)
    return {
        "dx": kernels.layer_norm_backward(
            tensor(case, "dy"), x, x.shape, eps=case["params"]["eps"]
        ).x
    }


def rms_norm_gradient(case: Case) -> Answer:
    x = tensor(case)
    return {
        "dx": kernels.rms_norm_backward(tensor(case, "dy"), x, x.shape, eps=case["params"]["eps"]).x
    }


def batch_norm_gradient(case: Case) -> Answer:
    params, x, dy = case["params"], tensor(case), tensor(case, "dy")
    splits = np.cumsum(params.get("split", [len(x)]))[:-1]
    parts = [
        kernels.batch_norm_backward(
            gradient,
            part,
            optional(case, "running_mean"),
            optional(case, "running_var"),
            training=params["mode"] == "train",
            eps=params["eps"],
        ).x
        for part, gradient in zip(np.split(x, splits), np.split(dy, splits), strict=True)
    ]
    return {"dx": np.concatenate(parts)}


NORM_CASES: dict[str, Callable[[Case], Answer]] = {
    "layer_norm": layer_norm,
    "rms_norm": rms_norm,
    "identity": identity,
    "batch_norm": batch_norm,
    "batch_norm_train_then_eval": batch_norm_train_then_eval,
    "batch_norm_sequence": batch_norm_sequence,
    "batch_norm_no_grad": batch_norm_no_grad,
    "batch_norm_composition": batch_norm_composition,
    "sync_batch_norm": sync_batch_norm,
    "group_norm": group_norm,
    "instance_norm": instance_norm,
    "family": family,
    "masked_stats": masked_stats,
    "reduce_axes": reduce_axes,
    "layer_norm_grad": layer_norm_gradient,
    "rms_norm_grad": rms_norm_gradient,
    "batch_norm_grad": batch_norm_gradient,
}
