"""Three models learning side by side, as a plot with a button."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import panel as pn

from app.placement.scales import linear_range
from app.placement.training import PLATEAU
from app.placement.training_words import caption, run_line
from app.placement.words import colour_of
from app.strings import say
from app.views.placement import RunBar
from app.views.placement_plots import CurvePlot, Label
from kernels.training import RECIPES

if TYPE_CHECKING:
    from app.scenes.placement.scene import PlacementScene

PLATEAU_LINE = "plateau"

# How each recipe's curve is drawn: token ("" is the norm's), width, dash.
STYLES: dict[str, tuple[str, float, str]] = {
    "post_ln": ("ink", 1.8, "solid"),
    "post_ln_warmup": ("ink", 1.8, "dashed"),
    "pre_ln": ("", 2.8, "solid"),
}


class TrainingView:
    """The plot of the losses and its button."""

    def __init__(self, scene: PlacementScene, height: int) -> None:
        """Make the views for a scene."""
        self.scene = scene
        self.plot = CurvePlot(
            (*RECIPES, PLATEAU_LINE),
            height=height - 30,
            log=False,
            lines=2,
            card=True,
        )
        self.bar = RunBar()
        self.bar.on("press", lambda data: scene.press_training())
        self.pane = pn.Column(
            self.plot.pane, self.bar, sizing_mode="stretch_width", margin=0, visible=False
        )

    def show(self) -> None:
        """The curves so far; nothing while they are not looked at."""
        if self.scene.store["placement_view"] != "training":
            return
        training, plot = self.scene.training, self.plot
        colour = colour_of(self.scene.store["placement_norm"])
        data = training.columns()
        data[PLATEAU_LINE] = np.full(training.total, PLATEAU)
        for name, (token, width, dash) in STYLES.items():
            plot.style(name, token or colour, width, dash, front=True)
        plot.style(PLATEAU_LINE, "ink-3", 1.2, "dotted", front=False)
        plot.draw(data)
        total = training.total
        plot.ranges(0, total, range(0, total + 1, 50), linear_range(data, PLATEAU - 1, PLATEAU + 1))
        ends = [Label("ink-3", say("place_train_plateau"), PLATEAU)]
        for name in RECIPES:
            value = plot.end_of(name)
            if value is not None:
                ends.append(Label(plot.styles[name].token, say(f"place_train_{name}"), value))
        plot.label_ends(total, ends)
        plot.say(say("place_title_training"), caption(training))
        text, percent, button = run_line(training)
        self.bar.put(text=text, percent=percent, button=button)
