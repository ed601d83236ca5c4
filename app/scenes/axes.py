"""Axes: which numbers share a statistic, and what that does to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
from panel.viewable import Viewable

from app.entries import Bad, paste_block
from app.eps import EPS_STEPS, nearest_step, written
from app.fields.kinds import Normalizer
from app.formulas import steps_of
from app.normalizers import Normalized, apply, over, reads, title_of, with_axes
from app.numbers import short
from app.presets import PRESETS, preset_of
from app.scenes.scene import Scene
from app.strings import say
from app.views.controls import GAP, control, heading, quiet
from app.views.slider import Slider
from app.views.tensor_grid import FormulaSteps, NormCard, TensorGrid, flat
from kernels.axes import LAYOUTS

if TYPE_CHECKING:
    from app.application import Application

OWN = "own"


class AxesScene(Scene):
    """One tensor, up to three normalizers."""

    key = "axes"

    def __init__(self, application: Application) -> None:
        """Make the controls and the views."""
        super().__init__(application)
        self.normalized: list[Normalized] = []
        self.bad: Bad = {}
        self.pointed: int | None = None
        self.make_controls()
        self.make_views()

    # layout -------------------------------------------------------------------------------------

    def make_controls(self) -> None:
        """Panel widgets, each tied to one field."""
        self.preset = control(pn.widgets.Select, name=say("tensor"), options={})
        self.normalizer = control(
            pn.widgets.RadioButtonGroup, options=[0, 1, 2], css_classes=["wrap"]
        )
        self.axes = control(pn.widgets.CheckButtonGroup, options={}, css_classes=["mono"])
        self.eps = Slider(label=say("eps"), end=len(EPS_STEPS) - 1, margin=GAP)
        self.preset.param.watch(lambda event: self.choose_preset(event.new), "value")
        self.normalizer.param.watch(lambda event: self.choose(selected=event.new), "value")
        self.axes.param.watch(lambda event: self.choose_axes(event.new), "value")
        self.eps.param.watch(lambda event: self.choose(eps=EPS_STEPS[event.new]), "position")

    def make_views(self) -> None:
        """The lead, the grid, the steps, and one card for each normalizer."""
        self.lead = pn.pane.HTML("", sizing_mode="stretch_width", margin=0)
        self.grid = TensorGrid(words={"both": say("both"), "range": say("range", range="{range}")})
        self.steps = FormulaSteps()
        self.cards = [NormCard() for _ in range(3)]
        self.grid.on("edit", lambda data: self.edit(data["start"], data["rows"]))
        self.grid.on("cancel", lambda data: self.cancel(data["index"]))
        self.grid.on("cell", lambda data: self.move(data["index"]))
        self.grid.on("point", lambda data: self.point(data["index"]))

    def layout(self) -> dict[str, Viewable]:
        """Controls at the left, the tensor in the middle, the outputs at the right."""
        controls = pn.Column(
            self.preset,
            heading(say("normalizer")),
            self.normalizer,
            heading(say("reduce_over")),
            self.axes,
            self.eps,
            sizing_mode="stretch_width",
        )
        stage = pn.Column(self.lead, self.grid, self.steps, sizing_mode="stretch_width")
        results = pn.Column(heading(say("results")), *self.cards, sizing_mode="stretch_width")
        return {"controls": controls, "stage": stage, "results": results}

    # what a person does -------------------------------------------------------------------------

    def choose(self, **patch: Any) -> None:
        """A control was used."""
        if not quiet():
            self.store.update(patch)

    def choose_preset(self, key: str) -> None:
        """A preset's tensor, with its first cell current."""
        if key != OWN and not quiet():
            self.bad = {}
            self.store.update({"tensor": PRESETS[key].tensor, "cell": ()})

    def choose_axes(self, axes: list[int]) -> None:
        """The selected normalizer reduces other axes."""
        if quiet():
            return
        compare = list(self.store["compare"])
        selected = self.selected
        layout = LAYOUTS[self.store["tensor"].layout]
        compare[selected] = with_axes(compare[selected], tuple(sorted(axes)), layout)
        self.store.update({"compare": compare})

    def edit(self, start: int, rows: list[list[str]]) -> None:
        """Numbers typed or pasted from a cell on; what is refused stays marked, nothing is lost."""
        cells, bad = paste_block(self.store["tensor"].values.shape, start, rows)
        if bad:
            self.bad = {**self.bad, **bad}
            self.show(frozenset({"bad"}))
            return
        self.bad = {key: value for key, value in self.bad.items() if int(key) not in cells}
        changed = self.store.update({"tensor": self.store["tensor"].replaced(cells)})
        if "tensor" not in changed:
            self.show(frozenset({"bad"}))

    def cancel(self, index: int) -> None:
        """Escape: a refused entry goes, the number that was there shows again."""
        self.bad = {key: value for key, value in self.bad.items() if int(key) != index}
        self.show(frozenset({"bad"}))

    def move(self, index: int) -> None:
        """Another cell is current."""
        place = np.unravel_index(index, self.store["tensor"].values.shape)
        self.store.update({"cell": tuple(int(part) for part in place)})

    def point(self, index: int) -> None:
        """The pointer is over a cell, or over none (−1): its numbers show until it leaves."""
        self.pointed = index if index >= 0 else None
        self.show(frozenset({"cell"}))

    # compute and show ---------------------------------------------------------------------------

    @property
    def selected(self) -> int:
        """The normalizer whose numbers are explained."""
        return min(self.store["selected"], len(self.store["compare"]) - 1)

    @property
    def place(self) -> tuple[int, ...]:
        """The cell whose numbers are explained: the one pointed at, else the current one."""
        if self.pointed is None:
            return self.store["cell"]
        shape = self.store["tensor"].values.shape
        return tuple(int(part) for part in np.unravel_index(self.pointed, shape))

    def compute(self, changed: frozenset[str]) -> None:
        """Each normalizer on the tensor."""
        if changed & {"tensor", "compare", "eps"}:
            if "tensor" in changed:
                self.pointed = None
            tensor, eps = self.store["tensor"], self.store["eps"]
            self.normalized = [apply(item, tensor, eps) for item in self.store["compare"]]

    def show(self, changed: frozenset[str]) -> None:
        """One update a view."""
        with quiet.on():
            if changed & {"tensor", "compare", "selected", "eps"}:
                self.show_controls()
            self.show_grid(changed)
            self.show_words()
            self.show_cards(changed)

    def show_controls(self) -> None:
        """Let the controls say what the state is."""
        tensor, layout = self.store["tensor"], LAYOUTS[self.store["tensor"].layout]
        key = preset_of(tensor) or OWN
        options = {
            f"{preset.title} · {shape_text(preset.tensor.values.shape)}": name
            for name, preset in PRESETS.items()
        }
        if key == OWN:
            options[f"{say('own_tensor')} · {shape_text(tensor.values.shape)}"] = OWN
        self.preset.param.update(options=options, value=key)
        compare = self.store["compare"]
        titles = {title: index for index, title in enumerate(self.titles(compare))}
        self.normalizer.param.update(
            options=titles,
            value=self.selected,
            css_classes=["wrap", *(f"c{n}-{one.colour}" for n, one in enumerate(self.normalized))],
        )
        axes = {name: axis for axis, name in enumerate(tensor.names)}
        self.axes.param.update(
            options=axes, value=list(compare[self.selected].reduced(layout.name))
        )
        eps = self.store["eps"]
        self.eps.param.update(position=nearest_step(eps), text=written(eps))

    def titles(self, compare: tuple[Normalizer, ...]) -> list[str]:
        """The names of the normalizers, told apart where two are the same."""
        layout = LAYOUTS[self.store["tensor"].layout]
        titles = [title_of(item, layout) for item in compare]
        return [
            f"{title} {over(item, self.store['tensor'])}" if titles.count(title) > 1 else title
            for title, item in zip(titles, compare, strict=True)
        ]

    def show_grid(self, changed: frozenset[str]) -> None:
        """The tensor, its groups, and the statistics at their edge."""
        tensor = self.store["tensor"]
        update: dict[str, Any] = {}
        if "tensor" in changed:
            shape = list(tensor.values.shape)
            update |= {
                "values": flat(tensor.values),
                "shape": shape,
                "names": cell_names(tensor.names),
                "label": say("grid_label", shape=shape_text(tensor.values.shape)),
            }
        if changed & {"tensor", "compare"}:
            update["groups"] = np.concatenate(
                [one.groups.ravel() for one in self.normalized]
            ).astype(np.int32)
            update["colours"] = [one.colour for one in self.normalized]
            update["labels"] = [
                say("shares", title=title) for title in self.titles(self.store["compare"])
            ]
        if changed & {"tensor", "compare", "selected", "eps"}:
            update["selected"] = self.selected
            update["edge"] = edge_of(self.normalized[self.selected])
        if changed & {"tensor", "cell"}:
            shape = tensor.values.shape
            update["cell"] = int(np.ravel_multi_index(self.store["cell"], shape))
        if changed & {"tensor", "bad"}:
            update["bad"] = dict(self.bad)
        self.grid.param.update(**update)

    def show_words(self) -> None:
        """The lead and the steps, from the numbers of the cell."""
        tensor, place = self.store["tensor"], self.place
        one = self.normalized[self.selected]
        value = float(tensor.values[place])
        others = [n for n in self.normalized if n.axes != one.axes][:1]
        lead = " ".join(
            say("lead", colour=n.colour, title=n.title, reads=reads(n.item, tensor))
            for n in (one, *others)
        )
        shared = int((one.groups == one.groups[place]).sum()) - 1
        names = cell_names(tensor.names)
        sub = say(
            "sub_shares" if shared else "sub_alone",
            place=" ".join(f"{name}{index}" for name, index in zip(names, place, strict=True)),
            value=short(value),
            title=one.title,
            others=shared,
            values="value" if shared == 1 else "values",
        )
        self.lead.object = f"<p class='lead'>{lead}</p><p class='sub'>{sub}</p>"
        self.steps.param.update(
            colour=one.colour,
            steps=[
                [step.formula, say(step.name), step.number(one, place, value)]
                for step in steps_of(one)
            ],
        )

    def show_cards(self, changed: frozenset[str]) -> None:
        """The outputs, and the statistics of the cell's group."""
        tensor, place = self.store["tensor"], self.place
        shape = tensor.values.shape
        for index, card in enumerate(self.cards):
            card.visible = index < len(self.normalized)
            if not card.visible:
                continue
            one = self.normalized[index]
            update: dict[str, Any] = {
                "cell": int(np.ravel_multi_index(place, shape)),
                "statistics": statistics_of(one, place),
                "current": index == self.selected,
            }
            if changed & {"tensor", "compare", "eps"}:
                update |= {
                    "values": flat(one.result.output),
                    "shape": list(shape),
                    "names": cell_names(tensor.names),
                    "groups": one.groups.ravel().astype(np.int32),
                    "title": one.title,
                    "over": over(one.item, tensor),
                    "colour": one.colour,
                    "note": one.note,
                }
            card.param.update(**update)

    def outputs(self) -> dict[str, Any]:
        """The tensor and, for each normalizer, what its kernel returned and its groups."""
        return {
            "x": self.store["tensor"].values,
            "normalizers": [
                {
                    "family": one.item.family,
                    "title": one.title,
                    "axes": list(one.axes),
                    "output": one.result.output,
                    "mean": one.result.mean,
                    "variance": one.result.variance,
                    "mean_square": one.result.mean_square,
                    "denominator": one.result.denominator,
                    "groups": one.groups,
                }
                for one in self.normalized
            ],
        }


