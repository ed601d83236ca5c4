"""Distribution shift: running statistics that were learned on other data."""

from __future__ import annotations

from typing import Any

import numpy as np
from panel.viewable import Viewable

from app.batch.shift import (
    LEARNING,
    MOST_ADAPTED,
    Lesson,
    Shift,
    largest_change,
    learn_elsewhere,
    serve,
)
from app.numbers import short
from app.scenes.batch.layer import SLIDER_GAP, TIGHT, LayerControls
from app.scenes.batch.shift_views import Histogram
from app.scenes.batch.story import LAYER, Story, next_seed
from app.views.choices import Buttons
from app.views.controls import beside, heading, put, watch
from app.views.curve import Curve
from app.views.slider import Slider
from app.views.table import Table

NUMBERS = LAYER | {"batch_seed", "batch_shift", "batch_spread", "batch_adapted"}
LEARNED_FROM = frozenset({"batch_seed", "batch_momentum", "batch_convention"})
SHIFTS = tuple(step / 2 for step in range(-20, 21))
SPREADS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
ROUNDING = 1e-12  # of outputs near 1, in float64
BURST = 10  # forwards a press of the button adds
MEMBERS = (("evaluation", "bn"), ("training", "bn"), ("layer", "ln"), ("rms", "rms"))


