"""What the Models scene draws with: the table of systems, and two of them side by side."""

from __future__ import annotations

from typing import ClassVar

import param

from app.strings import STRINGS
from app.views.component import Speaking, module


class ModelsTable(Speaking):
    """All systems; messages: filter {text}, sort {column}, pick {key}."""

    label = param.String()
    columns = param.List(doc="{key, title}")
    rows = param.List(doc="{key, name, cells: {text, known, colour}, source, note}")
    order = param.List(doc="the keys of the rows on show, in their order")
    filter = param.String()
    sort = param.String(doc="the key of the column sorted by")
    descending = param.Boolean(False)
    picked = param.List(doc="the keys of the rows compared")
    words = param.Dict(
        {
            "filter": STRINGS["models_filter"],
            "placeholder": STRINGS["models_filter_hint"],
            "shown": STRINGS["models_shown"],
            "source": STRINGS["models_source"],
            "hint": STRINGS["models_source_hint"],
        }
    )

    _esm: ClassVar[str] = module("models_table")


class ModelsCompare(Speaking):
    """One or two systems in full; messages: pick {key}, open {key, scene}."""

    label = param.String()
    summary = param.String()
    systems = param.List(doc="{key, name, year, source, note, opens: {scene: whether it can}}")
    lines = param.List(doc="{title, texts, differs}")
    words = param.Dict(
        {
            "source_of": STRINGS["models_source_of"],
            "remove": STRINGS["models_remove"],
            "differs": STRINGS["models_differs"],
            "placement": STRINGS["models_to_placement"],
            "softmax": STRINGS["models_to_softmax"],
            "open_placement": STRINGS["models_open_placement"],
            "open_softmax": STRINGS["models_open_softmax"],
            "cannot_open": STRINGS["models_cannot_open"],
        }
    )

    _esm: ClassVar[str] = module("models_compare")
