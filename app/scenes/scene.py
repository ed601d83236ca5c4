"""What every scene does: lay itself out once, compute, show, and tell its numbers."""

from __future__ import annotations

from typing import Any, ClassVar

from panel.viewable import Viewable

from app.state import Store


class Scene:
    """A scene reads the store and draws; it holds no state of its own."""

    key: ClassVar[str]

    def __init__(self, store: Store) -> None:
        """Make the controls and views for a store."""
        self.store = store
        self.stale: frozenset[str] = frozenset()

    def layout(self) -> dict[str, Viewable]:
        """The roots by their place on the page: controls, stage, results."""
        raise NotImplementedError

    def compute(self, changed: frozenset[str]) -> None:
        """Run the kernels that the changed fields touch."""
        raise NotImplementedError

    def show(self, changed: frozenset[str]) -> None:
        """Give the results to the views."""
        raise NotImplementedError

    def outputs(self) -> dict[str, Any]:
        """The numbers on show, keys as documented in README."""
        raise NotImplementedError
