"""The Axes scene put together: one tensor, up to three normalizers, three places to show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from panel.viewable import Viewable

from app.importing import Refused, read_file, read_text
from app.normalizers import Affine, Normalized, apply
from app.scenes.axes.actions import Actions
from app.scenes.axes.controls import Controls
from app.scenes.axes.results import Results
from app.scenes.axes.stage import Stage
from app.scenes.scene import Scene
from app.strings import say
from app.tensor import Tensor, layout_of_rank, shape_text
from app.views.controls import quiet
from kernels.axes import LAYOUTS

if TYPE_CHECKING:
    from app.application import Application

COMPUTED_FROM = frozenset({"tensor", "compare", "eps", "affine", "backend"})
DEVICE = "axes device"  # a key of the background


class AxesScene(Scene):
    """Reads the store, runs the normalizers, and lets its three parts show them."""

    key = "axes"
    rehearsed = frozenset({"compare", "eps", "cell"})

    def __init__(self, application: Application) -> None:
        """Make the parts."""
        super().__init__(application)
        self.normalized: list[Normalized] = []
        self.pointed: int | None = None
        self.actions = Actions(self)
        self.parts = (Controls(self), Stage(self), Results(self))

    def layout(self) -> dict[str, Viewable]:
        """Controls at the left, the tensor in the middle, the outputs at the right."""
        controls, stage, results = (part.layout() for part in self.parts)
        return {"controls": controls, "stage": stage, "results": results}

    @property
    def tensor(self) -> Tensor:
        """The tensor on show."""
        return self.store["tensor"]

    @property
    def affine(self) -> Affine | None:
        """γ and β, or None where they are 1 and 0."""
        pair = self.store["affine"]
        return None if pair is None else Affine(*(np.array(part) for part in pair))

    @property
    def selected(self) -> int:
        """The normalizer whose numbers are explained."""
        return min(self.store["selected"], len(self.store["compare"]) - 1)

    @property
    def explained(self) -> Normalized:
        """Its result."""
        return self.normalized[self.selected]

    @property
    def place(self) -> tuple[int, ...]:
        """The cell whose numbers are explained: the one pointed at, else the current one."""
        if self.pointed is None:
            return self.store["cell"]
        place = np.unravel_index(self.pointed, self.tensor.values.shape)
        return tuple(int(part) for part in place)

    def compute(self, changed: frozenset[str]) -> None:
        """Each normalizer on the tensor."""
        if "tensor" in changed:
            self.pointed = None
        if changed & COMPUTED_FROM:
            eps, affine = self.store["eps"], self.affine
            self.normalized = [
                apply(item, self.tensor, eps, affine) for item in self.store["compare"]
            ]
            self.ask_device()

    def ask_device(self) -> None:
        """Let the graphics processor compute the same, where the switch says so."""
        background = self.application.background
        if background is None:
            return
        background.stop(DEVICE)
        if self.store["backend"] == "webgpu":
            from app.scenes.axes.device import on_device

            background.start(DEVICE, on_device(self))

    def show(self, changed: frozenset[str]) -> None:
        """One update a view."""
        with quiet.on():
            for part in self.parts:
                part.show(changed)

    def open_file(self, name: str, data: bytes) -> str:
        """Show the array of a file; what is to be said of it, or of why not."""
        try:
            values, remark = read_file(name, data)
        except Refused as error:
            return str(error)
        self.take(values)
        shown = say("import_shown", name=name, shape=shape_text(values.shape))
        return f"{shown} {remark}".strip()

    def open_text(self, text: str) -> str:
        """Show pasted numbers; "" or the reason why not."""
        try:
            values = read_text(text)
        except Refused as error:
            return str(error)
        self.take(values)
        return ""

    def take(self, values: np.ndarray) -> None:
        """Show an array in the present layout where its rank fits, else in the first that does."""
        layout = self.tensor.layout
        if LAYOUTS[layout].ndim != values.ndim:
            layout = layout_of_rank(values.ndim)
        self.actions.replace_tensor(Tensor(layout, values))

    def outputs(self) -> dict[str, Any]:
        """The tensor and, for each normalizer, what its kernel returned and its groups."""
        return {
            "x": self.tensor.values,
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
            **self.parts[2].outputs(),
        }
