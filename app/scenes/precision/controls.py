"""The controls of the Precision scene."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn

from app.precision import OFFSETS
from app.strings import say
from app.views.controls import control, put, quiet
from app.views.prose import Prose
from app.views.slider import Slider
from kernels.precision import FORMATS

if TYPE_CHECKING:
    from app.scenes.precision.scene import PrecisionScene

DRAWN = 16


class Controls:
    """Row, offset and the two types."""

    def __init__(self, scene: PrecisionScene) -> None:
        """Make the widgets."""
        self.scene, self.seed = scene, 0
        self.row = control(pn.widgets.TextInput, name=say("precision_row"))
        self.problem = Prose()
        self.draw = control(pn.widgets.Button, name=say("precision_seed", count=DRAWN))
        self.offset = Slider(label=say("precision_offset"), end=len(OFFSETS) - 1)
        select, types = pn.widgets.Select, list(FORMATS)
        self.storage = control(select, name=say("precision_storage"), options=types)
        self.accumulation = control(select, name=say("precision_accumulation"), options=types)
        self.watch(self.row, self.take_row)
        self.watch(self.storage, lambda value: self.update(precision_storage=value))
        self.watch(self.accumulation, lambda value: self.update(precision_accumulation=value))
        self.watch(self.offset, self.take_offset, "position")
        self.draw.on_click(lambda event: self.draw_row())

    def watch(self, widget: Any, act: Callable[[Any], object], name: str = "value") -> None:
        """Act when a person uses a widget, and not when the scene sets it."""
        widget.param.watch(lambda event: None if quiet() else act(event.new), name)

    def update(self, **patch: Any) -> None:
        """Set fields of the state."""
        self.scene.store.update(patch)

    def views(self) -> list[Any]:
        """From top to bottom."""
        return [self.row, self.problem, self.draw, self.offset, self.storage, self.accumulation]

    def take_offset(self, position: int) -> None:
        """The slider has moved."""
        self.scene.store.update({"precision_offset": OFFSETS[position]}, dragging=True)

    def take_row(self, text: str) -> None:
        """A row typed; where it is none, the row on show stays and the reason is told."""
        try:
            numbers = [float(word) for word in text.replace(",", " ").split()]
            self.update(precision_row=numbers)
            self.problem.put(html="")
        except ValueError:
            told = f"<p class='broken' role='alert'>{say('precision_bad')}</p>"
            self.problem.put(html=told)

    def draw_row(self) -> None:
        """Another row, standard normal, to four decimals."""
        self.seed += 1
        values = np.random.default_rng(self.seed).standard_normal(DRAWN)
        self.update(precision_row=np.round(values, 4).tolist())

    def show(self, changed: frozenset[str]) -> None:
        """Let the controls say what the state is."""
        store = self.scene.store
        put(self.row, value=", ".join(f"{value:.10g}" for value in store["precision_row"]))
        put(self.storage, value=store["precision_storage"])
        put(self.accumulation, value=store["precision_accumulation"])
        offset = store["precision_offset"]
        nearest = min(range(len(OFFSETS)), key=lambda index: abs(OFFSETS[index] - offset))
        self.offset.put(position=nearest, text=f"{offset:.10g}")
