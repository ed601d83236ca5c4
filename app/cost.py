"""What a normalizer reads and writes: passes over memory, counted from the formula."""

from __future__ import annotations

from typing import NamedTuple

BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}


class Passes(NamedTuple):
    """How often a kernel goes over all elements.

    Attributes:
        reads: values read from memory for each element.
        writes: values written for each element.
        why: where they come from.
    """

    reads: int
    writes: int
    why: str

    def bytes_each(self, storage: str) -> int:
        """(reads + writes) · bytes of one value."""
        return (self.reads + self.writes) * BYTES[storage]


# "held": the row stays in registers or cache between passes; "streamed": it is read anew each time.
PASSES: dict[tuple[str, str], Passes] = {
    ("copy", "held"): Passes(1, 1, "read x, write y"),
    ("copy", "streamed"): Passes(1, 1, "read x, write y"),
    ("rms", "held"): Passes(1, 1, "x once, y once"),
    ("layer", "held"): Passes(1, 1, "x once, y once"),
    ("rms", "streamed"): Passes(2, 1, "x for Σx², x again to divide; y"),
    ("layer", "streamed"): Passes(3, 1, "x for μ, for Σ(x − μ)², again to divide; y"),
}


def ratio(where: str, storage: str) -> float:
    """Bytes of RMSNorm over bytes of LayerNorm."""
    return PASSES["rms", where].bytes_each(storage) / PASSES["layer", where].bytes_each(storage)
