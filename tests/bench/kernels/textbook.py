"""The formulas as a textbook, and the texts the project began from, write them: what is beaten."""

import numpy as np

Array = np.ndarray


def layer_norm(x: Array, weight: Array | None, bias: Array | None) -> Array:
    mean = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)
    normalized = (x - mean) / np.sqrt(var + 1e-5)
    return normalized if weight is None else weight * normalized + bias


def rms_norm(x: Array, weight: Array | None, bias: Array | None) -> Array:
    rms = np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + 1e-5)
    normalized = x / rms
    return normalized if weight is None else weight * normalized


def batch_norm(x: Array, weight: Array | None, bias: Array | None) -> Array:
    mean = x.mean(axis=0)
    var = x.var(axis=0)
    normalized = (x - mean) / np.sqrt(var + 1e-5)
    return normalized if weight is None else weight * normalized + bias


def softmax(x: Array, weight: Array | None, bias: Array | None) -> Array:
    exponential = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponential / exponential.sum(axis=-1, keepdims=True)
