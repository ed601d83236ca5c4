"""What a person does in the Axes scene, each as one change of the state."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.entries import Bad, Refused, entered, paste_block
from app.fields.kinds import Normalizer
from app.fills import filled, resized
from app.normalizers import with_axes
from app.presets import PRESETS
from app.probes import PROBES
from app.tensor import MOST_CELLS, Tensor
from kernels.axes import LAYOUTS

if TYPE_CHECKING:
    from app.scenes.axes.scene import AxesScene

LARGEST_NEW = 1 << 31
NO_FAMILY = "none"  # not "": Panel takes an empty value for the first of a list


class Actions:
    """Changes of the state; refused entries are kept here until they are mended or given up."""

    def __init__(self, scene: AxesScene) -> None:
        """The scene whose store is changed."""
        self.scene = scene
        self.store = scene.store
        self.refused = Refused()

    def update(self, **patch: Any) -> frozenset[str]:
        """One change of the state."""
        return self.store.update(patch)

    # the tensor ---------------------------------------------------------------------------------

    def replace_tensor(self, tensor: Tensor) -> None:
        """Another tensor altogether; refused entries of the old one go."""
        self.refused.clear()
        if "tensor" not in self.update(tensor=tensor):
            self.scene.show(frozenset({"bad"}))

    def choose_preset(self, key: str) -> None:
        """A preset's tensor."""
        self.replace_tensor(PRESETS[key].tensor)

    def choose_layout(self, name: str) -> None:
        """The same values with other names where the rank fits; else a tensor of that rank."""
        old = self.scene.tensor
        if LAYOUTS[name].ndim == old.values.ndim:
            self.replace_tensor(Tensor(name, old.values))
            return
        shape = {1: (4,), 2: (4, 3), 3: (2, 3, 4), 4: (2, 4, 2, 3)}[LAYOUTS[name].ndim]
        self.replace_tensor(Tensor(name, filled("normal", shape, self.store["fill_seed"])))

    def fill(self, key: str) -> None:
        """Fill with a row of the table; the same again takes a new seed."""
        tensor, seed = self.scene.tensor, self.store["fill_seed"]
        values = filled(key, tensor.values.shape, seed)
        if np.array_equal(values, tensor.values, equal_nan=True):
            seed = (seed + 1) % LARGEST_NEW
            values = filled(key, tensor.values.shape, seed)
        self.refused.clear()
        self.update(tensor=Tensor(tensor.layout, values), fill_seed=seed)

    def resize(self, axis: int, size: int) -> None:
        """Grow or shrink an axis."""
        tensor = self.scene.tensor
        others = tensor.values.size // tensor.values.shape[axis]
        if size >= 1 and others * size <= MOST_CELLS:
            self.replace_tensor(Tensor(tensor.layout, resized(tensor.values, axis, size)))

    def edit(self, start: int, rows: list[list[str]], cell: int) -> None:
        """Numbers typed or pasted from a cell on, and the cell that is current then.

        What is refused stays marked, nothing is lost.
        """
        with self.store.together():
            self.move(cell)
            tensor = entered(self.refused, self.scene.tensor, start, rows)
            if tensor is None or "tensor" not in self.update(tensor=tensor):
                self.scene.show(frozenset({"bad"}))

    def drag(self, index: int, value: float) -> None:
        """A cell dragged up or down: one step for Back, however long the drag."""
        tensor = self.scene.tensor.replaced({index: float(value)})
        self.refused.mend((index,), tensor)
        self.store.update({"tensor": tensor}, dragging=True)

    def cancel(self, index: int) -> None:
        """Escape: a refused entry goes, the number that was there shows again."""
        self.refused.mend((index,), self.scene.tensor)
        self.scene.show(frozenset({"bad"}))

    def move(self, index: int) -> None:
        """Another cell is current."""
        place = np.unravel_index(index, self.scene.tensor.values.shape)
        self.update(cell=tuple(int(part) for part in place))

    def point(self, index: int) -> None:
        """The pointer is over a cell, or over none (−1): its numbers show until it leaves."""
        self.scene.pointed = index if index >= 0 else None
        self.scene.show(frozenset({"pointed"}))

    def apply_probe(self, key: str) -> None:
        """Make a probe's change the tensor."""
        probe = PROBES[key]
        amount = self.store[probe.field] if probe.field else 0.0
        change = probe.change(self.scene.tensor, amount, self.store["cell"])
        if change is not None:
            self.replace_tensor(change.tensor)

    # the normalizers ----------------------------------------------------------------------------

    def change_selected(self, new: Normalizer | None) -> None:
        """Another normalizer in the selected place, or none there."""
        compare, selected = list(self.store["compare"]), self.scene.selected
        if new is None:
            del compare[selected]
        else:
            compare[selected] = new
        self.update(compare=compare, selected=min(selected, len(compare) - 1))

    def choose_family(self, family: str) -> None:
        """A row of the table in the selected place, or none there."""
        compare = self.store["compare"]
        if family == NO_FAMILY:
            if len(compare) > 1:
                self.change_selected(None)
        else:
            self.change_selected(Normalizer(family, None, compare[self.scene.selected].groups))

    def add_normalizer(self) -> None:
        """One more to compare: the first of the table that is not there yet."""
        compare = list(self.store["compare"])
        there = {item.family for item in compare}
        family = next(key for key in ("batch", "layer", "rms", "group") if key not in there)
        self.update(compare=[*compare, Normalizer(family)], selected=len(compare))

    def choose_axes(self, axes: list[int]) -> None:
        """The selected normalizer reduces other axes."""
        item = self.store["compare"][self.scene.selected]
        layout = LAYOUTS[self.scene.tensor.layout]
        self.change_selected(with_axes(item, tuple(sorted(axes)), layout))

    def choose_groups(self, groups: int) -> None:
        """GroupNorm's number of groups."""
        self.change_selected(replace(self.store["compare"][self.scene.selected], groups=groups))

    def edit_affine(self, start: int, rows: list[list[str]]) -> Bad:
        """γ and β typed or pasted; returns what is refused."""
        channels = self.scene.tensor.values.shape[LAYOUTS[self.scene.tensor.layout].channel]
        cells, bad = paste_block((2, channels), start, rows)
        if not bad:
            pair = np.array(self.store["affine"] or ([1.0] * channels, [0.0] * channels))
            pair.flat[list(cells)] = list(cells.values())
            self.update(affine=pair.tolist())
        return bad
