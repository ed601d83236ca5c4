"""The parts around a tensor: its shape, probes, its code, and bringing one's own numbers."""

from __future__ import annotations

from typing import ClassVar

import param

from app.strings import STRINGS
from app.views.component import Speaking, module


def words(prefix: str, *names: str) -> dict[str, str]:
    """Sentences of the table for a component, with their {braces}, by the end of their key."""
    return {name: STRINGS[f"{prefix}_{name}"] for name in names}


class ShapeControl(Speaking):
    """An axis each, with buttons to shrink and grow it. Message: resize."""

    label = param.String()
    shape = param.List()
    names = param.List()
    words = param.Dict(words("shape", "less", "more"))

    _esm: ClassVar[str] = module("shape_control")


class Probes(Speaking):
    """What each normalizer answers to each probe. Message: apply."""

    note = param.String(doc="said where there are no probes")
    probes = param.List(doc="{key, text, answers: [{colour, title, seen, largest, rule}]}")
    words = param.Dict(words("probe", "apply", "same", "nearly", "changes"))

    _esm: ClassVar[str] = module("probes")


class CodePanel(Speaking):
    """The code of what is on show, in a dialog. Message: open; then `shown` is counted up."""

    numpy = param.String()
    torch = param.String()
    shown = param.Integer(0)
    words = param.Dict(words("code", "open", "title", "numpy", "torch", "copy", "copied", "close"))

    _esm: ClassVar[str] = module("code_panel")


class ImportPanel(Speaking):
    """A dialog for pasted text and files. Message: text; `taken` is counted up when it was good."""

    problem = param.String()
    taken = param.Integer(0)
    words = param.Dict(
        words("import", "open", "title", "help", "placeholder", "text", "file", "use", "close")
    )

    _esm: ClassVar[str] = module("import_panel")
