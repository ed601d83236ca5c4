"""What every scene does: lay itself out once, compute, show, and tell its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from panel.viewable import Viewable

if TYPE_CHECKING:
    from app.application import Application


class Scene:
    """A scene reads the store and draws; it holds no state of its own."""

    key: ClassVar[str]
    # As if these fields had changed, the scene may compute at rest; see `Application.rehearse`.
    rehearsed: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, application: Application) -> None:
        """Make the controls and views for an application's store."""
        self.application = application
        self.store = application.store
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

    def graphics_came(self) -> None:
        """The graphics processor was tested. Scenes that have no use for it go on as they are."""

    def open_file(self, name: str, data: bytes) -> str:
        """Show a file's numbers; what is to be said of it. Only a scene with a tensor can."""
        raise NotImplementedError

    def outputs(self) -> dict[str, Any]:
        """The numbers on show, keys as documented in README."""
        raise NotImplementedError
