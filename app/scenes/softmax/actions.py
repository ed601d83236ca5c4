"""What a person does in the Softmax scene, each as one change of the state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from app.entries import Refused, entered, paste_block
from app.fields.softmax import LEAST_SCALE, MOST_HEADS, MOST_KEYS, MOST_SCALE, MOST_WIDTH
from app.fills import resized
from app.softmax.presets import SOFTMAX_PRESETS
from app.tensor import Tensor

if TYPE_CHECKING:
    from app.scenes.softmax.scene import SoftmaxScene

REFUSED = frozenset({"refused"})  # not a field: only the marks of refused entries changed


class Actions:
    """Changes of the state; refused entries are kept here until they are mended or given up."""

    def __init__(self, scene: SoftmaxScene) -> None:
        """The scene whose store is changed."""
        self.scene = scene
        self.store = scene.store
        self.refused = Refused()
        self.refused_gains = Refused()

    def update(self, **patch: Any) -> frozenset[str]:
        """One change of the state."""
        return self.store.update(patch)

    def choose_preset(self, key: str) -> None:
        """Another start; refused entries go."""
        if key in SOFTMAX_PRESETS:
            self.refused.clear()
            self.refused_gains.clear()
            self.store.update(SOFTMAX_PRESETS[key])

    def drag_scale(self, scale: float | None) -> None:
        """The line in a curve was dragged: one step for Back, however long the drag."""
        if scale is not None:
            scale = float(f"{min(max(scale, LEAST_SCALE), MOST_SCALE):.4g}")
            self.store.update({"softmax_scale": scale}, dragging=True)

    # the vectors --------------------------------------------------------------------------------

    @property
    def vectors(self) -> Tensor:
        """q and the keys as rows."""
        return self.store["softmax_vectors"]

    def edit(self, start: int, rows: list[list[str]], cell: int) -> None:
        """Numbers typed or pasted from a cell on, and the cell that is current then.

        What is refused stays marked, nothing is lost.
        """
        with self.store.together():
            self.move(cell)
            vectors = entered(self.refused, self.vectors, start, rows)
            if vectors is None or not self.update(softmax_vectors=vectors):
                self.scene.show(REFUSED)

    def drag(self, index: int, value: float) -> None:
        """A cell dragged up or down."""
        changed = self.vectors.replaced({index: float(value)})
        self.refused.mend((index,), changed)
        self.store.update({"softmax_vectors": changed}, dragging=True)

    def cancel(self, index: int) -> None:
        """Escape: a refused entry goes, the number that was there shows again."""
        self.refused.mend((index,), self.vectors)
        self.scene.show(REFUSED)

    def move(self, index: int) -> None:
        """Another cell is current, and with it the head it belongs to."""
        place = np.unravel_index(index, self.vectors.values.shape)
        head = int(place[1]) // self.scene.problem.head_dim
        self.update(softmax_cell=tuple(int(part) for part in place), softmax_head=head)

    def resize(self, axis: int, size: int) -> None:
        """More or fewer keys (axis 0), features of a head (1), or heads (2)."""
        vectors, heads = self.vectors.values, self.store["softmax_heads"]
        by_head = vectors.reshape(len(vectors), heads, -1)
        if axis == 0:
            by_head = resized(by_head, 0, size + 1)
        elif axis == 1:
            by_head = resized(by_head, 2, size)
        else:
            by_head = resized(by_head, 1, size)
        rows, heads, dim = by_head.shape
        if 2 <= rows <= 1 + MOST_KEYS and heads <= MOST_HEADS and heads * dim <= MOST_WIDTH:
            self.refused.clear()
            flat = by_head.reshape(rows, heads * dim)
            self.update(softmax_vectors=Tensor("[N,C]", flat), softmax_heads=heads)

    # the gains ----------------------------------------------------------------------------------

    @property
    def gains(self) -> np.ndarray:
        """γ of q and of k as rows, ones where none are set."""
        per_head = self.store["softmax_norm_over"] == "head"
        width = self.vectors.values.shape[1]
        size = self.scene.problem.head_dim if per_head else width
        given = self.store["softmax_gains"]
        return np.ones((2, size)) if given is None else np.array(given)

    @property
    def within_gains(self) -> object:
        """What the gains are, and how many: a refused entry stands in these."""
        return self.store["softmax_gains"], self.gains.shape

    def edit_gains(self, start: int, rows: list[list[str]]) -> None:
        """Gains typed or pasted; a gain has to be finite."""
        gains = self.gains
        cells, bad = paste_block(gains.shape, start, rows)
        if bad:
            self.refused_gains.add(bad, self.within_gains)
        else:
            self.refused_gains.clear()
            gains.flat[list(cells)] = list(cells.values())
            if np.isfinite(gains).all() and self.update(softmax_gains=gains.tolist()):
                return
        self.scene.show(REFUSED)

    def drag_gain(self, index: int, value: float) -> None:
        """A gain dragged up or down."""
        gains = self.gains
        gains.flat[index] = float(value)
        self.store.update({"softmax_gains": gains.tolist()}, dragging=True)

    def cancel_gains(self) -> None:
        """Escape."""
        self.refused_gains.clear()
        self.scene.show(REFUSED)
