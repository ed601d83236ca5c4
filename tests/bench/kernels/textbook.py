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


def group_norm(x: Array, weight: Array | None, bias: Array | None) -> Array:
    groups = x.reshape(x.shape[0], 3, -1)
    mean = groups.mean(axis=-1, keepdims=True)
    var = groups.var(axis=-1, keepdims=True)
    return ((groups - mean) / np.sqrt(var + 1e-5)).reshape(x.shape)


def batch_norm_evaluation(x: Array, weight: Array | None, bias: Array | None) -> Array:
    mean, var = np.zeros(x.shape[-1], x.dtype), np.ones(x.shape[-1], x.dtype)
    return (x - mean) / np.sqrt(var + 1e-5)


def log_softmax(x: Array, weight: Array | None, bias: Array | None) -> Array:
    below = x - x.max(axis=-1, keepdims=True)
    return below - np.log(np.exp(below).sum(axis=-1, keepdims=True))


def entropy(x: Array, weight: Array | None, bias: Array | None) -> Array:
    p = np.abs(x)
    return -np.sum(p * np.log(p), axis=-1)


def soft_cap(x: Array, weight: Array | None, bias: Array | None) -> Array:
    return 50.0 * np.tanh(x / 50.0)
