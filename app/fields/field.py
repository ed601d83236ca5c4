"""One row of the state's table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.fields import kinds


@dataclass(frozen=True)
class Field:
    """One piece of state: its kind (how it is checked and written), default, and key in a link."""

    name: str
    key: str
    kind: kinds.Kind
    default: Any
    deliberate: bool = True  # each change is a step that Back takes back; of a drag only the first
    silent: bool = False  # never a step: where the cursor is
