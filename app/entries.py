"""Typed and pasted numbers: a block of texts laid over a tensor from one cell on."""

from __future__ import annotations

import math
from collections.abc import Iterable

from app.strings import say
from app.tensor import BadEntry, Tensor, parse_entry

Bad = dict[str, dict[str, str]]  # flat index (as text, for JSON) -> the refused text and the reason


class Refused:
    """The entries a grid refused: marked until they are mended, given up, or the numbers around
    them are replaced by others (a link, Back, a fill), whose place they have no business in.
    """

    def __init__(self) -> None:
        """None yet."""
        self._entries: Bad = {}
        self._within: object = None

    def add(self, entries: Bad, within: object) -> None:
        """More entries, refused while the numbers were ``within``, which is compared by ==."""
        self._entries = {**self.shown(within), **entries}
        self._within = within

    def mend(self, indices: Iterable[int], within: object) -> None:
        """Cells got numbers, with which all are ``within``: their marks go, the others stay."""
        gone = set(indices)
        self._entries = {key: bad for key, bad in self._entries.items() if int(key) not in gone}
        self._within = within

    def clear(self) -> None:
        """All marks go."""
        self._entries = {}

    def shown(self, within: object) -> Bad:
        """The marks that stand in these numbers."""
        if self._entries and self._within != within:
            self._entries = {}
        return dict(self._entries)


def entered(refused: Refused, tensor: Tensor, start: int, rows: list[list[str]]) -> Tensor | None:
    """A tensor with a block of texts laid over it from a cell on.

    None where an entry is refused: it stays marked, and nothing is set.
    """
    cells, bad = paste_block(tensor.values.shape, start, rows)
    if bad:
        refused.add(bad, tensor)
        return None
    changed = tensor.replaced(cells)
    refused.mend(cells, changed)
    return changed


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
