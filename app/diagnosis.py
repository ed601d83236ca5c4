"""Broken numbers explained: the first step that gave NaN or infinity, its cause, the mend."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.normalizers import Normalized
from app.strings import say
from app.tensor import Tensor

MOST_NAMED = 3


@dataclass(frozen=True)
class Diagnosis:
    """What broke first: the step, the flat indices of the cells that caused it, and what to do."""

    step: str
    cells: tuple[int, ...]
    sentence: str
    mend: str


def diagnose(
    one: Normalized, tensor: Tensor, place: tuple[int, ...], names: list[str]
) -> Diagnosis | None:
    """The first broken step of a normalizer, or None when every output is finite.

    The group of the current cell comes first, then the first broken one.
    """
    output = one.result.output
    broken = ~np.isfinite(output)
    if not broken.any():
        return None
    x = tensor.values
    shape = x.shape
    where = place if broken[place] else np.unravel_index(int(np.argmax(broken)), shape)
    group = one.groups[where]
    members = one.groups == group
    inside = members & ~np.isfinite(x)
    count = int(broken.sum())
    if inside.any():
        cells = np.flatnonzero(inside)
        told = named(cells, shape, names)
        return Diagnosis(
            "step_x",
            tuple(cells.tolist()),
            say("broken_input", place=told, title=one.title, count=count),
            say("mend_input", place=told),
        )
    denominator = np.broadcast_to(one.result.denominator, shape)[members]
    if not (denominator != 0).any():
        cells = np.flatnonzero(members)
        told = named(cells, shape, names)
        key = "broken_zero_centred" if one.centered else "broken_zero_uncentred"
        return Diagnosis(
            "step_denominator",
            tuple(cells.tolist()),
            say(key, place=told, title=one.title),
            say("mend_eps"),
        )
    largest = int(np.flatnonzero(members)[np.argmax(np.abs(x[members]))])
    told = named(np.array([largest]), shape, names)
    step = first_step(one, members)
    return Diagnosis(
        step,
        (largest,),
        say("broken_overflow", place=told, step=say(step), title=one.title),
        say("mend_overflow", place=told),
    )


def first_step(one: Normalized, members: np.ndarray) -> str:
    """The name of the first statistic of a group that is not finite."""
    order = ("mean", "variance") if one.centered else ("mean_square",)
    for name in (*order, "denominator"):
        if not np.isfinite(
            np.broadcast_to(getattr(one.result, name), members.shape)[members]
        ).all():
            return f"step_{name}"
    return (
        "step_normalized"
        if not np.isfinite(one.result.normalized[members]).all()
        else "step_output"
    )


def named(cells: np.ndarray, shape: tuple[int, ...], names: list[str]) -> str:
    """The cells as a person calls them: "b0 t1 f2", with "and 4 more" where there are many."""
    places = [
        " ".join(
            f"{name}{part}" for name, part in zip(names, np.unravel_index(cell, shape), strict=True)
        )
        for cell in cells[:MOST_NAMED]
    ]
    text = ", ".join(places)
    more = len(cells) - MOST_NAMED
    return say("and_more", text=text, more=more) if more > 0 else text


def eps_note(one: Normalized, place: tuple[int, ...], eps: float) -> str:
    """When ε is not negligible in a cell's group: its share, and what it does to the output."""
    statistic = "variance" if one.centered else "mean_square"
    spread = one.statistic(statistic, place)
    if eps == 0 or not np.isfinite(spread) or spread + eps == 0:
        return ""
    share = eps / (spread + eps)
    if share < 0.01:
        return ""
    if spread == 0:
        return say("eps_alone")
    factor = float(np.sqrt(spread / (spread + eps)))
    symbol = "σ²" if one.centered else "mean x²"
    return say("eps_counts", share=f"{100 * share:.0f}", symbol=symbol, factor=f"{factor:.2f}")
