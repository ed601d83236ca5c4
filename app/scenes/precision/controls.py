"""The controls of the Precision scene."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn

from app.fields.precision import MOST_SEEDS, MOST_VALUES, VIEWS
from app.precision import OFFSETS
from app.strings import say
from app.views.choices import Buttons, Choices
from app.views.controls import GAP, control, put, watch
from app.views.prose import Prose
from app.views.slider import Slider
from kernels.precision import FORMATS

if TYPE_CHECKING:
    from app.scenes.precision.scene import PrecisionScene

# How many values can be drawn by the slider; a link or a script may ask for others.
LENGTHS = tuple(2**power for power in range(MOST_VALUES.bit_length()))


class Controls:
    """The view; row, offset and the two types; and the benchmark where that is shown."""

    def __init__(self, scene: PrecisionScene) -> None:
        """Make the widgets."""
        self.scene = scene
        self.view = Choices(
            label=say("precision_views"),
            shown=False,
            options=[[key, say(f"precision_view_{key}")] for key in VIEWS],
            columns=len(VIEWS),
            margin=GAP,
        )
        self.view.on("choose", lambda data: self.update(precision_view=data["key"]))
        self.make_row()
        select, types = pn.widgets.Select, list(FORMATS)
        self.offset = Slider(label=say("precision_offset"), end=len(OFFSETS) - 1, margin=GAP)
        self.storage, self.accumulation = (
            control(select, name=say(f"precision_{key}"), options=types)
            for key in ("storage", "accumulation")
        )
        watch(self.storage, lambda value: self.update(precision_storage=value))
        watch(self.accumulation, lambda value: self.update(precision_accumulation=value))
        watch(self.offset, self.take_offset)

    def make_row(self) -> None:
        """What the row is: typed, or drawn by a length and a seed."""
        text = pn.widgets.TextInput
        self.row = control(
            text, name=say("precision_row_typed", most=MOST_VALUES), margin=(0, 0, 8, 0)
        )
        self.seed = control(text, name=say("precision_seed"), margin=(0, 0, 8, 0))
        self.row_problem, self.seed_problem = Prose(), Prose()
        self.length = Slider(
            label=say("precision_length"), end=len(LENGTHS) - 1, margin=(0, 0, 8, 0)
        )
        draw = {"key": "draw", "text": say("precision_draw")}
        self.draw = Buttons(label=say("precision_row_drawn"), buttons=[draw], margin=GAP)
        self.draw.on("press", lambda data: self.draw_another())
        watch(self.row, self.take_row)
        watch(self.seed, self.take_seed)
        watch(self.length, self.take_length)

    def update(self, **patch: Any) -> None:
        """Set fields of the state."""
        self.scene.store.update(patch)

    def rounding_views(self) -> list[Any]:
        """From top to bottom, under the choice of the view."""
        row = [self.row, self.row_problem, self.length, self.seed, self.seed_problem, self.draw]
        return [*row, self.offset]

    def take_offset(self, position: int) -> None:
        """The slider has moved."""
        self.scene.store.update({"precision_offset": OFFSETS[position]}, dragging=True)

    def take_length(self, position: int) -> None:
        """As many values are drawn."""
        self.scene.store.update({"precision_length": LENGTHS[position]}, dragging=True)

    def take_row(self, text: str) -> None:
        """A row typed; where it is none, the row on show stays and the reason is told."""
        try:
            numbers = [float(word) for word in text.replace("−", "-").replace(",", " ").split()]
            if not numbers:
                raise ValueError("no number")
            self.update(precision_row=numbers)
            self.row_problem.put(html="")
        except ValueError:
            self.row_problem.put(html=refusal(say("precision_bad", most=MOST_VALUES)))

    def take_seed(self, text: str) -> None:
        """A seed typed; the row is drawn by it."""
        try:
            self.update(precision_seed=int(text))
            self.seed_problem.put(html="")
        except ValueError:
            self.seed_problem.put(html=refusal(say("precision_bad_seed", most=MOST_SEEDS)))

    def draw_another(self) -> None:
        """The next seed's row, so that what was there can be found again."""
        self.update(precision_seed=(self.scene.store["precision_seed"] + 1) % (MOST_SEEDS + 1))

    def show(self) -> None:
        """Let the controls say what the state is."""
        scene, store = self.scene, self.scene.store
        self.view.put(value=store["precision_view"])
        for problem in (self.row_problem, self.seed_problem):
            problem.put(html="")  # what was typed wrong is replaced below
        typed = bool(store["precision_row"])
        name = say("precision_row_typed", most=MOST_VALUES) if typed else say("precision_row_drawn")
        put(self.row, value=", ".join(f"{value:.10g}" for value in scene.row), name=name)
        length, seed = store["precision_length"], store["precision_seed"]
        put(self.seed, value=str(seed))
        self.length.put(position=nearest(length, LENGTHS), text=str(length))
        put(self.storage, value=store["precision_storage"])
        put(self.accumulation, value=store["precision_accumulation"])
        offset = store["precision_offset"]
        self.offset.put(position=nearest(offset, OFFSETS), text=f"{offset:.10g}")


def nearest(value: float, steps: tuple[float, ...]) -> int:
    """The position of the step nearest to a value that a link may have brought."""
    return min(range(len(steps)), key=lambda index: abs(steps[index] - value))


def refusal(text: str) -> str:
    """Why something typed was not taken."""
    return f"<p class='broken' role='alert'>{text}</p>"
