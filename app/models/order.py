"""Which systems are on show, and in which order."""

from __future__ import annotations

from app.models.columns import BY_KEY, COLUMNS
from kernels.model_table import MODELS
from kernels.models import NOT_PUBLISHED, Model


def haystack(model: Model) -> str:
    """All that a filter looks through: cells, source, note, and the names of what the system has.

    So "soft-cap" leaves the systems that have one, although all have a cell under that name.
    """
    words = [model.source, model.note]
    for column in COLUMNS:
        words.append(column.written(model))
        if column.read(model) not in (None, False, NOT_PUBLISHED):
            words.append(column.title)
    return " ".join(words).casefold()


def matches(model: Model, text: str) -> bool:
    """Whether all words of a filter are somewhere in the row."""
    where = haystack(model)
    return all(word in where for word in text.casefold().split())


def shown(text: str, column: str, descending: bool) -> list[str]:
    """The keys of the systems that a filter leaves, sorted; equal ones stay in order of appearance.

    What is not there and what is not published comes last, whichever way one sorts.
    """
    keys = [key for key, model in MODELS.items() if matches(model, text)]
    by_key = {key: BY_KEY[column].sort_key(MODELS[key]) for key in keys}
    there = [key for key in keys if by_key[key][0] < 2]
    there.sort(key=by_key.__getitem__, reverse=descending)
    missing = sorted((key for key in keys if by_key[key][0] >= 2), key=by_key.__getitem__)
    return there + missing
