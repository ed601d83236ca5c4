"""The one source of truth: a table of fields, each typed, validated and serializable.

A scene reads the store and is told what changed; nothing else holds state. A link, a script and a
control all come in by `Store.update`, which takes all of a patch or, with a reason, none of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from app import fields
from app.fields.field import Field

FIELDS: dict[str, Field] = fields.FIELDS

BURST_SECONDS = 1.5  # changes of the same fields in quick succession are one step


class Steps:
    """Which changes are steps of their own, to be taken back one by one."""

    def __init__(self) -> None:
        """No change yet."""
        self.pending = False
        self.last: frozenset[str] = frozenset()
        self.at = 0.0

    def changed(self, names: frozenset[str], dragging: bool) -> None:
        """Some fields changed."""
        counted = frozenset(name for name in names if not FIELDS[name].silent)
        if not counted:
            return
        now = time.monotonic()
        each = not dragging and any(FIELDS[name].deliberate for name in counted)
        same_burst = counted == self.last and now - self.at < BURST_SECONDS
        self.pending |= each or not same_burst
        self.last, self.at = (frozenset() if each else counted), now

    def take(self) -> bool:
        """Whether what changed since the last call is a step."""
        pending, self.pending = self.pending, False
        return pending


Listener = Callable[[frozenset[str]], None]


class Store:
    """The state, and who wants to hear of its changes."""

    def __init__(self) -> None:
        """Start with every field's default."""
        self.values: dict[str, Any] = {name: field.default for name, field in FIELDS.items()}
        self.listeners: list[Listener] = []
        self.steps = Steps()
        self.held: frozenset[str] | None = None

    def __getitem__(self, name: str) -> Any:
        """The value of a field."""
        return self.values[name]

    def update(self, patch: dict[str, Any], dragging: bool = False) -> frozenset[str]:
        """Check a patch, take it whole, tell the listeners; returns the names that changed.

        While `dragging`, only the first of a burst of changes is a step that Back takes back.

        Raises ValueError, naming the field, what was expected and what came; then nothing changed.
        """
        if not isinstance(patch, dict):
            raise ValueError(f"state: expected an object of fields, got {type(patch).__name__}")
        for name in patch:
            if name not in FIELDS:
                raise ValueError(f"state: no field {name!r}; there are {', '.join(FIELDS)}")
        new = dict(self.values)
        for name, value in patch.items():
            new[name] = FIELDS[name].kind.parse(name, value)
        for fit in fields.FITS:
            fit(new, patch)
        old = self.values
        changed = frozenset(
            name for name in FIELDS if new[name] is not old[name] and new[name] != old[name]
        )
        if changed:
            self.values = new
            self.steps.changed(changed, dragging)
            self.tell(changed)
        return changed

    def tell(self, changed: frozenset[str]) -> None:
        """Tell every listener what changed, or remember it while changes are held together."""
        if self.held is not None:
            self.held |= changed
            return
        for listener in self.listeners:
            listener(changed)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Several updates that listeners hear of as one, at the end."""
        if self.held is not None:
            yield
            return
        self.held = frozenset()
        try:
            yield
        finally:
            changed, self.held = self.held, None
            if changed:
                self.tell(changed)

    def as_json(self) -> dict[str, Any]:
        """The whole state as plain JSON; `update` takes it back."""
        return {name: field.kind.dump(self.values[name]) for name, field in FIELDS.items()}
