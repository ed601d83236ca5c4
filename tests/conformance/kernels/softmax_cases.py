"""How each case about softmax, attention or the soft-cap is computed with `kernels`.

One function an operation. It gets the case and returns what the case's ``expected`` names; a name
that starts with ``wrong_`` is a known-bad value, which the result beside it must not be.
"""

from collections.abc import Callable

import numpy as np

import kernels
from tests.conformance.kernels.cases import Answer, Case, numbers, tensor


def softmax(case: Case) -> Answer:
    params, x = case["params"], tensor(case)
    temperature = params.get("temperature", 1.0)
    options = {"axis": params["axis"], "temperature": temperature}
    answer: Answer = {
        "y": kernels.softmax(x, **options),
        "y_shape": list(x.shape),
        "safe_softmax": kernels.attention_probabilities(x),
        "exp_of_scaled_logp": np.exp(kernels.log_softmax(x) / temperature),
    }
    if "opset" in params:
        # Before opset 13 all axes from the given one on were one.
        flat = x.reshape(*x.shape[: params["axis"]], -1)
        answer["opset11_flattened"] = kernels.softmax(flat).reshape(x.shape)
    return answer


def attention_probs(case: Case) -> Answer:
    params = case["params"]
    q, k = tensor(case, "q"), tensor(case, "k")
    cap, mask = params.get("softcap"), params.get("mask_additive")
    scores = kernels.attention_scores(q, k, scale=params["scale"], soft_cap=cap)
    mask = None if mask is None else numbers(mask)
    answer: Answer = {
        "scores": scores,
        "probs": kernels.attention_probabilities(scores, mask),
    }
    if mask is not None:
        uncapped = kernels.attention_scores(q, k, scale=params["scale"])
        answer["wrong_mask_then_softcap"] = kernels.softmax(kernels.soft_cap(uncapped + mask, cap))
    return answer


def softmax_jacobian(case: Case) -> Answer:
    x = tensor(case)
    first = np.zeros_like(x)
    first[:, 0] = 1
    diagonal = kernels.softmax_backward(first, x)[:, 0]
    return {"dp0_ds0": diagonal, "ratio": diagonal[0] / diagonal[1]}


def entropy(case: Case) -> Answer:
    return {"H": kernels.entropy(tensor(case, "p"))}


def qk_norm_attention(case: Case) -> Answer:
    params = case["params"]
    q, k = tensor(case, "q"), tensor(case, "k")
    options = {"qk_norm": "rms", "eps": params["eps"]}
    scores = kernels.attention_scores(q, k, scale=params["scale"], **options)
    tripled = kernels.attention_scores(3 * q, 3 * k, scale=params["scale"], **options)
    return {
        "q_hat": kernels.normalized_heads(q, **options),
        "k_hat": kernels.normalized_heads(k, **options),
        "scores": scores,
        "probs": kernels.attention_probabilities(scores),
        "scores_3x": tripled,
        "max_diff": np.max(np.abs(tripled - scores)),
    }


def qk_norm_rope_order(case: Case) -> Answer:
    params = case["params"]
    return {
        order: kernels.normalized_heads(
            [case["input"]["q"]],
            qk_norm="rms",
            weight=params["gain"],
            eps=params["eps"],
            rope=kernels.Rope(order=order),
            positions=[params["theta"]],
        )[0]
        for order in ("norm_then_rope", "rope_then_norm")
    }


def soft_cap(case: Case) -> Answer:
    x, cap = tensor(case), case["params"]["cap"]
    return {"y": kernels.soft_cap(x, cap), "wrong_x_tanh": x * np.tanh(x / cap)}


def soft_cap_gradient(case: Case) -> Answer:
    x = tensor(case)
    return {"dy_dx": kernels.soft_cap_backward(np.ones_like(x), x, case["params"]["cap"])}


SOFTMAX_CASES: dict[str, Callable[[Case], Answer]] = {
    "softmax": softmax,
    "attention_probs": attention_probs,
    "softmax_jacobian": softmax_jacobian,
    "entropy_nats": entropy,
    "qk_norm_attention": qk_norm_attention,
    "qk_norm_rope_order": qk_norm_rope_order,
    "softcap": soft_cap,
    "softcap_grad": soft_cap_gradient,
}
