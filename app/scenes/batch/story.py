"""What every story of the Batch scene does: make its views, compute, show, tell its numbers."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import panel as pn
from panel.viewable import Viewable

from app.batch.conventions import Settings
from app.fields import FIELDS
from app.state import Store
from app.strings import say
from app.tensor import cell_names
from app.views.prose import Prose
from app.views.tensor_grid import NormCard, flat

if TYPE_CHECKING:
    from app.scenes.batch.scene import BatchScene

LARGEST_SEED = 2**31
LAYER = frozenset({"batch_eps", "batch_momentum", "batch_convention"})


class Story:
    """One story: its controls, its part of the stage and of the results."""

    key: ClassVar[str]

    def __init__(self, scene: BatchScene) -> None:
        """Make the views; they fill when the story is first shown."""
        self.scene = scene
        self.store = scene.store
        self.stale = frozenset(FIELDS)
        self.lead = Prose()
        self.make()
        self.places: dict[str, pn.Column] = {
            "controls": pn.Column(*self.controls(), sizing_mode="stretch_width"),
            "stage": pn.Column(self.lead, *self.stage(), sizing_mode="stretch_width"),
            "results": pn.Column(*self.results(), sizing_mode="stretch_width"),
        }

    def make(self) -> None:
        """Make controls and views and listen to them."""
        raise NotImplementedError

    def controls(self) -> list[Viewable]:
        """What stands at the left."""
        raise NotImplementedError

    def stage(self) -> list[Viewable]:
        """What stands in the middle, under the lead."""
        raise NotImplementedError

    def results(self) -> list[Viewable]:
        """What stands at the right."""
        raise NotImplementedError

    def compute(self, changed: frozenset[str]) -> None:
        """Run the kernels that the changed fields touch."""
        raise NotImplementedError

    def show(self, changed: frozenset[str]) -> None:
        """Give the results to the views."""
        raise NotImplementedError

    def outputs(self) -> dict[str, Any]:
        """The numbers on show."""
        raise NotImplementedError

    def leave(self) -> None:
        """Another story or scene is shown."""

    # what stories share -------------------------------------------------------------------------

    @property
    def settings(self) -> Settings:
        """The BatchNorm layer."""
        store = self.store
        return Settings(store["batch_eps"], store["batch_momentum"], store["batch_convention"])

    def say(self, key: str, **numbers: object) -> str:
        """A sentence of this story."""
        return say(f"batch_{self.key}_{key}", **numbers)

    def set(self, **patch: Any) -> None:
        """Change the state: a step that Back takes back."""
        self.store.update(patch)

    def drag(self, **patch: Any) -> None:
        """Change the state many times in a row: one step, however long the drag."""
        self.store.update(patch, dragging=True)

    def show_card(
        self,
        card: NormCard,
        output: np.ndarray,
        names: tuple[str, ...],
        *,
        title: str,
        over: str,
        statistics: list[list[Any]] | None = None,
        groups: np.ndarray | None = None,
        cell: int = 0,
        current: bool = False,
        note: str = "",
    ) -> None:
        """An output on its own plan; `groups` outlines what shares the cell's statistic."""
        card.put(
            values=flat(output),
            shape=list(output.shape),
            names=cell_names(names),
            groups=np.arange(output.size, dtype=np.int32) if groups is None else groups,
            cell=cell,
            title=title,
            over=over,
            statistics=statistics or [],
            current=current,
            note=note,
        )

    def show_lead(self, lead: str, sub: str, broken: str = "") -> None:
        """The sentence above everything, one under it, and what is wrong where something is."""
        alarm = f"<p class='broken' role='status'>{escape(broken)}</p>" if broken else ""
        self.lead.put(html=f"<p class='lead'>{lead}</p><p class='sub'>{sub}</p>{alarm}")


def next_seed(store: Store) -> int:
    """Another seed, the next one, so that what was there can be found again."""
    return (store["batch_seed"] + 1) % LARGEST_SEED
