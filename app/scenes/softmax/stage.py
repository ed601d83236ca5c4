"""The middle of the Softmax scene: what is said, the vectors, the chain, and the curves below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
from panel.viewable import Viewable

from app.softmax.captions import NORM_COLOURS, key_name, lead, sub
from app.softmax.steps import steps_of
from app.strings import say
from app.views.controls import put
from app.views.prose import Prose
from app.views.softmax import ChainTable
from app.views.tensor_grid import TensorGrid, flat

if TYPE_CHECKING:
    from app.scenes.softmax.scene import SoftmaxScene

MOST_GAINS = 16  # gains are edited here up to so many features
GRID = frozenset(
    {"softmax_vectors", "softmax_heads", "softmax_norm", "softmax_norm_over", "refused"}
)


class Stage:
    """Words, vectors, gains, the chain."""

    def __init__(self, scene: SoftmaxScene) -> None:
        """Make the views."""
        self.scene = scene
        self.lead = Prose()
        self.vectors = self.grid(margin=(-4, 0, 0, -4))
        self.gains = self.grid(
            rows=[say("softmax_gain_q"), say("softmax_gain_k")], margin=(-4, 0, 0, 22)
        )
        self.gains_box = pn.Column(self.gains, margin=0)
        self.gain_cell = 0
        self.chain = ChainTable(label=say("softmax_chain"))
        actions = scene.actions
        self.vectors.on(
            "edit", lambda data: actions.edit(data["start"], data["rows"], data["cell"])
        )
        self.vectors.on("drag", lambda data: actions.drag(data["index"], data["value"]))
        self.vectors.on("cancel", lambda data: actions.cancel(data["index"]))
        self.vectors.on("cell", lambda data: actions.move(data["index"]))
        self.gains.on("edit", lambda data: actions.edit_gains(data["start"], data["rows"]))
        self.gains.on("drag", lambda data: actions.drag_gain(data["index"], data["value"]))
        self.gains.on("cancel", lambda data: actions.cancel_gains())
        self.gains.on("cell", lambda data: self.move_gain(data["index"]))

    def move_gain(self, index: int) -> None:
        """Another gain is current."""
        self.gain_cell = index
        self.gains.put(cell=index)

    @staticmethod
    def grid(**options: Any) -> TensorGrid:
        """A small grid as wide as its cells."""
        words = {"both": "", "range": ""}
        styles = {"overflow-x": "auto", "max-width": "100%", "padding": "4px"}  # room for outlines
        return TensorGrid(words=words, compact=True, sizing_mode=None, styles=styles, **options)

    def layout(self) -> Viewable:
        """From top to bottom."""
        return pn.Column(
            self.lead,
            pn.Row(
                self.vectors, self.gains_box, sizing_mode="stretch_width", css_classes=["wrapped"]
            ),
            self.chain,
            self.scene.curves_view.layout(),
            sizing_mode="stretch_width",
        )

    def show(self, changed: frozenset[str]) -> None:
        """One update a view."""
        scene = self.scene
        if changed & GRID:
            self.show_vectors()
        if "softmax_cell" in changed or "softmax_vectors" in changed:
            shape = scene.store["softmax_vectors"].values.shape
            place = np.ravel_multi_index(scene.store["softmax_cell"], shape)
            self.vectors.put(cell=int(place))
        if changed & (GRID | {"softmax_gains"}):
            self.show_gains()
        if any(name.startswith("softmax_") and name != "softmax_cell" for name in changed):
            self.show_chain()

    def show_vectors(self) -> None:
        """q and the keys as they are before the scale, with their lengths at the end."""
        scene = self.scene
        values = scene.store["softmax_vectors"].values
        rows, width = values.shape
        settings = scene.problem.settings
        heads = scene.store["softmax_heads"]
        groups = np.arange(rows * width) // width
        if settings.qk_norm and not settings.over_all_heads:
            groups = np.arange(rows * width) // scene.problem.head_dim
        colour = NORM_COLOURS[settings.qk_norm] if settings.qk_norm else ""
        lengths = np.sqrt(np.square(values).sum(axis=1)).tolist()
        # A painted tensor takes the width it is given, a small one only what its cells need.
        put(self.vectors, sizing_mode="stretch_width" if width > MOST_GAINS else None)
        self.vectors.put(
            values=flat(values),
            shape=[rows, width],
            names=["", "f"],
            rows=[say("softmax_query"), *(key_name(key) for key in range(rows - 1))],
            label=say("softmax_vectors", keys=rows - 1, width=width),
            groups=groups.astype(np.int32),
            colours=[colour],
            edge={"symbol": "|·|", "columns": [lengths]} if heads == 1 else {},
            bad=scene.actions.refused.shown(scene.actions.vectors),
        )

    def show_gains(self) -> None:
        """γ of q and of k, where there is a norm."""
        scene = self.scene
        gains = scene.actions.gains
        size = gains.shape[1]
        normed = scene.store["softmax_norm"] != "off"
        put(self.gains_box, visible=normed and size <= MOST_GAINS)
        self.gain_cell = min(self.gain_cell, 2 * size - 1)
        self.gains.put(
            values=flat(gains),
            shape=[2, size],
            names=["", "f"],
            label=say("softmax_gains", size=size),
            groups=np.arange(2 * size, dtype=np.int32),
            colours=[""],
            bad=scene.actions.refused_gains.shown(scene.actions.within_gains),
            cell=self.gain_cell,
        )

    def show_chain(self) -> None:
        """The sentences and the steps."""
        scene, result = self.scene, self.scene.result
        first = lead(scene.problem, result)
        reasons = sub(scene.problem, result, scene.curves.at_one(scene.variant, scene.head).slope)
        self.lead.put(html=f"<p class='lead'>{first}</p><p class='sub'>{reasons}</p>")
        steps = steps_of(scene.problem.settings, result)
        rows = [
            {"name": say("softmax_query"), "dim": False, "cells": [step.of_query for step in steps]}
        ]
        rows += [
            {
                "name": key_name(key),
                "dim": not bool(seen),
                "cells": [step.of_key(result, key) for step in steps],
            }
            for key, seen in enumerate(result.visible)
        ]
        self.chain.put(
            steps=[
                {"key": s.key, "title": s.title, "formula": s.formula, "active": s.active}
                for s in steps
            ],
            rows=rows,
        )