class ShiftStory(Story):
    """What is served moves, and evaluation does not move with it."""

    key = "shift"

    def make(self) -> None:
        """Make controls and views."""
        self.shift = Slider(label=self.say("shift"), end=len(SHIFTS) - 1, margin=SLIDER_GAP)
        self.spread = Slider(label=self.say("spread"), end=len(SPREADS) - 1, margin=SLIDER_GAP)
        self.new = Buttons(label=self.say("data"), margin=TIGHT)
        self.layer = LayerControls(self)
        self.inputs = Histogram(("ink-3", "bn"))
        self.normalized = Histogram(("ink-3", "bn"))
        self.adapt = Buttons(label=self.say("adapt"), margin=(8, 0, 8, 0))
        self.curves = {name: Curve("bn", self.say("axis")) for name in ("mean", "variance")}
        self.table = Table(columns=["", "μ", "σ", self.say("change")])
        watch(self.shift, lambda new: self.drag(batch_shift=SHIFTS[new]))
        watch(self.spread, lambda new: self.drag(batch_spread=SPREADS[new]))
        self.new.on("press", lambda data: self.set(batch_seed=next_seed(self.store)))
        self.adapt.on("press", lambda data: self.press(data["key"]))

    def controls(self) -> list[Viewable]:
        """How the data moves, and the layer."""
        return [self.shift, self.spread, self.new, *self.layer.parts()]

    def stage(self) -> list[Viewable]:
        """Inputs and outputs as histograms; running statistics as curves."""
        histograms = ((self.inputs.layout(), "1 1 260px"), (self.normalized.layout(), "1 1 260px"))
        curves = [(curve.layout(), "1 1 260px") for curve in self.curves.values()]
        return [beside(*histograms), self.adapt, beside(*curves)]

    def results(self) -> list[Viewable]:
        """Every normalizer on what is served."""
        return [heading(self.say("results")), self.table]

    def press(self, key: str) -> None:
        """More forwards in training on what is served, or fewer."""
        adapted = self.store["batch_adapted"] + (BURST if key == "more" else -BURST)
        self.set(batch_adapted=0 if key == "none" else max(0, min(adapted, MOST_ADAPTED)))

    def compute(self, changed: frozenset[str]) -> None:
        """Learn, move, run."""
        store = self.store
        if changed & LEARNED_FROM:
            self.lesson: Lesson = learn_elsewhere(store["batch_seed"], self.settings)
        if changed & NUMBERS:
            self.found: Shift = serve(
                self.lesson,
                store["batch_shift"],
                store["batch_spread"],
                store["batch_adapted"],
                self.settings,
            )

    def show(self, changed: frozenset[str]) -> None:
        """One update a view."""
        self.layer.show(changed)
        if not changed & NUMBERS:
            return
        self.show_controls()
        self.show_words()
        self.show_histograms()
        self.show_curves()
        self.show_table()

    def show_controls(self) -> None:
        """Where the sliders stand, and what the buttons can do."""
        store = self.store
        shift, spread, adapted = (
            store["batch_shift"],
            store["batch_spread"],
            store["batch_adapted"],
        )
        put(self.shift, position=nearest(SHIFTS, shift), text=short(shift))
        put(self.spread, position=nearest(SPREADS, spread), text=f"× {short(spread)}")
        self.new.put(
            buttons=[{"key": "new", "text": self.say("new")}],
            text=self.say("seed", seed=store["batch_seed"]),
        )
        full = adapted >= MOST_ADAPTED
        self.adapt.put(
            buttons=[
                {
                    "key": "more",
                    "text": self.say("more", count=BURST),
                    "main": True,
                    "disabled": full,
                },
                {"key": "less", "text": self.say("less"), "disabled": not adapted},
                {"key": "none", "text": self.say("none"), "disabled": not adapted},
            ],
            text=self.say("adapted", count=adapted),
        )

    def show_words(self) -> None:
        """What is remembered, what comes, and what evaluation makes of it."""
        found, output = self.found, self.found.after["evaluation"]
        running = found.running
        lead = self.say(
            "lead",
            kept_mean=short(float(running.mean[0]), 2),
            kept_spread=short(float(np.sqrt(running.variance[0])), 2),
            mean=short(float(found.served[:, 0].mean()), 2),
            spread=short(float(found.served[:, 0].std()), 2),
        )
        sub = self.say(
            "sub",
            mean=short(float(output[:, 0].mean()), 2),
            spread=short(float(output[:, 0].std()), 2),
        )
        self.show_lead(lead, sub)

    def show_histograms(self) -> None:
        """Feature 0 going in and coming out of evaluation; grey, as it was in training."""
        found = self.found
        self.inputs.show(self.say("inputs"), found.trained[:, 0], found.served[:, 0])
        before, after = found.before["evaluation"], found.after["evaluation"]
        self.normalized.show(self.say("outputs"), before[:, 0], after[:, 0])

    def show_curves(self) -> None:
        """Running statistics of feature 0; dashed, the data that is served."""
        found = self.found
        forwards = np.arange(len(found.means))
        served = found.served[:, 0]
        for name, values, target in (
            ("mean", found.means[:, 0], float(served.mean())),
            ("variance", found.variances[:, 0], float(served.var())),
        ):
            numbers = {
                "learned": short(float(values[LEARNING]), 2),
                "now": short(float(values[-1]), 2),
                "target": short(target, 2),
            }
            title = self.say(f"curve_{name}", **numbers)
            dots = (forwards == LEARNING) | (forwards == forwards[-1])
            self.curves[name].show(title, forwards, values, dots=dots, target=target)

    def show_table(self) -> None:
        """Mean and spread of all outputs, and how far the shift moved them."""
        rows = []
        for key, colour in MEMBERS:
            output = self.found.after[key]
            change = largest_change(output, self.found.before[key])
            rows.append(
                {
                    "head": self.say(f"row_{key}"),
                    "colour": colour,
                    "cells": [settled(float(output.mean())), float(output.std()), settled(change)],
                    "note": self.say(f"note_{key}"),
                }
            )
        self.table.put(rows=rows)

    def outputs(self) -> dict[str, Any]:
        """The data, the running statistics, and every normalizer's output."""
        found = self.found
        return {
            "x": found.served,
            "learned": {"running_mean": found.learned.mean, "running_var": found.learned.variance},
            "running_mean": found.running.mean,
            "running_var": found.running.variance,
            "before": found.before,
            "after": found.after,
        }


def settled(value: float) -> float:
    """A number without what rounding leaves of 0."""
    return 0.0 if abs(value) < ROUNDING else value


def nearest(steps: tuple[float, ...], value: float) -> int:
    """The step a slider stands at for a value, which may lie between two."""
    return min(range(len(steps)), key=lambda step: abs(steps[step] - value))
