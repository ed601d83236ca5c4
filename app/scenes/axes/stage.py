"""The middle of the Axes scene: what is said, the tensor, the formula's steps, γ and β."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
from panel.viewable import Viewable

from app.diagnosis import Diagnosis, diagnose
from app.entries import Refused
from app.formulas import steps_of
from app.normalizers import Normalized, reads
from app.numbers import short
from app.scenes.axes.controls import titles_of
from app.strings import say
from app.tensor import cell_names, shape_text
from app.views.controls import put
from app.views.prose import Prose
from app.views.tensor_grid import FormulaSteps, TensorGrid, flat
from kernels.axes import LAYOUTS

if TYPE_CHECKING:
    from app.scenes.axes.scene import AxesScene

MOST_CHANNELS = 24  # γ and β are edited here up to so many channels
NUMBERS = frozenset({"tensor", "compare", "selected", "eps", "affine", "backend"})


class Stage:
    """Words, grid, steps, γ and β."""

    def __init__(self, scene: AxesScene) -> None:
        """Make the views."""
        self.scene = scene
        actions = scene.actions
        self.refused = Refused()  # of γ and β
        self.affine_cell = 0
        self.lead = Prose()
        self.grid = TensorGrid(words={"both": say("both"), "range": say("range", range="{range}")})
        self.steps = FormulaSteps()
        self.broken = Prose()
        self.affine = TensorGrid(
            words={"both": "", "range": ""},
            label=say("affine_label"),
            rows=["γ", "β"],
            compact=True,
            margin=(14, 0, 0, 0),
        )
        self.affine_box = pn.Column(self.affine, sizing_mode="stretch_width", margin=0)
        self.grid.on("edit", lambda data: actions.edit(data["start"], data["rows"], data["cell"]))
        self.grid.on("drag", lambda data: actions.drag(data["index"], data["value"]))
        self.grid.on("cancel", lambda data: actions.cancel(data["index"]))
        self.grid.on("cell", lambda data: actions.move(data["index"]))
        self.grid.on("point", lambda data: actions.point(data["index"]))
        self.affine.on(
            "edit", lambda data: self.edit_affine(data["start"], data["rows"], data["cell"])
        )
        self.affine.on(
            "drag",
            lambda data: self.edit_affine(data["index"], [[repr(data["value"])]], data["index"]),
        )
        self.affine.on("cancel", lambda data: self.cancel_affine())
        self.affine.on("cell", lambda data: self.move_affine(data["index"]))

    def layout(self) -> Viewable:
        """From top to bottom."""
        return pn.Column(
            self.lead,
            self.grid,
            self.steps,
            self.broken,
            self.affine_box,
            sizing_mode="stretch_width",
        )

    @property
    def within_affine(self) -> object:
        """What γ and β are, and how many: a refused entry stands in these."""
        return self.scene.store["affine"], self.scene.tensor.values.shape, self.scene.tensor.layout

    def edit_affine(self, start: int, rows: list[list[str]], cell: int) -> None:
        """γ and β typed or pasted; another cell is current then."""
        self.affine_cell = cell
        bad = self.scene.actions.edit_affine(start, rows)
        if bad:
            self.refused.add(bad, self.within_affine)
        self.show_affine()

    def move_affine(self, index: int) -> None:
        """Another cell of γ and β is current."""
        self.affine_cell = index
        self.affine.put(cell=index)

    def cancel_affine(self) -> None:
        """Refused entries go."""
        self.refused.clear()
        self.show_affine()

    def show(self, changed: frozenset[str]) -> None:
        """One update a view."""
        self.show_grid(changed)
        self.show_words()
        if changed & {"tensor", "affine"}:
            self.show_affine()

    def show_grid(self, changed: frozenset[str]) -> None:
        """The tensor, its groups, and the statistics at their edge."""
        scene, tensor = self.scene, self.scene.tensor
        update: dict[str, Any] = {}
        if "tensor" in changed:
            update |= {
                "values": flat(tensor.values),
                "shape": list(tensor.values.shape),
                "names": cell_names(tensor.names),
                "label": say("grid_label", shape=shape_text(tensor.values.shape)),
            }
        if changed & {"tensor", "compare"}:
            titles = titles_of(scene.store["compare"], tensor)
            groups = np.concatenate([one.groups.ravel() for one in scene.normalized])
            update["groups"] = groups.astype(np.int32)
            update["colours"] = [one.colour for one in scene.normalized]
            update["labels"] = [say("shares", title=title) for title in titles]
        if changed & NUMBERS:
            update["selected"] = scene.selected
            update["edge"] = edge_of(scene.explained)
        if changed & {"tensor", "cell"}:
            shape = tensor.values.shape
            update["cell"] = int(np.ravel_multi_index(scene.store["cell"], shape))
        if changed & {"tensor", "bad"}:
            update["bad"] = scene.actions.refused.shown(tensor)
        if update:
            self.grid.put(**update)

    def show_words(self) -> None:
        """The lead and the steps, from the numbers of the cell; what is broken, and the mend."""
        scene, tensor, place = self.scene, self.scene.tensor, self.scene.place
        one = scene.explained
        value = float(tensor.values[place])
        names = cell_names(tensor.names)
        self.lead.put(
            html=f"<p class='lead'>{self.lead_text()}</p><p class='sub'>{self.sub(value)}</p>"
        )
        self.steps.put(
            colour=one.colour,
            steps=[
                [step.formula, say(step.name), step.number(one, place, value)]
                for step in steps_of(one, LAYOUTS[tensor.layout].channel)
            ],
        )
        found = diagnose(one, tensor, place, names)
        self.broken.put(html=broken_text(found))

    def lead_text(self) -> str:
        """What the explained normalizer reads, and another that reads something else."""
        tensor, one = self.scene.tensor, self.scene.explained
        others = [n for n in self.scene.normalized if not np.array_equal(n.groups, one.groups)][:1]
        return " ".join(
            say("lead", colour=n.colour, title=escape(n.title), reads=reads(n.item, tensor))
            for n in (one, *others)
        )

    def sub(self, value: float) -> str:
        """The cell, and how many share its statistics."""
        tensor, place, one = self.scene.tensor, self.scene.place, self.scene.explained
        shared = int((one.groups == one.groups[place]).sum()) - 1
        names = cell_names(tensor.names)
        return say(
            "sub_shares" if shared else "sub_alone",
            place=" ".join(f"{name}{index}" for name, index in zip(names, place, strict=True)),
            value=short(value),
            title=escape(one.title),
            others=shared,
            values="value" if shared == 1 else "values",
        )

    def show_affine(self) -> None:
        """γ and β of each channel."""
        tensor = self.scene.tensor
        layout = LAYOUTS[tensor.layout]
        channels = tensor.values.shape[layout.channel]
        pair = self.scene.store["affine"] or ((1.0,) * channels, (0.0,) * channels)
        put(self.affine_box, visible=channels <= MOST_CHANNELS)
        if channels > MOST_CHANNELS:
            return
        self.affine.put(
            values=np.array(pair).ravel(),
            shape=[2, channels],
            names=["", cell_names(tensor.names)[layout.channel]],
            groups=np.arange(2 * channels, dtype=np.int32),
            bad=self.refused.shown(self.within_affine),
            cell=min(self.affine_cell, 2 * channels - 1),
        )


def broken_text(found: Diagnosis | None) -> str:
    """What broke first and what mends it, or nothing."""
    if found is None:
        return ""
    return (
        f"<p class='broken' role='alert'><b>{escape(found.sentence)}</b> {escape(found.mend)}</p>"
    )


def edge_of(one: Normalized) -> dict[str, Any]:
    """Mean and spread, or the root mean square, of each group, in the order of group numbers."""
    first = np.unique(one.groups, return_index=True)[1]

    def by_group(values: np.ndarray) -> list[float]:
        return np.broadcast_to(values, one.groups.shape).ravel()[first].tolist()

    if len(first) > MOST_EDGES:
        return {}
    mean, variance, square = one.result.mean, one.result.variance, one.result.mean_square
    with np.errstate(invalid="ignore"):
        if mean is not None and variance is not None:
            return {"symbol": "μ, σ", "columns": [by_group(mean), by_group(np.sqrt(variance))]}
        if square is not None:
            return {"symbol": "RMS", "columns": [by_group(np.sqrt(square))]}
    return {}


MOST_EDGES = 400  # beyond, cells are painted and have no edge to write at
