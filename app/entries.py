"""Typed and pasted numbers: a block of texts laid over a tensor from one cell on."""

from __future__ import annotations

import math

from app.strings import say
from app.tensor import BadEntry, parse_entry

Bad = dict[str, dict[str, str]]  # flat index (as text, for JSON) -> the refused text and the reason


def paste_block(
    shape: tuple[int, ...], start: int, rows: list[list[str]]
) -> tuple[dict[int, float], Bad]:
    """The cells a block sets, or the entries that are refused: then nothing is set.

    The tensor is read as a table of all its rows, one under the other, as a spreadsheet would.
    """
    columns = shape[-1] if shape else 1
    room_below = math.prod(shape) // columns - start // columns
    room_right = columns - start % columns
    bad: Bad = {}
    widest = max((len(row) for row in rows), default=0)
    if widest > room_right:
        reason = say("too_many_columns", given=widest, room=room_right)
        return {}, {str(start): {"text": rows[0][0][:12], "reason": reason}}
    if len(rows) > room_below:
        reason = say("too_many_rows", given=len(rows), room=room_below)
        return {}, {str(start): {"text": rows[0][0][:12], "reason": reason}}
    cells: dict[int, float] = {}
    for down, row in enumerate(rows):
        for right, text in enumerate(row):
            index = start + down * columns + right
            try:
                cells[index] = parse_entry(text)
            except BadEntry as error:
                bad[str(index)] = {"text": text[:12], "reason": str(error)}
    return ({}, bad) if bad else (cells, {})
