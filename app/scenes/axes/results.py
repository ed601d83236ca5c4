"""The right of the Axes scene: each normalizer's output, and the probes."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
from panel.viewable import Viewable

from app.normalizers import Normalized, over
from app.probes import PROBES, answers
from app.scenes.axes.controls import titles_of
from app.strings import say
from app.tensor import cell_names
from app.views.controls import heading, put
from app.views.panels import Probes
from app.views.tensor_grid import NormCard, flat

if TYPE_CHECKING:
    from app.scenes.axes.scene import AxesScene

MOST_PROBED = 8192  # beyond so many cells the probes wait for a smaller tensor
NUMBERS = frozenset({"tensor", "compare", "eps", "affine", "backend"})


class Results:
    """Cards and probes."""

    def __init__(self, scene: AxesScene) -> None:
        """Make the views."""
        self.scene = scene
        self.cards = [NormCard() for _ in range(3)]
        self.probes = Probes()
        self.rows: list[dict[str, Any]] = []
        self.told: dict[Hashable, list[dict[str, object]] | None] = {}  # answers to these numbers
        self.heading = heading(say("probes"))
        self.probes.on("apply", lambda data: scene.actions.apply_probe(data["key"]))
        self.probes.on("amount", lambda data: self.set_amount(data["key"], data["value"]))

    def layout(self) -> Viewable:
        """Outputs above, probes below."""
        return pn.Column(
            heading(say("results")),
            *self.cards,
            self.heading,
            self.probes,
            sizing_mode="stretch_width",
        )

    def set_amount(self, key: str, value: float) -> None:
        """Another amount to add, another factor."""
        self.scene.store.update({PROBES[key].field: value}, dragging=True)

    def show(self, changed: frozenset[str]) -> None:
        """One update a card; the probes only when their numbers can differ."""
        self.show_cards(changed)
        if changed & NUMBERS:
            self.told.clear()
        if changed & (NUMBERS | {"probe_add", "probe_multiply", "cell"}):
            self.show_probes()

    def show_cards(self, changed: frozenset[str]) -> None:
        """The outputs, and the statistics of the cell's group."""
        scene, tensor, place = self.scene, self.scene.tensor, self.scene.place
        shape = tensor.values.shape
        titles = titles_of(scene.store["compare"], tensor) if "compare" in changed else []
        for index, card in enumerate(self.cards):
            if "compare" in changed:
                put(card, visible=index < len(scene.normalized))
            if index >= len(scene.normalized):
                continue
            one = scene.normalized[index]
            update: dict[str, Any] = {
                "cell": int(np.ravel_multi_index(place, shape)),
                "statistics": statistics_of(one, place),
                "current": index == scene.selected,
            }
            if changed & NUMBERS:
                update["values"] = flat(one.result.output)
                update["note"] = one.note
            if "tensor" in changed:
                update |= {"shape": list(shape), "names": cell_names(tensor.names)}
            if changed & {"tensor", "compare"}:
                update |= {
                    "groups": one.groups.ravel().astype(np.int32),
                    "over": over(one.item, tensor),
                }
            if titles:
                update |= {"title": titles[index], "colour": one.colour}
            card.put(**update)

    def show_probes(self) -> None:
        """Run each probe on the present tensor."""
        scene, tensor = self.scene, self.scene.tensor
        small = tensor.values.size <= MOST_PROBED
        self.rows = []
        for key, probe in PROBES.items() if small else ():
            amount = self.scene.store[probe.field] if probe.field else 0.0
            cell = scene.store["cell"]
            asked = (key, amount, cell[0])  # of the cell, probes read its sequence alone
            if asked not in self.told:
                self.told[asked] = answers(
                    key, tensor, amount, cell, scene.normalized, scene.store["eps"]
                )
            told = self.told[asked]
            if told is not None:
                sequences = "sequences" if "T" in tensor.names else "examples"
                text = say(probe.name, amount="{amount}", sequences=sequences)
                row = {"key": key, "text": text, "answers": told}
                self.rows.append(row | ({"amount": amount} if probe.field else {}))
        note = "" if small else say("probes_wait", most=MOST_PROBED)
        self.probes.put(probes=self.rows, note=note)

    def outputs(self) -> dict[str, Any]:
        """What the probes answer."""
        return {
            "probes": {
                row["key"]: [
                    {name: answer[name] for name in ("title", "seen", "largest")}
                    for answer in row["answers"]
                ]
                for row in self.rows
            }
        }


def statistics_of(one: Normalized, place: tuple[int, ...]) -> list[list[Any]]:
    """[symbol, name, value] of the cell's group."""
    if one.centered:
        rows = [("μ", "step_mean", "mean"), ("σ²", "step_variance", "variance")]
    else:
        rows = [("mean x²", "step_mean_square", "mean_square")]
    root = "√(σ²+ε)" if one.centered else "√(mean x²+ε)"
    rows.append((root, "step_denominator", "denominator"))
    return [[symbol, say(name), one.statistic(field, place)] for symbol, name, field in rows]
