"""The controls of the Axes scene, each tied to one field of the state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
from panel.viewable import Viewable

from app.diagnosis import eps_note
from app.eps import EPS_STEPS, nearest_step, written
from app.fills import FILLS
from app.normalizers import groups_for, is_standard, over, title_of
from app.presets import PRESETS, preset_of
from app.scenes.axes.actions import NO_FAMILY
from app.strings import say
from app.tensor import shape_text
from app.views.controls import GAP, control, heading, put, quiet, watch
from app.views.panels import CodePanel, ImportPanel, ShapeControl
from app.views.prose import Prose
from app.views.slider import Slider
from kernels.axes import LAYOUTS, NORMALIZERS

if TYPE_CHECKING:
    from app.scenes.axes.scene import AxesScene

OWN = "own"
TIGHT = (0, 0, 8, 0)


class Controls:
    """Panel widgets and what they do."""

    def __init__(self, scene: AxesScene) -> None:
        """Make the widgets."""
        self.scene = scene
        actions = scene.actions
        select = pn.widgets.Select
        self.preset = control(select, name=say("tensor"), options={}, margin=TIGHT)
        self.layouts = control(select, name=say("layout"), options=list(LAYOUTS), margin=TIGHT)
        fills = {say("fill_choose"): "", **{say(row.name): key for key, row in FILLS.items()}}
        self.fill = control(select, name=say("fill"), options=fills, value="", margin=TIGHT)
        self.shape = ShapeControl(label=say("shape_label"), margin=TIGHT)
        self.normalizer = control(
            pn.widgets.RadioButtonGroup, options=[0], css_classes=["wrap"], margin=TIGHT
        )
        self.family = control(select, name=say("family"), options={}, margin=TIGHT)
        self.axes = control(
            pn.widgets.CheckButtonGroup, options={}, css_classes=["mono"], margin=TIGHT
        )
        self.groups = control(select, name=say("groups"), options=[1], margin=TIGHT)
        self.eps = Slider(label=say("eps"), end=len(EPS_STEPS) - 1, margin=(4, 0, 0, 0))
        self.eps_note = Prose()
        self.shown = self.taken = 0
        self.code = CodePanel()
        self.own = ImportPanel()
        watch(self.preset, self.choose_preset)
        watch(self.layouts, actions.choose_layout)
        watch(self.fill, self.choose_fill)
        watch(self.normalizer, self.choose_normalizer)
        watch(self.family, actions.choose_family)
        watch(self.axes, actions.choose_axes)
        watch(self.groups, actions.choose_groups)
        watch(self.eps, lambda step: actions.update(eps=EPS_STEPS[step]))
        self.shape.on("resize", lambda data: actions.resize(data["axis"], data["size"]))
        self.code.on("open", lambda data: self.show_code())
        self.own.on("text", lambda data: self.take_text(data["text"]))

    def layout(self) -> Viewable:
        """From the tensor to what is done to it."""
        return pn.Column(
            self.preset,
            pn.Row(self.layouts, self.fill, sizing_mode="stretch_width", css_classes=["pair"]),
            self.shape,
            pn.Row(
                self.own,
                self.code,
                sizing_mode="stretch_width",
                css_classes=["pair"],
                margin=GAP,
            ),
            heading(say("normalizer")),
            self.normalizer,
            pn.Row(self.family, self.groups, sizing_mode="stretch_width", css_classes=["pair"]),
            heading(say("reduce_over")),
            self.axes,
            self.eps,
            self.eps_note,
            sizing_mode="stretch_width",
        )

    # what a person does -------------------------------------------------------------------------

    def choose_preset(self, key: str) -> None:
        """A preset's tensor; one's own stays as it is."""
        if key != OWN:
            self.scene.actions.choose_preset(key)

    def choose_fill(self, key: str) -> None:
        """Fill once; the list goes back to its "…", so that the same can be chosen again."""
        if key:
            self.scene.actions.fill(key)
            with quiet.on():
                self.fill.value = ""

    def choose_normalizer(self, index: int) -> None:
        """Explain another normalizer, or add one."""
        if index == len(self.scene.store["compare"]):
            self.scene.actions.add_normalizer()
        else:
            self.scene.actions.update(selected=index)

    def show_code(self) -> None:
        """Write the code of the present computation and open its dialog."""
        from app.code import numpy_code, torch_code  # reads sources: only when it is asked for

        one, tensor, eps = self.scene.explained, self.scene.tensor, self.scene.store["eps"]
        self.code.put(numpy=numpy_code(one, tensor, eps), torch=torch_code(one, tensor, eps))
        self.shown += 1
        self.code.put(shown=self.shown)

    def take_text(self, text: str) -> None:
        """Pasted numbers."""
        problem = self.scene.open_text(text)
        self.taken += not problem
        self.own.put(problem=problem, taken=self.taken)

    # showing the state --------------------------------------------------------------------------

    def show(self, changed: frozenset[str]) -> None:
        """Let the controls say what the state is."""
        if "tensor" in changed:
            self.show_tensor()
        if changed & {"tensor", "compare", "selected"}:
            self.show_normalizers()
        if "eps" in changed:
            eps = self.scene.store["eps"]
            self.eps.put(position=nearest_step(eps), text=written(eps))
        note = eps_note(self.scene.explained, self.scene.place, self.scene.store["eps"])
        self.eps_note.put(html=f"<p class='note'>{note}</p>" if note else "")

    def show_tensor(self) -> None:
        """The preset, layout and shape."""
        tensor = self.scene.tensor
        key = preset_of(tensor) or OWN
        options = {
            f"{preset.title} · {shape_text(preset.tensor.values.shape)}": name
            for name, preset in PRESETS.items()
        }
        if key == OWN:
            options[f"{say('own_tensor')} · {shape_text(tensor.values.shape)}"] = OWN
        put(self.preset, options=options, value=key)
        put(self.layouts, value=tensor.layout)
        self.shape.put(shape=list(tensor.values.shape), names=list(tensor.names))

    def show_normalizers(self) -> None:
        """Who is compared, who is explained, over what."""
        scene, tensor = self.scene, self.scene.tensor
        layout = LAYOUTS[tensor.layout]
        compare = scene.store["compare"]
        item = compare[scene.selected]
        options = {title: index for index, title in enumerate(titles_of(compare, tensor))}
        colours = [f"c{index}-{one.colour}" for index, one in enumerate(scene.normalized)]
        if len(compare) < 3:
            options["+"] = len(compare)
        put(self.normalizer, options=options, value=scene.selected, css_classes=["wrap", *colours])
        families = {
            family_title(key, layout): key
            for key, row in NORMALIZERS.items()
            if is_offered(key, layout)
        }
        if len(compare) > 1:
            families[say("family_none")] = NO_FAMILY
        put(self.family, options=families, value=item.family)
        axes = {name: axis for axis, name in enumerate(tensor.names)}
        put(self.axes, options=axes, value=list(item.reduced(layout.name)))
        channels = tensor.values.shape[layout.channel]
        divisors = [number for number in range(1, min(channels, 64) + 1) if channels % number == 0]
        grouped = NORMALIZERS[item.family].grouped and is_standard(item, layout)
        put(self.groups, options=divisors, value=groups_for(item, tensor), visible=bool(grouped))


def is_offered(family: str, layout: object) -> bool:
    """Whether a family differs, in a layout, from those above it in the table."""
    row = NORMALIZERS[family]
    axes = row.axes(layout)  # type: ignore[arg-type]
    for other, above in NORMALIZERS.items():
        if other == family:
            return True
        same = above.kernel == row.kernel and above.axes(layout) == axes  # type: ignore[arg-type]
        if same:
            return False
    return True


def family_title(family: str, layout: object) -> str:
    """A family's name, with its axes where two share the name."""
    row = NORMALIZERS[family]
    alike = [key for key, other in NORMALIZERS.items() if other.kernel == row.kernel]
    if len(alike) < 2:
        return row.title
    names = [layout.axis_names[axis] for axis in row.axes(layout)]  # type: ignore[attr-defined, arg-type]
    return f"{row.title} ({', '.join(names)})"


def titles_of(compare: tuple[Any, ...], tensor: Any) -> list[str]:
    """The names of the normalizers, told apart where two are the same."""
    layout = LAYOUTS[tensor.layout]
    titles = [title_of(item, layout) for item in compare]
    told = [
        f"{title} {over(item, tensor)}" if titles.count(title) > 1 else title
        for title, item in zip(titles, compare, strict=True)
    ]
    return [f"{title}{chr(0x200B) * told[:index].count(title)}" for index, title in enumerate(told)]