def shape_text(shape: tuple[int, ...]) -> str:
    """[2, 3, 4]."""
    return f"[{', '.join(map(str, shape))}]"


def cell_names(names: tuple[str, ...]) -> list[str]:
    """How cells are called along each axis: b0, t1, f2 for [B,T,d]."""
    return [{"d": "f"}.get(name, name.lower()) for name in names]


def edge_of(one: Normalized) -> dict[str, Any]:
    """Mean and spread, or the root mean square, of each group, in the order of group numbers."""
    count = int(one.groups.max()) + 1
    first = np.unique(one.groups, return_index=True)[1]

    def by_group(values: np.ndarray) -> list[float]:
        return np.broadcast_to(values, one.groups.shape).ravel()[first][:count].tolist()

    if one.centered:
        columns = [by_group(one.result.mean), by_group(np.sqrt(one.result.variance))]
        return {"symbol": "μ, σ", "columns": columns}
    return {"symbol": "RMS", "columns": [by_group(np.sqrt(one.result.mean_square))]}


def statistics_of(one: Normalized, place: tuple[int, ...]) -> list[list[Any]]:
    """[symbol, name, value] of the cell's group."""
    if one.centered:
        rows = [("μ", "step_mean", "mean"), ("σ²", "step_variance", "variance")]
    else:
        rows = [("mean x²", "step_mean_square", "mean_square")]
    root = "√(σ²+ε)" if one.centered else "√(mean x²+ε)"
    rows.append((root, "step_denominator", "denominator"))
    return [[symbol, say(name), one.statistic(field, place)] for symbol, name, field in rows]
