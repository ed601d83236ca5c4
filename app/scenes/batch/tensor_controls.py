"""The controls of a tensor of the state: where it comes from, and its shape."""

from __future__ import annotations

import panel as pn
from panel.viewable import Viewable

from app.batch.presets import key_of
from app.fields.batch_kinds import MOST_BATCH_CELLS
from app.fills import resized
from app.presets import Preset
from app.scenes.batch.story import Story
from app.strings import say
from app.tensor import Tensor, shape_text
from app.views.controls import control, put, watch
from app.views.panels import ShapeControl

OWN = "own"
TIGHT = (0, 0, 10, 0)


class TensorControls:
    """A list of presets and the axes."""

    def __init__(self, story: Story, field: str, presets: dict[str, Preset]) -> None:
        """Ties both to a field."""
        self.story = story
        self.field = field
        self.presets = presets
        self.preset = control(
            pn.widgets.Select, name=say("tensor"), options={}, margin=(0, 0, 6, 0)
        )
        self.shape = ShapeControl(label=say("shape_label"), margin=TIGHT)
        watch(self.preset, lambda new: self.choose(new))
        self.shape.on("resize", lambda data: self.resize(data["axis"], data["size"]))

    def parts(self) -> list[Viewable]:
        """What stands in the controls."""
        return [self.preset, self.shape]

    def choose(self, key: str) -> None:
        """A preset's tensor."""
        if key != OWN:
            self.story.set(**{self.field: self.presets[key].tensor, "batch_cell": 0})

    def resize(self, axis: int, size: int) -> None:
        """Grow or shrink an axis."""
        tensor: Tensor = self.story.store[self.field]
        others = tensor.values.size // tensor.values.shape[axis]
        if size >= 1 and others * size <= MOST_BATCH_CELLS:
            values = resized(tensor.values, axis, size)
            self.story.set(**{self.field: Tensor(tensor.layout, values)})

    def show(self, changed: frozenset[str]) -> None:
        """Let both say what the tensor is."""
        if self.field not in changed:
            return
        tensor: Tensor = self.story.store[self.field]
        key = key_of(self.presets, tensor) or OWN
        options = {
            f"{preset.title} · {shape_text(preset.tensor.values.shape)}": name
            for name, preset in self.presets.items()
        }
        if key == OWN:
            options[f"{say('own_tensor')} · {shape_text(tensor.values.shape)}"] = OWN
        put(self.preset, options=options, value=key)
        self.shape.put(shape=list(tensor.values.shape), names=list(tensor.names))
