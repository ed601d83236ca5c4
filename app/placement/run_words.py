"""What the run bar says: what is computed, what was stopped, what waits and why."""

from __future__ import annotations

from app.placement.catalogue import listed
from app.placement.runner import WORTH_TELLING, Runner
from app.placement.words import duration
from app.strings import say


def run_line(runner: Runner, by_numpy: str = "") -> tuple[str, int, str]:
    """(text, percent or −1, button): all empty when nothing is left to say.

    by_numpy: why NumPy computed a stack that another backend was wanted for.
    """
    if runner.refusal:
        return runner.refusal, -1, ""
    settings, plan = runner.settings, runner.plan
    missing = runner.missing
    total = len(missing) + len(runner.traces)
    if runner.busy and runner.plan.seconds_now < WORTH_TELLING:
        return "", -1, ""
    if runner.busy:
        title = next(row.title for row in listed(settings.placement) if row.key == runner.next)
        text = say("place_run_running", title=title, count=len(runner.traces), total=total)
        return text, int(100 * runner.fraction), say("place_run_stop")
    if not missing:
        return say("place_run_by_numpy", reason=by_numpy) if by_numpy else "", -1, ""
    size = {"depth": settings.depth, "width": settings.width}
    if runner.stopped:
        return say("place_run_stopped", missing=len(missing), total=total), -1, say("place_run_go")
    waits = {"time": duration(plan.seconds_held), "backend": runner.backend.title}
    if plan.chosen_held:
        waits["time"] = duration(plan.seconds_chosen)
        return say("place_run_chosen", **waits, **size), -1, say("place_run_compute")
    return say("place_run_others", count=len(missing), **waits), -1, say("place_run_compute")
