"""The choices of a system as texts: a row of this table is a column on the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.eps import written
from app.softmax.digits import significant
from app.strings import say
from kernels.models import NOT_PUBLISHED, Model, QKChoice

NORM_COLOURS = {"layer_norm": "ln", "rms_norm": "rms"}
SortKey = tuple[int, float, str]


@dataclass(frozen=True)
class Column:
    """One choice: its key, how it is read from a system, how it is written, and where it stands.

    read    what the system has there; `NOT_PUBLISHED`, and None for "it has no such thing"
    text    how that is written, where it is neither of the two
    wide    in the table of all systems; the others only where two are compared
    """

    key: str
    read: Callable[[Model], Any]
    text: Callable[[Any], str] = str
    wide: bool = True

    @property
    def title(self) -> str:
        """Its name."""
        return say(f"models_{self.key}")

    def written(self, model: Model) -> str:
        """What stands in the cell."""
        value = self.read(model)
        if value == NOT_PUBLISHED:
            return say("models_not_published")
        return say("models_nothing") if value is None else self.text(value)

    def sort_key(self, model: Model) -> SortKey:
        """Numbers by size and texts by letter; then what is not there, then what is not known."""
        value = self.read(model)
        if value == NOT_PUBLISHED:
            return (3, 0.0, "")
        if value is None:
            return (2, 0.0, "")
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return (0, float(value), "")
        return (1, 0.0, self.text(value).casefold())


def yes_or_no(value: bool) -> str:
    """yes or no."""
    return say("models_yes" if value else "models_no")


def qk_text(choice: QKChoice) -> str:
    """RMS; RMS, all heads; RMS after RoPE."""
    text = say(f"softmax_norm_short_{choice.norm}")
    if choice.over != "head":
        text += say(f"models_over_{choice.over.replace(' ', '_')}")
    return text + (say("models_after_rope") if choice.order == "rope_then_norm" else "")


def by_placement(model: Model, value: bool | None) -> bool | str:
    """What follows from the placement, or the placement where it is unknown or not of ours."""
    return model.placement if value is None else value


def yes_no_or_note(value: bool | str) -> str:
    """yes, no, or a hint at the note."""
    return yes_or_no(value) if isinstance(value, bool) else say("models_see_note")


COLUMNS: tuple[Column, ...] = (
    Column("name", lambda m: m.name),
    Column("year", lambda m: m.year),
    Column("norm", lambda m: m.norm, lambda norm: say(f"models_norm_{norm}")),
    Column("placement", lambda m: m.placement, lambda place: say(f"models_place_{place}")),
    Column("final_norm", lambda m: by_placement(m, m.final_norm), yes_no_or_note),
    Column("eps", lambda m: m.eps, written),
    Column("gain", lambda m: m.gain, lambda gain: say("models_none") if gain == "none" else gain),
    Column("bias", lambda m: m.bias, yes_or_no),
    Column("qk_norm", lambda m: m.qk_norm, qk_text),
    Column("soft_cap", lambda m: m.soft_cap, significant),
    Column("final_soft_cap", lambda m: m.final_soft_cap, significant),
    Column("score_scale", lambda m: m.score_scale),
    Column("parallel", lambda m: by_placement(m, m.parallel), yes_no_or_note, wide=False),
    Column("embedding_norm", lambda m: m.embedding_norm, yes_or_no, wide=False),
    Column("residual_scaling", lambda m: m.residual_scaling, yes_or_no, wide=False),
    Column("shared_layers", lambda m: m.shared_layers, yes_or_no, wide=False),
)
BY_KEY: dict[str, Column] = {column.key: column for column in COLUMNS}
WIDE = tuple(column for column in COLUMNS if column.wide)
COMPARED = tuple(column for column in COLUMNS if column.key not in ("name", "year"))


def cells_of(model: Model) -> list[dict[str, Any]]:
    """A system's cells in the table of all: {text, known, colour}."""
    return [
        {
            "text": column.written(model),
            "known": column.read(model) != NOT_PUBLISHED,
            "colour": NORM_COLOURS.get(model.norm, "") if column.key == "norm" else "",
        }
        for column in WIDE
    ]
