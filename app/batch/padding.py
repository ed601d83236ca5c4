"""Padded sequences: what padding does to statistics that count it, and what a mask restores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import kernels
from app.tensor import Tensor
from kernels import NormResult
from kernels.statistics import moments


@dataclass(frozen=True)
class Padded:
    """A batch of sequences of one feature, filled up to a common length.

    Attributes:
        values: shape ``[B, T, 1]``, the padding filled in.
        real: true where a token is real; shape ``[B, T]``.
    """

    values: np.ndarray
    real: np.ndarray


def pad(sequences: Tensor, lengths: tuple[int, ...], length: int, padding: float) -> Padded:
    """Keep the first ``lengths[b]`` tokens of each sequence and fill up to ``length`` tokens."""
    stored = sequences.values.shape[1]
    real = np.arange(length) < np.array(lengths)[:, np.newaxis]
    values = np.full((len(lengths), length, 1), padding)
    kept = real[:, :stored]
    values[:, :stored][kept] = sequences.values[:, :length][kept]
    return Padded(values, real)


@dataclass(frozen=True)
class PaddingEffect:
    """BatchNorm on a padded batch, blind to the padding and with a mask.

    Attributes:
        blind, masked: with the statistics of all positions, and of the real ones.
        lengths: padded lengths for the curve, from the longest sequence on.
        blind_mean, blind_variance: the statistics of all positions at each of these lengths.
        sequence: LayerNorm over (T, d) of each sequence, padding counted.
        alone: the same of the real tokens only.
    """

    blind: NormResult
    masked: NormResult
    lengths: np.ndarray
    blind_mean: np.ndarray
    blind_variance: np.ndarray
    sequence: NormResult
    alone: tuple[NormResult, ...]


def effect(
    sequences: Tensor, lengths: tuple[int, ...], padded: Padded, padding: float, eps: float
) -> PaddingEffect:
    """Run the kernels on a padded batch, and its statistics over padded lengths up to 20."""
    curve = np.arange(max(lengths), CURVE_END + 1)
    taken = [moments(pad(sequences, lengths, int(end), padding).values, (0, 1)) for end in curve]
    steps = padded.values.shape[1]
    return PaddingEffect(
        blind=_batch_norm(padded, None, eps),
        masked=_batch_norm(padded, padded.real, eps),
        lengths=curve,
        blind_mean=np.array([one.mean.item() for one in taken]),
        blind_variance=np.array([one.variance.item() for one in taken]),
        sequence=kernels.layer_norm(padded.values, (steps, 1), eps=eps),
        alone=tuple(
            kernels.layer_norm(row[:length], (length, 1), eps=eps)
            for row, length in zip(padded.values, lengths, strict=True)
        ),
    )


def _batch_norm(padded: Padded, mask: np.ndarray | None, eps: float) -> NormResult:
    return kernels.batch_norm(
        padded.values, training=True, eps=eps, mask=mask, strict=False, channel_axis=2
    )


CURVE_END = 20  # tokens: how far the curve over padded lengths goes
