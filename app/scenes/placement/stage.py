"""The lead, the block, and the plot of the present view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import panel as pn
from panel.viewable import Viewable

from app.fields.placement import VIEWS
from app.placement import words
from app.placement.catalogue import listed
from app.placement.run_words import run_line
from app.placement.scales import layer_ticks, linear_scale, log_scale
from app.placement.series import ATTENTION, COLUMNS, FFN, THEORY, columns, wires
from app.placement.words import colour_of, figures
from app.scenes.placement.training import TrainingView
from app.strings import say
from app.views.choices import Choices
from app.views.controls import put
from app.views.placement import BlockDrawing, RunBar
from app.views.placement_plots import Label, LayerPlot
from app.views.prose import Prose
from app.wire import put_values
from kernels.placements import ONE, PLACES

if TYPE_CHECKING:
    from app.scenes.placement.scene import PlacementScene

PLOT_HEIGHT = 236

SPOTS = {place: say(f"place_spot_{place}") for place in PLACES}
DRAWING_WORDS = {
    **SPOTS,
    "block": say("place_block_word"),
    "parallel": say("place_parallel"),
}


class Stage:
    """What stands in the middle."""

    def __init__(self, scene: PlacementScene) -> None:
        """Make the views for a scene."""
        self.scene = scene
        self.lead = Prose()
        self.drawing = BlockDrawing(words=DRAWING_WORDS)
        self.drawing.on("toggle", lambda data: self.toggle(data["place"]))
        self.drawing.on("block", lambda data: scene.set(placement_block=data["block"]))
        self.drawing.on("parallel", lambda data: self.toggle_parallel())
        self.views = Choices(
            label=say("place_views"),
            shown=False,
            options=[[view, say(f"place_view_{view}")] for view in VIEWS],
            columns=len(VIEWS),
            margin=(10, 0, 10, 0),
        )
        self.views.on("choose", lambda data: scene.set(placement_view=data["key"]))
        self.log, self.linear = (
            LayerPlot(COLUMNS, log=log, height=PLOT_HEIGHT, lines=2, card=True)
            for log in (True, False)
        )
        self.training = TrainingView(scene, PLOT_HEIGHT)
        self.run = RunBar()
        self.run.on("press", lambda data: scene.press_run())

    def layout(self) -> Viewable:
        """One under the other."""
        return pn.Column(
            self.lead,
            self.drawing,
            self.views,
            self.log.pane,
            self.linear.pane,
            self.training.pane,
            self.run,
            sizing_mode="stretch_width",
        )

    # what a person does -------------------------------------------------------------------------

    def toggle(self, place: str) -> None:
        """A place of the block was clicked."""
        if place in PLACES:
            self.scene.set(placement=self.scene.placement.toggled(place))

    def toggle_parallel(self) -> None:
        """Both sublayers side by side, or one after the other."""
        placement = self.scene.placement
        self.scene.set(placement=placement.with_parallel(not placement.parallel))

    # show ---------------------------------------------------------------------------------------

    def show(self, changed: frozenset[str]) -> None:
        """The parts that a change touches."""
        if "results" in changed:
            self.show_lead()
        if "placement_view" in changed:
            self.views.put(value=self.scene.store["placement_view"])
        if changed & {"results", "placement_view", "placement_block"}:
            self.show_block()
            if self.plot is not None:
                put_values(self.plot.mark, location=self.scene.store["placement_block"])
        if changed & {"results", "one more", "placement_view", "pointed"}:
            self.show_plot(changed)
        if changed & {"learned", "placement_view", "results"}:
            self.training.show()
        if "progress" in changed or "results" in changed:
            self.show_run()

    @property
    def plot(self) -> LayerPlot | None:
        """The plot of the present view; none while training is looked at."""
        view = self.scene.store["placement_view"]
        return {"training": None, "cosine": self.linear}.get(view, self.log)

    def show_lead(self) -> None:
        """The sentence and the line under it."""
        scene, store = self.scene, self.scene.store
        lead = words.lead(
            scene.placement, store["placement_norm"], store["placement_depth"], scene.runner.chosen
        )
        # Room for two lines also while the second is not known: nothing below it jumps.
        html = f"<p class='lead' style='min-height:2.6em'>{lead}</p>"
        self.lead.put(html=f"{html}<p class='sub'>{words.sub(scene.placement)}</p>")

    def show_block(self) -> None:
        """The drawing, with the chosen placement's numbers."""
        scene = self.scene
        placement, trace = scene.placement, scene.runner.chosen
        block, depth = scene.store["placement_block"], scene.store["placement_depth"]
        backward = scene.store["placement_view"] == "gradient"
        scale = placement.residual_scale
        self.drawing.put(
            places=list(placement.places),
            parallel=placement.parallel,
            norm=say(f"place_short_{scene.store['placement_norm']}"),
            colour=colour_of(scene.store["placement_norm"]),
            values={} if trace is None else wires(trace, block, gradient=backward),
            alpha="" if scale == ONE else f"×{figures(scale(depth))}",
            block=block,
            depth=depth,
            label=say("place_block", block=block, depth=depth),
            about=say("place_block_backward" if backward else "place_block_forward"),
        )

    def show_plot(self, changed: frozenset[str]) -> None:
        """Curves, their styles, their labels, the caption."""
        plot = self.plot
        if "placement_view" in changed:
            put(self.log.pane, visible=plot is self.log)
            put(self.linear.pane, visible=plot is self.linear)
            put(self.training.pane, visible=plot is None)
        if plot is None:
            return
        self.style(plot)
        if changed == {"pointed"}:
            plot.draw()
        else:
            self.draw(plot, same="placement_view" not in changed)
        self.label(plot)

    def draw(self, plot: LayerPlot, *, same: bool) -> None:
        """New numbers, of the `same` kind as before or not."""
        scene, view = self.scene, self.scene.store["placement_view"]
        runner, depth = scene.runner, scene.store["placement_depth"]
        data = columns(view, runner.traces, scene.chosen, depth)
        scale = log_scale(data, scene.chosen) if plot.log else linear_scale(data, least=0.12)
        plot.draw(data)
        settled = not (same and runner.nearly_done)
        plot.ranges(0, depth, layer_ticks(depth), scale, settled=settled)
        trace = runner.chosen
        caption = words.CAPTIONS[view](trace) if trace is not None else say("place_waiting")
        plot.say(say(f"place_title_{view}"), caption)

    def style(self, plot: LayerPlot) -> None:
        """The chosen curve thick in its norm's colour, its opposite in ink, the rest quiet."""
        scene = self.scene
        colour = colour_of(scene.store["placement_norm"])
        for row in listed(scene.placement):
            token = self.token_of(row.key)
            if row.key == scene.chosen:
                plot.style(row.key, token, 2.8, "solid", front=True)
            elif row.key == scene.pointed:
                plot.style(row.key, token, 2.4, row.dash, front=True)
            elif row.key == scene.opposite:
                plot.style(row.key, token, 1.8, row.dash, front=True)
            else:
                plot.style(row.key, token, 1.1, row.dash, front=False)
        plot.style(THEORY, "ink-2", 1.3, "dashed", front=True)
        plot.style(ATTENTION, colour, 1.2, "dotted", front=True)
        plot.style(FFN, colour, 1.2, "dashed", front=True)

    def token_of(self, key: str) -> str:
        """The colour of a placement's curve and name."""
        scene = self.scene
        if key == scene.chosen:
            return colour_of(scene.store["placement_norm"])
        return "ink" if key in (scene.pointed, scene.opposite) else "ink-3"

    def label(self, plot: LayerPlot) -> None:
        """Each curve's name at its end."""
        scene = self.scene
        ends = []
        for row in listed(scene.placement):
            value = plot.end_of(row.key)
            if value is not None:
                ends.append(Label(self.token_of(row.key), row.short, value))
        for column, text in ((ATTENTION, "place_attention"), (FFN, "place_ffn")):
            value = plot.end_of(column)
            if value is not None:
                ends.append(Label("ink-3", say(text), value))
        plot.label_ends(scene.store["placement_depth"], ends)

    def show_run(self) -> None:
        """What runs, stops or waits."""
        runner = self.scene.runner
        by_numpy = "" if runner.refusal else self.scene.graphics.why_not(runner.settings)
        text, percent, button = run_line(runner, by_numpy)
        self.run.put(text=text, percent=percent, button=button)
