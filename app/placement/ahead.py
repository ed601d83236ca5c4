"""The next steps of a slider, computed between what is on show.

Whoever has moved a slider by a step often moves it by another. The chosen placement is run for the
steps on either side: the one in the direction of the last step beside the other placements of the
present one, the other when those are through. What it gives is held like any other result, and a
person who takes such a step need not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.placement.backend import Backend, NumpyBackend, choose
from kernels.residual import StackTrace
from kernels.stack_settings import StackSettings

# Only what an edit would wait for is worth it: a stack that takes longer runs beside the page.
MOST_SECONDS = 0.15

# The settings whose sliders are known by their fields.
SETTINGS = {
    "placement_depth": "depth",
    "placement_tokens": "tokens",
    "placement_gain": "gain",
}


@dataclass(frozen=True)
class Step:
    """A slider was moved: of which field, the values it stops at, from which of them to which."""

    field: str
    values: Sequence[Any]
    before: int
    position: int

    @property
    def next_values(self) -> list[Any]:
        """The values on either side, the one in the direction of the step first."""
        way = 1 if self.position >= self.before else -1
        places = (self.position + way, self.position - way)
        return [self.values[place] for place in places if 0 <= place < len(self.values)]


def settings_after(step: Step, settings: StackSettings) -> list[StackSettings]:
    """The same stack one step of the slider further, either way, where there is such a stack."""
    name = SETTINGS.get(step.field)
    found: list[StackSettings] = []
    for value in step.next_values if name else ():
        change: dict[str, Any] = {str(name): value}
        try:
            found.append(replace(settings, **change))
        except ValueError:
            continue  # it would be too large
    return found


def run_ahead(
    backends: tuple[Backend, ...], settings: StackSettings, keep: Callable[[StackTrace], object]
) -> Iterator[None]:
    """Run a stack if NumPy computes it quickly, a layer a step; `keep` gets it at the end."""
    backend = choose(backends, settings)
    if not isinstance(backend, NumpyBackend) or backend.fresh(settings) > MOST_SECONDS:
        return
    run = backend.run(settings)
    try:
        for _ in run:
            yield None
        if run.trace is not None:
            keep(run.trace)
    except MemoryError:
        return  # whoever asks for this stack is told
