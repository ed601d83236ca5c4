"""ONNX operators in terms of `kernels`: what stands between a node test and the kernel it tests.

Each adapter takes the node's inputs (None where one is left out) and attributes, and returns the
outputs that the operator defines. Semantics are those of the operator's newest version in
onnx 1.23.2.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import kernels

Inputs = list[Any]
Attributes = dict[str, Any]
Adapter = Callable[[Inputs, Attributes], list[np.ndarray | None]]

# Single-node tests of these operators, and how many of each are not run; the reason for each.
EXCLUDED: dict[str, dict[str, str]] = {
    "LpNormalization": {
        "test_l1normalization_axis_0": "the kernels have no norm of absolute values",
        "test_l1normalization_axis_1": "the kernels have no norm of absolute values",
        "test_l1normalization_axis_last": "the kernels have no norm of absolute values",
    },
    "ReduceSum": {
        "test_reduce_sum_empty_set": "the kernels give means; that of nothing is NaN, not 0",
    },
    "ReduceSumSquare": {
        "test_reduce_sum_square_empty_set": "E[x²] of nothing is NaN, not 0",
    },
    "ReduceL2": {
        "test_reduce_l2_empty_set": "E[x²] of nothing is NaN, not 0",
    },
    "ReduceLogSumExp": {
        "test_reduce_log_sum_exp_empty_set": "log_softmax of nothing is empty, it has no sum",
    },
}


def layer_normalization(inputs: Inputs, attributes: Attributes) -> list[np.ndarray | None]:
    x = inputs[0]
    axis = attributes.get("axis", -1) % x.ndim
    gain, shift = (*inputs[1:], None)[:2]
    result = kernels.layer_norm(x, x.shape[axis:], gain, shift, attributes.get("epsilon", 1e-5))
    return [result.output, result.mean, 1 / result.denominator]


def rms_normalization(inputs: Inputs, attributes: Attributes) -> list[np.ndarray | None]:
    x, gain = inputs
    shape = x.shape[attributes.get("axis", -1) % x.ndim :]
    return [kernels.rms_norm(x, shape, gain, attributes.get("epsilon", 1e-5)).output]


def batch_normalization(inputs: Inputs, attributes: Attributes) -> list[np.ndarray | None]:
    x, gain, shift, mean, var = inputs
    result = kernels.batch_norm(
        x,
        mean,
        var,
        gain,
        shift,
        training=bool(attributes.get("training_mode", 0)),
        momentum=attributes.get("momentum", 0.9),
        eps=attributes.get("epsilon", 1e-5),
        momentum_convention="keras",
        unbiased_running_var=False,
    )
    return [result.output, result.running_mean, result.running_var]


def group_normalization(inputs: Inputs, attributes: Attributes) -> list[np.ndarray | None]:
    x, gain, shift = inputs
    eps = attributes.get("epsilon", 1e-5)
    return [kernels.group_norm(x, attributes["num_groups"], gain, shift, eps).output]


def instance_normalization(inputs: Inputs, attributes: Attributes) -> list[np.ndarray | None]:
    x, gain, shift = inputs
    eps = attributes.get("epsilon", 1e-5)
    return [kernels.instance_norm(x, weight=gain, bias=shift, eps=eps).output]


def mean_variance_normalization(inputs: Inputs, attributes: Attributes) -> list[np.ndarray | None]:
    # The operator adds 1e-9 to the standard deviation, which no float32 result shows.
    return [kernels.normalize(inputs[0], attributes.get("axes", (0, 2, 3)), eps=0.0).output]


def lp_normalization(inputs: Inputs, attributes: Attributes) -> list[np.ndarray | None]:
    x, axis = inputs[0], attributes.get("axis", -1)
    unit_rms = kernels.normalize(x.astype(np.float64), axis, center=False, eps=0.0).output
    # A vector of zeros has no direction; the operator gives zeros.
    return [np.nan_to_num(unit_rms / np.sqrt(x.shape[axis]))]


def softmax(inputs: Inputs, attributes: Attributes) -> list[np.ndarray | None]:
    return [kernels.softmax(inputs[0], attributes.get("axis", -1))]


def log_softmax(inputs: Inputs, attributes: Attributes) -> list[np.ndarray | None]:
    return [kernels.log_softmax(inputs[0], attributes.get("axis", -1))]


def _reduction(
    of_means: Callable[[np.ndarray, np.ndarray, int], np.ndarray],
) -> Adapter:
    """A reduction as a function of μ, E[x²] and the number of values."""

    def adapter(inputs: Inputs, attributes: Attributes) -> list[np.ndarray | None]:
        x, axes = _reduced(inputs, attributes)
        result = kernels.normalize(x, axes)
        count = int(np.prod([x.shape[axis] for axis in axes]))
        reduced = of_means(result.mean, result.mean_square, count)
        return [reduced if attributes.get("keepdims", 1) else np.squeeze(reduced, tuple(axes))]

    return adapter


def reduce_log_sum_exp(inputs: Inputs, attributes: Attributes) -> list[np.ndarray | None]:
    x, axes = _reduced(inputs, attributes)
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    rows = np.transpose(x, [*kept, *axes]).reshape([x.shape[axis] for axis in kept] + [-1])
    # log pᵢ = xᵢ − log Σ exp x
    total = (rows - kernels.log_softmax(rows))[..., 0]
    if attributes.get("keepdims", 1):
        total = np.expand_dims(total, tuple(axes))
    return [total]


def _reduced(inputs: Inputs, attributes: Attributes) -> tuple[np.ndarray, list[int]]:
    """The tensor and the axes, which are an input since opset 18; none given means all."""
    x = inputs[0]
    given = inputs[1] if len(inputs) > 1 and inputs[1] is not None else np.empty(0, np.int64)
    if not given.size and attributes.get("noop_with_empty_axes", 0):
        return x, []
    return x, sorted(int(axis) % x.ndim for axis in given) or list(range(x.ndim))


def rotary_embedding(inputs: Inputs, attributes: Attributes) -> list[np.ndarray | None]:
    x, cos, sin, position_ids = (*inputs, None)[:4]
    heads = x
    if x.ndim == 3:
        heads = _split_heads(x, attributes["num_heads"])
    if position_ids is not None:
        cos, sin = cos[position_ids], sin[position_ids]
    # The tests' caches are random numbers, not cosines: an angle and a length.
    angles, length = np.arctan2(sin, cos)[:, None], np.hypot(sin, cos)[:, None]
    interleaved = bool(attributes.get("interleaved", 0))
    rotated = kernels.rotate(heads.astype(np.float64), angles, interleaved=interleaved)
    both = np.repeat(length, 2, -1) if interleaved else np.concatenate([length, length], -1)
    rotated[..., : both.shape[-1]] *= both
    return [_join_heads(rotated) if x.ndim == 3 else rotated]


def attention(inputs: Inputs, attributes: Attributes) -> list[np.ndarray | None]:
    q, k, v, mask, past_key, past_value, nonpad = (*inputs, *[None] * 7)[:7]
    flat = q.ndim == 3
    if flat:
        q = _split_heads(q, attributes["q_num_heads"])
        k, v = (_split_heads(part, attributes["kv_num_heads"]) for part in (k, v))
    if past_key is not None:
        k = np.concatenate([past_key, k], axis=2)
        v = np.concatenate([past_value, v], axis=2)
    wide = [np.asarray(part, np.float64) for part in (q, k)]
    options = {"scale": attributes.get("scale")}
    raw = kernels.attention_scores(*wide, **options)
    capped = kernels.attention_scores(*wide, soft_cap=attributes.get("softcap"), **options)
    offset = np.zeros(1, int)
    if past_key is not None:
        offset = np.array([past_key.shape[2]])
    elif nonpad is not None:
        offset = nonpad.reshape(-1) - q.shape[2]
    bias = _attention_bias(capped.shape, mask, nonpad, offset, attributes)
    probabilities = kernels.attention_probabilities(capped, bias)
    values = np.repeat(np.asarray(v, np.float64), q.shape[1] // v.shape[1], axis=1)
    output = np.matmul(probabilities, values)
    mode = attributes.get("qk_matmul_output_mode", 0)
    shown = {0: raw, 1: capped, 2: capped + bias, 3: probabilities}[mode]
    return [_join_heads(output) if flat else output, k, v, shown]


def _attention_bias(
    shape: tuple[int, ...],
    mask: np.ndarray | None,
    nonpad: np.ndarray | None,
    offset: np.ndarray,
    attributes: Attributes,
) -> np.ndarray:
    """Everything that keeps a query from a key, as numbers to add: 0 or the mask's own, or −Inf.

    A query at index i is at position i + offset: behind the keys of the cache.
    """
    keys = np.arange(shape[-1])
    position = np.arange(shape[-2])[:, None] + offset[:, None, None, None]
    ahead = keys - position
    allowed = np.ones((), bool)
    if attributes.get("is_causal", 0):
        allowed = allowed & (ahead <= 0)
    if attributes.get("left_window_size", -1) >= 0:
        allowed = allowed & (-ahead <= attributes["left_window_size"])
    if attributes.get("right_window_size", -1) >= 0:
        allowed = allowed & (ahead <= attributes["right_window_size"])
    if nonpad is not None:
        allowed = allowed & (keys < nonpad.reshape(-1, 1, 1, 1))
    bias = np.zeros(shape)
    if mask is not None:
        given = np.asarray(mask)
        # A mask shorter than the keys masks the rest.
        missing = shape[-1] - given.shape[-1]
        if given.dtype == bool:
            given = np.where(given, 0.0, -np.inf)
        padding = [(0, 0)] * (given.ndim - 1) + [(0, missing)]
        bias = bias + np.pad(given.astype(np.float64), padding, constant_values=-np.inf)
    return np.where(allowed, bias, -np.inf)


def _split_heads(x: np.ndarray, heads: int) -> np.ndarray:
    """``[B, T, heads·d]`` as ``[B, heads, T, d]``."""
    return x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def _join_heads(x: np.ndarray) -> np.ndarray:
    """``[B, heads, T, d]`` as ``[B, T, heads·d]``."""
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


ADAPTERS: dict[str, Adapter] = {
    "Attention": attention,
    "BatchNormalization": batch_normalization,
    "GroupNormalization": group_normalization,
    "InstanceNormalization": instance_normalization,
    "LayerNormalization": layer_normalization,
    "LogSoftmax": log_softmax,
    "LpNormalization": lp_normalization,
    "MeanVarianceNormalization": mean_variance_normalization,
    "RMSNormalization": rms_normalization,
    "ReduceL2": _reduction(lambda mean, mean_square, count: np.sqrt(count * mean_square)),
    "ReduceLogSumExp": reduce_log_sum_exp,
    "ReduceMean": _reduction(lambda mean, mean_square, count: mean),
    "ReduceSum": _reduction(lambda mean, mean_square, count: count * mean),
    "ReduceSumSquare": _reduction(lambda mean, mean_square, count: count * mean_square),
    "RotaryEmbedding": rotary_embedding,
    "Softmax": softmax,
}
