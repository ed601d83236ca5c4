"""Probes: change the input in one way and see which outputs change, by how much, and why.

Each is a row: how it changes a tensor, which cells are compared, and the rule behind what is seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from app.normalizers import Normalized, asked_of
from app.strings import say
from app.tensor import Tensor
from kernels import NormResult
from kernels.axes import LAYOUTS

SAME = 1e-9  # relative to the largest output: below it, only rounding differs
NEARLY = 1e-3  # below it, the difference is ε's doing or too small to see


@dataclass(frozen=True)
class Change:
    """What a probe makes of a tensor: the new one, and where its cells were in the old one."""

    tensor: Tensor
    origin: np.ndarray  # flat index in the old tensor of each cell of the new one


@dataclass(frozen=True)
class Probe:
    """One probe: its sentence in `strings`, its change for an amount, and its rules."""

    name: str
    change: Callable[[Tensor, float, tuple[int, ...]], Change | None]
    field: str = ""  # the state's field with the amount, where there is one


def _all(tensor: Tensor) -> np.ndarray:
    return np.arange(tensor.values.size).reshape(tensor.values.shape)


def _add(tensor: Tensor, amount: float, cell: tuple[int, ...]) -> Change:
    return Change(Tensor(tensor.layout, tensor.values + amount), _all(tensor))


def _multiply(tensor: Tensor, amount: float, cell: tuple[int, ...]) -> Change:
    return Change(Tensor(tensor.layout, tensor.values * amount), _all(tensor))


def _drop_others(tensor: Tensor, amount: float, cell: tuple[int, ...]) -> Change | None:
    """Only the sequence (or example) of the current cell stays."""
    if not LAYOUTS[tensor.layout].batch or tensor.values.shape[0] < 2:
        return None
    kept = slice(cell[0], cell[0] + 1)
    return Change(Tensor(tensor.layout, tensor.values[kept].copy()), _all(tensor)[kept])


def _permute(tensor: Tensor, amount: float, cell: tuple[int, ...]) -> Change | None:
    """The batch in another order: each by one place."""
    if not LAYOUTS[tensor.layout].batch or tensor.values.shape[0] < 2:
        return None
    return Change(
        Tensor(tensor.layout, np.roll(tensor.values, 1, axis=0)), np.roll(_all(tensor), 1, axis=0)
    )


PROBES: dict[str, Probe] = {
    "add": Probe("probe_add", _add, field="probe_add"),
    "multiply": Probe("probe_multiply", _multiply, field="probe_multiply"),
    "drop": Probe("probe_drop", _drop_others),
    "permute": Probe("probe_permute", _permute),
}


def difference(before: NormResult, after: NormResult, origin: np.ndarray) -> tuple[float, float]:
    """The largest change of an output that exists on both sides, absolute and relative."""
    old = before.output.ravel()[origin.ravel()]
    new = after.output.ravel()
    with np.errstate(invalid="ignore"):
        gap = np.abs(new - old)
        largest, size = (float(np.maximum.reduce(part, initial=0.0)) for part in (gap, np.abs(old)))
    if np.isfinite(largest) and np.isfinite(size):
        return largest, largest / size if size else largest
    both_broken = np.isnan(old) & np.isnan(new) | (old == new)
    gap = np.where(both_broken, 0.0, gap)
    largest = float(np.max(gap, initial=0.0))
    size = float(np.max(np.abs(old[np.isfinite(old)]), initial=0.0))
    if np.isnan(largest):
        return float("inf"), float("inf")
    return largest, largest / size if size else largest


def verdict(relative: float) -> str:
    """same, nearly (ε or rounding), or changes."""
    if relative <= SAME:
        return "same"
    return "nearly" if relative <= NEARLY else "changes"


def rule(key: str, one: Normalized, tensor: Tensor, seen: str) -> str:
    """Why a normalizer answers a probe as it does, from its axes and whether it centres."""
    batch = set(LAYOUTS[tensor.layout].batch) & set(one.axes)
    if key == "add":
        return say("rule_add_centred" if one.centered else "rule_add_uncentred")
    if key == "multiply":
        return say("rule_multiply_eps" if seen == "nearly" else "rule_multiply")
    if key == "drop":
        return say("rule_drop_batch" if batch else "rule_drop_own")
    return say("rule_permute_batch" if batch else "rule_permute_own")


def answers(
    key: str,
    tensor: Tensor,
    amount: float,
    cell: tuple[int, ...],
    normalized: list[Normalized],
    eps: float,
) -> list[dict[str, object]] | None:
    """What each normalizer answers to a probe; None where the tensor is too small for it."""
    change = PROBES[key].change(tensor, amount, cell)
    if change is None:
        return None
    rows: list[dict[str, object]] = []
    for one in normalized:
        after = asked_of(one.item, change.tensor, eps, one.affine).run()
        largest, relative = difference(one.result, after, change.origin)
        seen = verdict(relative)
        rows.append(
            {
                "colour": one.colour,
                "title": one.title,
                "seen": seen,
                "largest": largest,
                "rule": rule(key, one, tensor, seen),
            }
        )
    return rows
