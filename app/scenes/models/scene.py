"""The Models scene put together: a table of systems, and up to two of them compared."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import panel as pn
from panel.viewable import Viewable

from app import fields
from app.models.columns import COMPARED, WIDE, cells_of
from app.models.comparison import Line, compared, picked
from app.models.opening import in_placement, in_softmax
from app.models.order import shown
from app.scenes.scene import Scene
from app.strings import say
from app.views.models import ModelsCompare, ModelsTable
from app.views.prose import Prose
from kernels.model_table import MODELS
from kernels.models import NOT_PUBLISHED

if TYPE_CHECKING:
    from app.application import Application

ROWS = frozenset({"models_filter", "models_sort", "models_order"})


class ModelsScene(Scene):
    """Reads the store, orders the rows, compares two."""

    key = "models"

    def __init__(self, application: Application) -> None:
        """Make the views."""
        super().__init__(application)
        self.order: list[str] = []
        self.lines: list[Line] = []
        self.lead = Prose()
        self.table = ModelsTable(
            label=say("models_label"),
            columns=[{"key": column.key, "title": column.title} for column in WIDE],
            rows=[
                {
                    "key": key,
                    "name": model.name,
                    "cells": cells_of(model),
                    "source": model.source,
                    "note": model.note,
                }
                for key, model in MODELS.items()
            ],
        )
        self.compare = ModelsCompare(label=say("models_compare_label"))
        self.table.on("filter", lambda data: self.filter(data["text"]))
        self.table.on("sort", lambda data: self.sort(data["column"]))
        self.table.on("pick", lambda data: self.pick(data["key"]))
        self.compare.on("pick", lambda data: self.pick(data["key"]))
        self.compare.on("open", lambda data: self.open(data["key"], data["scene"]))

    def layout(self) -> dict[str, Viewable]:
        """The table over the width of controls and stage, the comparison at the right."""
        stage = pn.Column(self.lead, self.table, sizing_mode="stretch_width")
        results = pn.Column(self.compare, sizing_mode="stretch_width")
        return {"stage": stage, "results": results}

    # what a person does -------------------------------------------------------------------------

    def filter(self, text: str) -> None:
        """Only the rows that have all words of a text."""
        self.store.update({"models_filter": text})

    def sort(self, column: str) -> None:
        """By another column, upwards; by the same, the other way round."""
        same = column == self.store["models_sort"]
        down = same and self.store["models_order"] == "up"
        self.store.update({"models_sort": column, "models_order": "down" if down else "up"})

    def pick(self, key: str) -> None:
        """A row comes to be compared, or goes."""
        self.store.update({"models_compare": picked(self.store["models_compare"], key)})

    def open(self, key: str, scene: str) -> None:
        """Another scene, set like a system."""
        patch = self.patch_for(key, scene)
        if patch is not None:
            self.store.update(patch)

    def patch_for(self, key: str, scene: str) -> dict[str, Any] | None:
        """What "like this system" sets in a scene, or None where it can not."""
        if scene == "softmax":
            return in_softmax(MODELS[key], self.store.values)
        return in_placement(key)

    # compute and show ---------------------------------------------------------------------------

    def compute(self, changed: frozenset[str]) -> None:
        """Which rows are on show, and what the two compared chose."""
        store = self.store
        if changed & ROWS:
            descending = store["models_order"] == "down"
            self.order = shown(store["models_filter"], store["models_sort"], descending)
        if "models_compare" in changed:
            self.lines = compared(store["models_compare"])

    def show(self, changed: frozenset[str]) -> None:
        """One update a view."""
        store = self.store
        if changed & (ROWS | {"models_compare"}):
            self.table.put(
                order=self.order,
                filter=store["models_filter"],
                sort=store["models_sort"],
                descending=store["models_order"] == "down",
                picked=list(store["models_compare"]),
            )
        if "models_filter" in changed:
            self.lead.put(html=lead_of(self.order, store["models_filter"]))
        if "models_compare" in changed:
            self.show_comparison()

    def show_comparison(self) -> None:
        """The systems in full."""
        keys = self.store["models_compare"]
        scenes = [name for name in ("placement", "softmax") if name in fields.SCENE_KEYS]
        self.compare.put(
            summary=summary_of(self.lines, len(keys)),
            systems=[
                {
                    "key": key,
                    "name": MODELS[key].name,
                    "year": MODELS[key].year,
                    "source": MODELS[key].source,
                    "note": MODELS[key].note,
                    "opens": {name: self.patch_for(key, name) is not None for name in scenes},
                }
                for key in keys
            ],
            lines=[
                {"title": line.title, "texts": list(line.texts), "differs": line.differs}
                for line in self.lines
            ],
        )

    def outputs(self) -> dict[str, Any]:
        """The rows on show in their order, and the comparison as it stands."""
        return {
            "order": self.order,
            "compared": list(self.store["models_compare"]),
            "lines": [
                {"choice": line.title, "texts": list(line.texts), "differs": line.differs}
                for line in self.lines
            ],
        }


def lead_of(order: list[str], text: str) -> str:
    """How many systems are on show, and what they have, counted."""
    models = [MODELS[key] for key in order]
    if not models:
        first, second = say("models_lead_none", filter=escape(text)), say("models_sub_none")
    else:
        first = say(
            "models_lead",
            count=len(models),
            rms=sum(model.norm == "rms_norm" for model in models),
            ln=sum(model.norm == "layer_norm" for model in models),
        )
        second = say(
            "models_sub",
            qk=sum(model.qk_norm not in (None, NOT_PUBLISHED) for model in models),
            cap=sum(model.soft_cap not in (None, NOT_PUBLISHED) for model in models),
        )
    return f"<p class='lead'>{first}</p><p class='sub'>{second}</p>"


def summary_of(lines: list[Line], count: int) -> str:
    """In how many choices two systems differ."""
    if count < 2:
        return say("models_one_more" if count else "models_compare_none")
    differing = sum(line.differs for line in lines)
    if not differing:
        return say("models_same")
    return say("models_differences", count=differing, all=len(COMPARED))
