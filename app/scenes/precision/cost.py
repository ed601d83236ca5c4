"""The right of the Precision scene when it measures: bytes by the formula, shares by the clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.benchmark import words
from app.benchmark.backends import NUMPY, SHADERS
from app.benchmark.result import Measured, Typical
from app.cost import BYTES, PASSES, ratio
from app.strings import say
from app.views.prose import Prose
from app.views.table import Table

if TYPE_CHECKING:
    from app.scenes.precision.scene import PrecisionScene

COLOURS = {"layer": "ln", "rms": "rms", "textbook_layer": "ln", "textbook_rms": "rms"}
KERNELS = (*(key for key in SHADERS if key != "copy"), *(k for k in NUMPY if k not in SHADERS))


class Cost:
    """Two tables."""

    def __init__(self, scene: PrecisionScene) -> None:
        """Make the views."""
        self.scene = scene
        where = [say(f"precision_cost_{key}") for key in ("held", "streamed")]
        self.bytes = Table(caption=say("precision_cost"), columns=["", *where])
        self.rule = Prose()
        backends = [say(f"precision_{key}") for key in words.BACKENDS]
        self.shares = Table(caption=say("precision_share"), columns=["", *backends])
        self.about = Prose()

    def views(self) -> list[Any]:
        """From top to bottom."""
        return [self.bytes, self.rule, self.shares, self.about]

    def show(self, measured: list[Measured]) -> None:
        """The bytes of the storage type, and the shares at the largest sizes measured."""
        storage = self.scene.store["precision_storage"]
        self.bytes.put(rows=bytes_rows(storage))
        rule = say(
            "precision_cheaper",
            bytes=BYTES[storage],
            streamed=ratio("streamed", storage),
            held=ratio("held", storage),
        )
        self.rule.put(html=f"<p class='sub'>{rule}</p>")
        newest = words.newest(measured)
        if newest:
            sizes = max(newest.values(), key=lambda one: one.sizes[-1])
            title = say("precision_share_at", size=words.sizes_of(sizes))
        else:
            title = say("precision_share")
        self.shares.put(caption=title, rows=share_rows(newest))
        about = [say("precision_share_said" if newest else "precision_share_none")]
        about += words.device(measured, self.scene.bench.adapter)
        self.about.put(html=f"<p class='hint'>{' '.join(about)}</p>")


def bytes_rows(storage: str) -> list[dict[str, Any]]:
    """(1 + 1) · 4 = 8, for each kernel and way of reading."""
    return [
        {
            "head": say(f"precision_{kernel}"),
            "cells": [bytes_of(kernel, where, storage) for where in ("held", "streamed")],
            **({"colour": COLOURS[kernel]} if kernel in COLOURS else {}),
        }
        for kernel in ("copy", "rms", "layer")
    ]


def bytes_of(kernel: str, where: str, storage: str) -> str:
    """(1 + 1) · 4 = 8"""
    passes = PASSES[kernel, where]
    total = passes.bytes_each(storage)
    return f"({passes.reads} + {passes.writes}) · {BYTES[storage]} = {total}"


def share_rows(newest: dict[str, Typical]) -> list[dict[str, Any]]:
    """The copy in GB a second, and the part of it that each kernel reaches."""
    if not newest:
        return []
    found = [newest.get(backend) for backend in words.BACKENDS]
    copies = ["–" if one is None else f"{one.bandwidth / 1e9:.3g}\u00a0GB/s" for one in found]
    rows: list[dict[str, Any]] = [{"head": say("precision_copy"), "cells": copies}]
    for kernel in KERNELS:
        cells = [
            "–" if one is None or kernel not in one.share
            else f"{one.share[kernel]:.0%}"
            for one in found
        ]  # fmt: skip
        colour = {"colour": COLOURS[kernel]} if kernel in COLOURS else {}
        rows.append({"head": say(f"precision_{kernel}"), "cells": cells, **colour})
    return rows
