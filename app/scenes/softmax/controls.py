"""The controls of the Softmax scene, each tied to one field of the state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import panel as pn
from panel.viewable import Viewable

from app.eps import EPS_STEPS, nearest_step, written
from app.softmax.captions import key_name
from app.softmax.digits import significant
from app.softmax.presets import SOFTMAX_PRESETS, preset_of
from app.softmax.scales import CAP_STEPS, SCALE_STEPS, TEMPERATURE_STEPS, nearest
from app.strings import say
from app.views.controls import control, heading, put, watch
from app.views.panels import ShapeControl
from app.views.slider import Slider

if TYPE_CHECKING:
    from app.scenes.softmax.scene import SoftmaxScene

OWN = "own"
TIGHT = (0, 0, 6, 0)
LAST_POSITION = 64
ONE = "1"  # the factor on q·k as an option of a list: options are texts
ROOT = "root"


class Controls:
    """Panel widgets and what they do."""

    def __init__(self, scene: SoftmaxScene) -> None:
        """Make the widgets."""
        self.scene = scene
        self.make_score_controls()
        self.make_softmax_controls()
        self.watch_all()

    def make_score_controls(self) -> None:
        """What makes the scores."""
        select, buttons = pn.widgets.Select, pn.widgets.RadioButtonGroup
        self.preset = control(select, name=say("softmax_preset"), options={}, margin=TIGHT)
        self.shape = ShapeControl(label=say("softmax_shape"), margin=TIGHT)
        self.head = control(buttons, options=[0], margin=TIGHT)
        self.scale = Slider(label=say("softmax_scale"), end=len(SCALE_STEPS) - 1, margin=TIGHT)
        self.factor = control(select, name=say("softmax_factor"), options=[], margin=TIGHT)
        norms = {say("softmax_norm_off"): "off"}
        norms |= {say(f"softmax_norm_short_{key}"): key for key in ("rms", "layer", "l2")}
        self.norm = control(
            buttons,
            options=norms,
            css_classes=["norms"],
            margin=TIGHT,
        )
        over = {say(f"softmax_over_{key}"): key for key in ("head", "all_heads")}
        self.norm_over = control(buttons, options=over, margin=TIGHT)
        self.eps = Slider(label=say("softmax_eps"), end=len(EPS_STEPS) - 1, margin=TIGHT)
        ropes = ("off", "norm_then_rope", "rope_then_norm")
        self.rope = control(
            select,
            name=say("softmax_rope"),
            options={say(f"softmax_rope_{key}"): key for key in ropes},
            margin=TIGHT,
        )
        self.position = Slider(label=say("softmax_position"), end=LAST_POSITION, margin=TIGHT)
        self.eps_box, self.position_box = (
            pn.Column(slider, sizing_mode="stretch_width", margin=0)
            for slider in (self.eps, self.position)
        )

    def make_softmax_controls(self) -> None:
        """What stands between scores and softmax."""
        self.cap = Slider(label=say("softmax_cap"), end=len(CAP_STEPS) - 1, margin=TIGHT)
        orders = {say(f"softmax_{key}"): key for key in ("before_mask", "after_mask")}
        self.cap_order = control(pn.widgets.RadioButtonGroup, options=orders, margin=TIGHT)
        self.temperature = Slider(
            label=say("softmax_temperature"), end=len(TEMPERATURE_STEPS) - 1, margin=TIGHT
        )
        self.mask = control(
            pn.widgets.CheckButtonGroup, options={}, css_classes=["mono"], margin=TIGHT
        )

    def watch_all(self) -> None:
        """Tie each widget to its field."""
        actions = self.scene.actions
        watch(self.preset, actions.choose_preset)
        watch(self.head, lambda head: actions.update(softmax_head=head))
        watch(self.norm, lambda norm: actions.update(softmax_norm=norm))
        watch(self.norm_over, lambda over: actions.update(softmax_norm_over=over))
        watch(self.rope, lambda rope: actions.update(softmax_rope=rope))
        watch(self.factor, self.choose_factor)
        watch(self.cap_order, lambda order: actions.update(softmax_cap_order=order))
        watch(self.mask, lambda keys: actions.update(softmax_masked=keys))
        self.slide(self.scale, "softmax_scale", SCALE_STEPS)
        self.slide(self.eps, "softmax_eps", EPS_STEPS)
        self.slide(self.cap, "softmax_cap", CAP_STEPS)
        self.slide(self.temperature, "softmax_temperature", TEMPERATURE_STEPS)
        self.slide(self.position, "softmax_position", tuple(range(LAST_POSITION + 1)))
        self.shape.on("resize", lambda data: actions.resize(data["axis"], data["size"]))

    def slide(self, slider: Slider, field: str, steps: tuple[float, ...]) -> None:
        """A slider over a table of values."""
        actions = self.scene.actions
        watch(slider, lambda step: actions.update(**{field: steps[step]}))

    def choose_factor(self, key: str) -> None:
        """With √d_k, without, or what a link or a model brought."""
        if key in (ONE, ROOT):
            self.scene.actions.update(softmax_factor=1.0 if key == ONE else None)

    def layout(self) -> Viewable:
        """From the vectors to the softmax."""
        pair = {"sizing_mode": "stretch_width", "css_classes": ["pair"]}
        return pn.Column(
            self.preset,
            self.shape,
            self.head,
            self.scale,
            heading(say("softmax_norm")),
            self.norm,
            self.norm_over,
            self.eps_box,
            pn.Row(self.factor, self.rope, **pair),
            self.position_box,
            self.cap,
            self.cap_order,
            heading(say("softmax_mask")),
            self.mask,
            self.temperature,
            sizing_mode="stretch_width",
        )

    # showing the state --------------------------------------------------------------------------

    def show(self, changed: frozenset[str]) -> None:
        """Let the controls say what the state is."""
        if any(name.startswith("softmax_") for name in changed):
            self.show_preset()
        if changed & {"softmax_vectors", "softmax_heads", "softmax_head", "softmax_masked"}:
            self.show_shape()
        if changed & {"softmax_norm", "softmax_norm_over", "softmax_heads", "softmax_rope"}:
            self.show_choices()
        if "softmax_factor" in changed:
            self.show_factor()
        self.show_sliders(changed)

    def show_preset(self) -> None:
        """The start that the state still is, or one's own."""
        key = preset_of(self.scene.store.values) or OWN
        options = {say(f"softmax_preset_{name}"): name for name in SOFTMAX_PRESETS}
        if key == OWN:
            options[say("softmax_preset_own")] = OWN
        put(self.preset, options=options, value=key)

    def show_shape(self) -> None:
        """Keys, features, heads; which head is on show, which keys are masked."""
        store, problem = self.scene.store, self.scene.problem
        heads, keys = store["softmax_heads"], len(problem.visible)
        self.shape.put(
            shape=[keys, problem.head_dim, heads],
            names=[say(f"softmax_axis_{name}") for name in ("keys", "features", "heads")],
        )
        names = {say("softmax_head_name", index=index): index for index in range(heads)}
        if heads > 3:
            names = {str(index): index for index in range(heads)}
        put(self.head, options=names, value=store["softmax_head"], visible=heads > 1)
        put(
            self.mask,
            css_classes=["mono", *(["many"] if keys > 4 else [])],
            options={key_name(key): key for key in range(keys)},
            value=list(store["softmax_masked"]),
        )

    def show_choices(self) -> None:
        """The norm, what it is taken over, the rotation."""
        store = self.scene.store
        normed = store["softmax_norm"] != "off"
        put(self.norm, value=store["softmax_norm"])
        put(
            self.norm_over,
            value=store["softmax_norm_over"],
            visible=normed and store["softmax_heads"] > 1,
        )
        put(self.eps_box, visible=normed)
        put(self.rope, value=store["softmax_rope"])
        put(self.position_box, visible=store["softmax_rope"] != "off")

    def show_factor(self) -> None:
        """The factor on q·k; one that is neither of the two is an option of its own."""
        factor = self.scene.store["softmax_factor"]
        options = {say("softmax_factor_root"): ROOT, say("softmax_factor_one"): ONE}
        key = ROOT if factor is None else ONE
        if factor not in (None, 1.0):
            options[say("softmax_factor_other", factor=significant(factor))] = key = OWN
        put(self.factor, options=options, value=key)

    def show_sliders(self, changed: frozenset[str]) -> None:
        """Each slider at the step nearest to its value, which stands beside it."""
        store = self.scene.store
        if "softmax_scale" in changed:
            scale = store["softmax_scale"]
            self.scale.put(position=nearest(SCALE_STEPS, scale), text=f"×{significant(scale, 4)}")
        if "softmax_eps" in changed:
            eps = store["softmax_eps"]
            self.eps.put(position=nearest_step(eps), text=written(eps))
        if "softmax_position" in changed:
            position = store["softmax_position"]
            self.position.put(position=min(position, LAST_POSITION), text=str(position))
        if "softmax_cap" in changed:
            cap = store["softmax_cap"]
            text = significant(cap) if cap else say("softmax_cap_off")
            self.cap.put(position=nearest(CAP_STEPS, cap), text=text)
            put(self.cap_order, visible=cap > 0)
        if "softmax_cap_order" in changed:
            put(self.cap_order, value=store["softmax_cap_order"])
        if "softmax_temperature" in changed:
            temperature = store["softmax_temperature"]
            self.temperature.put(
                position=nearest(TEMPERATURE_STEPS, temperature), text=significant(temperature)
            )
