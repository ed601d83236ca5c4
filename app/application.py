"""The store and the scenes put together; what changes in the one is shown by the other."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from app.background import Background
from app.fields import FIELDS
from app.link import open_fragment
from app.scenes import scene_class
from app.scenes.scene import Scene
from app.state import Store

REHEARSALS = 24


class Application:
    """One person's session: its state, and the scenes made so far."""

    def __init__(self, fragment: str = "") -> None:
        """Start with the state of a link (a URL fragment without #)."""
        self.store = Store()
        self.problems = open_fragment(self.store, fragment)
        self.made: dict[str, Scene] = {}
        self.run: dict[str, Any] | None = None
        self.background: Background | None = None  # the page sets it; without a page nothing waits
        # Asks for the graphics processor and tests it, once; the page sets it as well.
        self.ask_for_graphics: Callable[[], Awaitable[None]] | None = None
        self.store.listeners.append(self.refresh)

    @property
    def scene(self) -> Scene:
        """The scene of the state, made when it is first asked for."""
        key = self.store["scene"]
        if key not in self.made:
            self.made[key] = scene_class(key)(self)
            self.timed(self.made[key], frozenset(FIELDS))
        return self.made[key]

    def refresh(self, changed: frozenset[str]) -> None:
        """Show a change of the state in the scene on the page."""
        for scene in self.made.values():
            scene.stale |= changed
        is_new = self.store["scene"] not in self.made
        scene = self.scene
        if not is_new:  # else it was made with all of this
            self.timed(scene, changed)

    def timed(self, scene: Scene, changed: frozenset[str]) -> None:
        """Let a scene compute and show, and keep how long its kernels took."""
        scene.stale |= changed
        began = time.perf_counter()
        scene.compute(scene.stale)
        self.ran("NumPy", (time.perf_counter() - began) * 1000)
        scene.show(scene.stale)
        scene.stale = frozenset()

    def rehearse(self) -> Iterator[float]:
        """Let the scene compute and show what is on show already, a few times, with pauses.

        Nothing changes and nothing is sent. But WebAssembly is compiled as it is used, first fast
        and then well, and a person's first edit should not be the one that waits for it.
        """
        for _ in range(REHEARSALS):
            scene = self.scene
            if scene.rehearsed and self.store["backend"] != "webgpu":
                scene.compute(scene.rehearsed)
                scene.show(scene.rehearsed)
            yield 0.02

    def graphics_came(self) -> None:
        """The graphics processor was tested: scenes that use it may compute anew."""
        for scene in self.made.values():
            scene.graphics_came()

    def open(self, fragment: str) -> None:
        """Set the whole state from a link."""
        self.problems = open_fragment(self.store, fragment)

    def last_run(self) -> dict[str, Any]:
        """Which backend computed last, and for how long, once."""
        run, self.run = self.run, None
        return run or {}

    def ran(self, backend: str, milliseconds: float) -> None:
        """A backend has computed something, in so many milliseconds."""
        self.run = {"backend": backend, "compute_ms": milliseconds}
