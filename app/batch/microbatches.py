"""One batch against the same examples in microbatches: outputs, running statistics, gradients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import kernels
from app.batch.conventions import Settings
from app.batch.forwards import Forwards, History, Run, channel_moments, history
from app.batch.train import torch_refusal
from app.tensor import Tensor
from kernels.axes import LAYOUTS
from kernels.statistics import Moments


@dataclass(frozen=True)
class Passes:
    """A batch sent through in one or more forwards.

    Attributes:
        sizes: how many examples each forward had.
        moments: the statistics of each forward, of shape ``[C]``.
        output: y of all examples, in the tensor's shape.
        gradient: ∂L/∂x for L = the first value of y, accumulated over the forwards.
        history: the running statistics before the first forward and after each.
        refused: what PyTorch raises for the first forward it refuses, or "".
    """

    sizes: tuple[int, ...]
    moments: tuple[Moments, ...]
    output: np.ndarray
    gradient: np.ndarray
    history: History
    refused: str


def starts_of(examples: int, size: int) -> tuple[int, ...]:
    """Where each microbatch begins; the last may be shorter."""
    return tuple(range(0, examples, size))


def send(tensor: Tensor, size: int, settings: Settings) -> Passes:
    """Send a batch through a new layer, ``size`` examples at a time."""
    values, channel = tensor.values, LAYOUTS[tensor.layout].channel
    parts = [
        Tensor(tensor.layout, values[start : start + size].copy())
        for start in starts_of(len(values), size)
    ]
    forwards: Forwards = tuple(Run(part) for part in parts)
    loss = np.zeros(values.shape)
    loss.flat[0] = 1.0
    outputs, gradients, begin = [], [], 0
    for part in parts:
        end = begin + len(part.values)
        result = kernels.batch_norm(
            part.values, training=True, strict=False, eps=settings.eps, channel_axis=channel
        )
        gradient = kernels.batch_norm_backward(
            loss[begin:end], part.values, training=True, eps=settings.eps, channel_axis=channel
        )
        outputs.append(result.output)
        gradients.append(gradient.x)
        begin = end
    return Passes(
        sizes=tuple(len(part.values) for part in parts),
        moments=tuple(channel_moments(part) for part in parts),
        output=np.concatenate(outputs),
        gradient=np.concatenate(gradients),
        history=history(forwards, values.shape[channel], settings),
        refused=next(filter(None, map(torch_refusal, parts)), ""),
    )
