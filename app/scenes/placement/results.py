"""What the head sees, and the gradient that warm-up is for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import panel as pn
from panel.viewable import Viewable

from app.placement import words
from app.placement.catalogue import listed
from app.placement.head import Answer, Head
from app.placement.head_words import temperature_line
from app.placement.scales import Scale, layer_ticks, log_scale
from app.placement.series import CURVES, down_gradient, drawable
from app.placement.words import colour_of, decimals
from app.strings import say
from app.views.controls import heading
from app.views.placement import HeadBars, PlotCaption
from app.views.placement_plots import CurvePlot, Label

if TYPE_CHECKING:
    from app.scenes.placement.scene import PlacementScene

HEIGHT = 108
ROOM = 0.24  # share of a plot's width for labels
WITHOUT, WITH = "without", "with_norm"
TITLES = {WITHOUT: "place_without", WITH: "place_with"}
UNIT = Scale(-0.02, 1.04, (0.0, 0.5, 1.0))


class Results:
    """What stands at the right."""

    def __init__(self, scene: PlacementScene) -> None:
        """Make the views for a scene."""
        self.scene = scene
        self.bars = {name: HeadBars(title=say(TITLES[name])) for name in (WITHOUT, WITH)}
        self.temperature = PlotCaption(lines=3, margin=(0, 0, 4, 0))
        self.top = CurvePlot((WITHOUT, WITH), height=HEIGHT, log=False, room=ROOM, lines=1)
        self.gradient = CurvePlot(CURVES, height=HEIGHT, log=True, room=ROOM, lines=2)

    def layout(self) -> Viewable:
        """One under the other."""
        return pn.Column(
            heading(say("place_head")),
            self.bars[WITHOUT],
            self.bars[WITH],
            self.temperature,
            self.top.pane,
            self.gradient.pane,
            sizing_mode="stretch_width",
        )

    def show(self, changed: frozenset[str]) -> None:
        """The head follows from the chosen stack, the gradients from it and its opposite."""
        if changed & {"results", "opposite"}:
            self.show_gradient()
        if "results" not in changed:
            return
        head = self.scene.head
        if head is None:
            self.clear()
        else:
            self.show_bars(head)
            self.show_top(head)

    def clear(self) -> None:
        """Nothing is known of the chosen stack yet; what was known of another must not stand."""
        for name, bars in self.bars.items():
            waiting = say("place_waiting")
            bars.put(
                text=waiting,
                label=f"{self.title_of(name)}: {waiting}",
                probabilities=np.zeros(0),
                logits=np.zeros(0),
            )
        self.temperature.put(text="")
        empty = np.full(1, np.nan)
        self.top.draw({"x": np.zeros(1), WITHOUT: empty, WITH: empty})
        depth = self.scene.store["placement_depth"]
        self.top.ranges(0, depth, layer_ticks(depth), UNIT)
        self.top.label_ends(depth, [])
        self.top.say(say("place_top"), "")

    def title_of(self, name: str) -> str:
        """The title of an answer, for a screen reader with whether it is the stack's own."""
        title = say(TITLES[name])
        own = self.scene.placement.final == (name == WITH)
        return say("place_own_head", title=title) if own else title

    def show_bars(self, head: Head) -> None:
        """Both answers on one scale."""
        final = self.scene.placement.final
        answers = {WITHOUT: head.without, WITH: head.with_norm}
        present = [one.probabilities for one in answers.values()]
        top = float(np.nanmax([0.0, *(np.nanmax(row) for row in present if finite(row))])) or 1.0
        colours = {WITHOUT: "wrong", WITH: colour_of(self.scene.store["placement_norm"])}
        for name, answer in answers.items():
            bars = self.bars[name]
            numbers = {"entropy": decimals(answer.entropy), "top": decimals(answer.top)}
            bars.put(
                current=final == (name == WITH),
                colour=colours[name],
                text=say("place_entropy", **numbers),
                label=say("place_bars_label", title=self.title_of(name), **numbers),
                probabilities=answer.probabilities.astype(np.float64),
                logits=answer.logits.astype(np.float64),
                top=top,
            )
        self.temperature.put(text=temperature_line(head, self.scene.store["placement_norm"]))

    def show_top(self, head: Head) -> None:
        """Top-1 probability against depth."""
        depth = self.scene.store["placement_depth"]
        answers: dict[str, Answer] = {WITHOUT: head.without, WITH: head.with_norm}
        colours = {WITHOUT: "wrong", WITH: colour_of(self.scene.store["placement_norm"])}
        curves = {name: drawable(answer.top_curve, False) for name, answer in answers.items()}
        for name, dash in ((WITHOUT, "dashed"), (WITH, "solid")):
            self.top.style(name, colours[name], 2.0, dash, front=True)
        self.top.draw({"x": np.arange(depth + 1.0), **curves})
        self.top.ranges(0, depth, layer_ticks(depth), UNIT)
        ends = {name: self.top.end_of(name) for name in answers}
        self.top.label_ends(
            depth,
            [
                Label(colours[name], say(f"place_top_{name}"), end)
                for name, end in ends.items()
                if end is not None
            ],
        )
        self.top.say(
            say("place_top"),
            say(
                "place_top_caption",
                positions=say("place_positions", count=head.positions)
                if head.positions > 1
                else say("place_position"),
                without=decimals(answers[WITHOUT].top_curve[-1]),
                with_norm=decimals(answers[WITH].top_curve[-1]),
            ),
        )

    def show_gradient(self) -> None:
        """The FFN's second matrix under the chosen placement and its opposite."""
        scene, runner = self.scene, self.scene.runner
        depth, colour = scene.store["placement_depth"], colour_of(scene.store["placement_norm"])
        data = {"x": np.arange(1.0, depth + 1)}
        pair = scene.chosen, scene.opposite
        for key in pair:
            if key in runner.traces:
                data[key] = drawable(down_gradient(runner.traces[key]))
        scale = log_scale(data, scene.chosen)
        settled = not runner.nearly_done
        self.gradient.ranges(0, depth, layer_ticks(depth), scale, settled=settled)
        for key in CURVES:
            if key == scene.chosen:
                self.gradient.style(key, colour, 2.6, "solid", front=True)
            else:
                self.gradient.style(key, "ink", 1.8, "dashed", front=False)
        self.gradient.draw(data)
        ends = []
        rows = {row.key: row for row in listed(scene.placement)}
        for token, key in ((colour, scene.chosen), ("ink", scene.opposite)):
            value = self.gradient.end_of(key)
            if value is not None:
                ends.append(Label(token, rows[key].short, value))
        self.gradient.label_ends(depth, ends)
        traces = [runner.traces.get(key) for key in pair]
        self.gradient.say(say("place_w2_title"), words.w2_caption(*traces))


def finite(row: np.ndarray) -> bool:
    """Whether a row has a number to draw."""
    return bool(np.isfinite(row).any())
