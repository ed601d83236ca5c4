"""The state of the Batch scene: one tensor in two modes, and the stories around it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from app.batch.conventions import CONVENTIONS
from app.batch.forwards import channels_of
from app.batch.padding import CURVE_END
from app.batch.presets import BATCHES, PARTS, SINGLES
from app.batch.server import KINDS, STEPS, steps_of
from app.batch.shift import MOST_ADAPTED
from app.fields import kinds
from app.fields.batch_kinds import BatchTensor, Flag, ForwardsKind
from app.fields.field import Field
from app.tensor import Tensor

# The stories in the order of their buttons.
STORIES = ("train", "single", "microbatches", "padding", "workers", "server", "shift")


SEQUENCES = Tensor("[B,T,d]", np.array([[1.0, 2, 3, 6, 7], [4.0, 5, 8, 9, 3]])[:, :, np.newaxis])
LARGEST = 1e9  # of numbers set by a link or a script; the sliders reach less

FIELDS = (
    Field("batch_story", "story", kinds.Choice(*STORIES), STORIES[0]),
    Field("batch_tensor", "bx", BatchTensor(), BATCHES["four"].tensor),
    Field("batch_cell", "bc", kinds.Integer(0, 2**20), 0, silent=True),
    Field("batch_eps", "be", kinds.Number(0.0, 1.0), 1e-5, deliberate=False),
    Field("batch_momentum", "bm", kinds.Number(0.0, 1.0), 0.1, deliberate=False),
    Field("batch_convention", "bv", kinds.Choice(*CONVENTIONS), "pytorch"),
    Field("batch_mode", "bmode", kinds.Choice("train", "eval"), "train"),
    Field("batch_no_grad", "bng", Flag(), False),
    Field("batch_forwards", "bf", ForwardsKind(BatchTensor()), ()),
    Field("batch_single", "b1", BatchTensor(), SINGLES["token"].tensor),
    Field("batch_micro", "bmicro", kinds.Integer(1, 4096), 2, deliberate=False),
    Field("batch_sequences", "bseq", BatchTensor(layouts=("[B,T,d]",)), SEQUENCES),
    Field("batch_lengths", "blen", kinds.Indices(), (3, 2), deliberate=False),
    Field("batch_padded_to", "bpad", kinds.Integer(1, CURVE_END), 5, deliberate=False),
    Field("batch_padding", "bpv", kinds.Number(-LARGEST, LARGEST), 0.0, deliberate=False),
    Field("batch_parts", "bw", BatchTensor(layouts=("[N,C]",)), PARTS["unequal"].tensor),
    Field("batch_cuts", "bcut", kinds.Indices(), (2,), deliberate=False),
    Field("batch_token", "btok", BatchTensor(layouts=("[N,C]",), most=16), SINGLES["token"].tensor),
    Field("batch_traffic", "btr", kinds.Choice(*KINDS), "busy"),
    Field("batch_seed", "bseed", kinds.Integer(0, 2**31 - 1), 7),
    Field("batch_step", "bstep", kinds.Integer(0, STEPS - 1), 0, deliberate=False),
    Field("batch_shift", "bsh", kinds.Number(-LARGEST, LARGEST), 3.0, deliberate=False),
    Field("batch_spread", "bsp", kinds.Number(0.0, LARGEST), 1.0, deliberate=False),
    Field("batch_adapted", "bad", kinds.Integer(0, MOST_ADAPTED), 0),
)

MOST_SEQUENCES = 4
MOST_TOKENS = 12
MOST_WORKERS = 4


def fit(values: dict[str, Any], patch: Iterable[str]) -> None:
    """Keep fields that speak of one another consistent, in place."""
    channels = channels_of(values["batch_tensor"])
    forwards = values["batch_forwards"]
    if any(channels_of(run.tensor) != channels for run in forwards):
        if "batch_forwards" in patch and "batch_tensor" not in patch:
            raise ValueError(f"batch_forwards: expected tensors of {channels} channels")
        values["batch_forwards"] = ()
    values["batch_micro"] = min(values["batch_micro"], len(values["batch_tensor"].values))
    fit_padding(values)
    fit_workers(values)
    if len(values["batch_token"].values) != 1:
        raise ValueError("batch_token: expected one token, [1, features]")
    last = steps_of(values["batch_traffic"]) - 1
    values["batch_step"] = min(values["batch_step"], last)


def fit_padding(values: dict[str, Any]) -> None:
    """Sequences no longer than what is stored, and padded at least to the longest."""
    sequences, steps, features = values["batch_sequences"].values.shape
    if features != 1 or sequences > MOST_SEQUENCES or steps > MOST_TOKENS:
        raise ValueError(
            f"batch_sequences: expected up to {MOST_SEQUENCES} sequences of up to {MOST_TOKENS} "
            "tokens of one feature, [B, T, 1]"
        )
    given = (*values["batch_lengths"], *(1,) * sequences)[:sequences]
    lengths = tuple(max(1, min(length, steps)) for length in given)
    values["batch_lengths"] = lengths
    values["batch_padded_to"] = max(values["batch_padded_to"], *lengths)


def fit_workers(values: dict[str, Any]) -> None:
    """Every worker has an example at least."""
    examples = len(values["batch_parts"].values)
    cuts = sorted({cut for cut in values["batch_cuts"] if 0 < cut < examples})
    values["batch_cuts"] = tuple(cuts[: MOST_WORKERS - 1])
