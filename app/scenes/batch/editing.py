"""A tensor of the state in a grid: typed, pasted and dragged numbers, and where the cursor is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from app.entries import Refused, paste_block
from app.state import Store
from app.strings import say
from app.tensor import Tensor, cell_names, shape_text
from app.views.tensor_grid import TensorGrid, flat


class TensorEditor:
    """Ties a grid to one field of the state; refused entries stay marked until they are mended."""

    def __init__(
        self,
        store: Store,
        field: str,
        grid: TensorGrid,
        write: Callable[[dict[int, float], bool], object] | None = None,
    ) -> None:
        """`write` takes what was entered, by flat index, where it is not simply the tensor's."""
        self.store = store
        self.field = field
        self.grid = grid
        self.write = write or self.write_tensor
        self.refused = Refused()
        self.shape: tuple[int, ...] = ()  # of the grid, which may show the tensor in another shape
        grid.on("edit", lambda data: self.edit(data["start"], data["rows"], data["cell"]))
        grid.on("drag", lambda data: self.drag(data["index"], float(data["value"])))
        grid.on("cancel", lambda data: self.cancel(data["index"]))
        grid.on("cell", lambda data: self.move(data["index"]))

    @property
    def tensor(self) -> Tensor:
        """The tensor in the state."""
        return self.store[self.field]

    @property
    def cell(self) -> int:
        """The flat index of the cursor, which may come from a larger tensor."""
        return min(self.store["batch_cell"], self.tensor.values.size - 1)

    @property
    def place(self) -> tuple[int, ...]:
        """The indices of the cursor."""
        return tuple(int(i) for i in np.unravel_index(self.cell, self.tensor.values.shape))

    def write_tensor(self, cells: dict[int, float], dragging: bool) -> object:
        """Set cells of the tensor."""
        return self.store.update({self.field: self.tensor.replaced(cells)}, dragging)

    def edit(self, start: int, rows: list[list[str]], cell: int) -> None:
        """Numbers typed or pasted from a cell on, and the cell that is current then.

        What is refused is marked, nothing is lost.
        """
        with self.store.together():
            self.move(cell)
            self._enter(start, rows)
        self.grid.put(bad=self.refused.shown(self.tensor))

    def _enter(self, start: int, rows: list[list[str]]) -> None:
        cells, bad = paste_block(self.shape, start, rows)
        if bad:
            self.refused.add(bad, self.tensor)
        else:
            self.refused.mend(cells, self.tensor)
            others = self.refused.shown(self.tensor)
            self.write(cells, False)
            self.refused.add(others, self.tensor)

    def drag(self, index: int, value: float) -> None:
        """A cell dragged up or down."""
        self.write({index: value}, True)

    def move(self, index: int) -> None:
        """Another cell is current."""
        self.store.update({"batch_cell": index})

    def cancel(self, index: int) -> None:
        """Escape: a refused entry goes, the number that was there shows again."""
        self.refused.mend((index,), self.tensor)
        self.grid.put(bad=self.refused.shown(self.tensor))

    def show_tensor(self, changed: frozenset[str], **extra: Any) -> None:
        """The tensor in its own shape, with what a story adds to it."""
        update: dict[str, Any] = {}
        tensor = self.tensor
        if self.field in changed:
            update |= {
                "values": flat(tensor.values),
                "shape": list(tensor.values.shape),
                "names": cell_names(tensor.names),
                "label": say("grid_label", shape=shape_text(tensor.values.shape)),
                "bad": self.refused.shown(tensor),
            }
        if changed & {self.field, "batch_cell"}:
            update["cell"] = self.cell
        self.put(**{**update, **extra})

    def put(self, **update: Any) -> None:
        """Show values in the grid."""
        self.shape = tuple(update.get("shape", self.shape))
        self.grid.put(**update)
