"""What the scene says of the three models: before, while and after they learn."""

from __future__ import annotations

from app.placement.training import PLATEAU, WINDOW, Training
from app.strings import listed, say
from kernels.training import RECIPES

PAST = 0.1  # nats below the plateau from which on a model has learned more than frequencies


def caption(training: Training) -> str:
    """A sentence or two with the losses."""
    if not training.started:
        return say("place_train_before", warmup=RECIPES["post_ln_warmup"].warmup)
    losses = listed([_loss(training, name) for name in RECIPES])
    plateau = f"{PLATEAU:.2f}"
    if not training.finished:
        return say(
            "place_train_during",
            step=training.steps_done,
            total=training.total,
            losses=losses,
            window=WINDOW,
            plateau=plateau,
        )
    stuck = [
        say(f"place_train_{name}")
        for name in RECIPES
        if not training.late_loss(name) < PLATEAU - PAST
    ]
    verdict = (
        say("place_train_stuck", names=listed(stuck), plateau=plateau)
        if stuck
        else say("place_train_all", plateau=plateau)
    )
    return say("place_train_after", total=training.total, losses=losses, verdict=verdict)


def _loss(training: Training, name: str) -> str:
    title = say(f"place_train_{name}")
    if training.runs[name].diverged:
        return say("place_train_diverged", name=title)
    return say("place_train_loss", name=title, loss=f"{training.late_loss(name):.2f}")


def run_line(training: Training) -> tuple[str, int, str]:
    """(text, percent or −1, button) of the bar under the plot."""
    if training.going:
        percent = 100 * training.steps_done // training.total
        return "", percent, say("place_train_stop")
    if training.finished:
        return "", -1, say("place_train_again")
    return "", -1, say("place_train_go" if training.started else "place_train_start")
