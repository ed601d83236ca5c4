"""The settings of the stack, and the list of placements that is also the curves' key."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import panel as pn
from panel.viewable import Viewable

from app.fields.placement import NO_QK_NORM
from app.placement.catalogue import listed
from app.placement.likes import OWN, titles
from app.placement.series import VIEWS, View
from app.placement.steps import DEPTHS, GAINS, TOKENS, WIDTHS, heads_of, nearest
from app.placement.words import colour_of, figures
from app.strings import say
from app.views.choices import Buttons, Choices
from app.views.controls import control, put, watch
from app.views.placement import PlacementList, Switches
from app.views.slider import Slider
from kernels.placements import PLACEMENTS
from kernels.residual import StackTrace
from kernels.row_norms import ROW_NORMS
from kernels.stack_settings import LIMITS

if TYPE_CHECKING:
    from app.scenes.placement.scene import PlacementScene

TIGHT = (0, 0, 3, 0)

# The switches: field, words, and the values of off and on.
SWITCHES: dict[str, tuple[str, Any, Any]] = {
    "placement_residual_scaling": ("place_residual_scaling", False, True),
    "placement_qk_norm": ("place_qk_norm", NO_QK_NORM, "rms"),
    "placement_shared_layers": ("place_shared", False, True),
}
SOFT_CAP = "placement_soft_cap"  # a switch only while a model's or a link's cap is on


class Controls:
    """Panel's and our own controls, each tied to one field."""

    def __init__(self, scene: PlacementScene) -> None:
        """Make them for a scene."""
        self.scene = scene
        self.like = control(
            pn.widgets.Select,
            name=say("place_like"),
            options={say("place_like_own"): OWN, **titles()},
            margin=(0, 0, 8, 0),
        )
        self.list = PlacementList(label=say("place_heading"))
        self.norm = Choices(
            label=say("normalizer"),
            shown=False,
            options=[[name, say(f"place_{name}")] for name in ROW_NORMS],
            margin=TIGHT,
        )
        self.depth = Slider(label=say("place_depth"), end=LIMITS["depth"][1] - 1, margin=TIGHT)
        self.width = Slider(label=say("place_width"), end=len(WIDTHS) - 1, margin=TIGHT)
        self.heads = Slider(label=say("place_heads"), margin=TIGHT)
        self.tokens = Slider(label=say("place_tokens"), end=len(TOKENS) - 1, margin=TIGHT)
        self.gain = Slider(label=say("place_gain"), end=len(GAINS) - 1, margin=TIGHT)
        self.switches = Switches(label=say("place_stack"), margin=(0, 0, 6, 0))
        self.seed = Buttons(label=say("place_new_weights"))
        self.listen()

    def listen(self) -> None:
        """What each control does."""
        scene = self.scene
        self.like.param.watch(lambda event: scene.set(placement_like=event.new), "value")
        self.list.on("choose", lambda data: self.choose(data["key"]))
        self.list.on("point", lambda data: scene.point(data["key"]))
        self.norm.on("choose", lambda data: scene.set(placement_norm=data["key"]))
        self.switches.on("press", lambda data: self.switch(data["key"]))
        self.seed.on("press", lambda data: self.new_weights())
        self.slide(self.depth, "placement_depth", lambda: DEPTHS)
        self.slide(self.width, "placement_width", lambda: WIDTHS)
        self.slide(self.tokens, "placement_tokens", lambda: TOKENS)
        self.slide(self.gain, "placement_gain", lambda: GAINS)
        self.slide(self.heads, "placement_heads", lambda: heads_of(scene.store["placement_width"]))

    def slide(self, slider: Slider, name: str, values: Callable[[], Sequence[float]]) -> None:
        """A slider's position sets a field to one of the values it stops at."""
        watch(slider, lambda position: self.scene.step(name, values(), position))

    def choose(self, key: str) -> None:
        """A placement of the table; one's own is chosen already."""
        if key in PLACEMENTS:
            self.scene.set(placement=key)

    def switch(self, name: str) -> None:
        """One of the switches."""
        if name == SOFT_CAP:
            self.scene.set(**{SOFT_CAP: 0.0})
            return
        _, off, on = SWITCHES[name]
        self.scene.set(**{name: on if self.scene.store[name] == off else off})

    def new_weights(self) -> None:
        """The next seed: another set of weights, and the same one for whoever opens the link."""
        seed = (self.scene.store["placement_seed"] + 1) % (LIMITS["seed"][1] + 1)
        self.scene.set(placement_seed=seed)

    def layout(self) -> Viewable:
        """One under the other, the small sliders in pairs."""
        return pn.Column(
            self.like,
            self.list,
            self.norm,
            self.depth,
            pair(self.width, self.heads),
            pair(self.tokens, self.gain),
            self.switches,
            self.seed,
            sizing_mode="stretch_width",
        )

    def show(self, changed: frozenset[str]) -> None:
        """Let the controls say what the state is."""
        if changed & {"results", "one more", "placement_view"}:
            self.show_list()
        if "placement_like" in changed:
            put(self.like, value=self.scene.store["placement_like"])
        if changed & {"placement", "placement_norm"}:
            self.norm.put(value=self.scene.store["placement_norm"])
        if "results" in changed:
            self.show_sliders()
            self.show_buttons()

    def show_list(self) -> None:
        """The placements with the number of the present view."""
        scene = self.scene
        name = scene.store["placement_view"]
        view = VIEWS.get(name, VIEWS["stream"])
        traces, planned = scene.runner.traces, scene.runner.plan.now
        rows = []
        for row in listed(scene.placement):
            trace = traces.get(row.key)
            if trace is not None:
                number = said = number_of(view, trace)
            else:
                number = "…" if row.key in planned else "–"
                said = say("place_running" if row.key in planned else "place_waiting")
            rows.append(
                {
                    "key": row.key,
                    "title": row.title,
                    "about": say("place_known_from", title=row.title, known_from=row.known_from),
                    "dash": row.dash,
                    "number": number,
                    "said": said,
                }
            )
        self.list.put(
            rows=rows,
            chosen=scene.chosen,
            opposite=scene.opposite,
            colour=colour_of(scene.store["placement_norm"]),
            unit=say(f"place_number_{name}"),
        )

    def show_sliders(self) -> None:
        """Positions and their words."""
        store = self.scene.store
        depth, width = store["placement_depth"], store["placement_width"]
        heads = heads_of(width)
        put(self.depth, position=depth - 1, text=str(depth))
        put(self.width, position=nearest(WIDTHS, width), text=str(width))
        put(
            self.heads,
            end=max(1, len(heads) - 1),
            position=heads.index(store["placement_heads"]),
            text=str(store["placement_heads"]),
        )
        tokens, gain = store["placement_tokens"], store["placement_gain"]
        put(self.tokens, position=nearest(TOKENS, tokens), text=str(tokens))
        put(self.gain, position=nearest(GAINS, gain), text=f"{gain:.2f}")

    def show_buttons(self) -> None:
        """The switches and the seed."""
        store = self.scene.store
        switches = [
            {"key": name, "text": say(words), "on": store[name] != off}
            for name, (words, off, _) in SWITCHES.items()
        ]
        if store[SOFT_CAP]:
            text = say("place_soft_cap", cap=f"{store[SOFT_CAP]:g}")
            switches.append({"key": SOFT_CAP, "text": text, "on": True})
        self.switches.put(switches=switches)
        self.seed.put(
            buttons=[{"key": "new", "text": say("place_new_weights")}],
            text=say("place_seed", seed=store["placement_seed"]),
        )


def number_of(view: View, trace: StackTrace) -> str:
    """What stands beside a placement; a stream that left float32's range has no end."""
    number = view.number(trace)
    if math.isnan(number) and trace.first_overflow() is not None:
        number = math.inf
    return f"{view.sign}{figures(number)}"


def pair(left: Viewable, right: Viewable) -> Viewable:
    """Two narrow controls side by side."""
    for view in (left, right):
        view.sizing_mode = None
        view.styles = {"flex": "1 1 0", "min-width": "0"}
    return pn.Row(left, right, sizing_mode="stretch_width", styles={"gap": "16px"}, margin=0)
