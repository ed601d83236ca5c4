"""The controls of a BatchNorm layer that several stories share: how momentum is read, and ε."""

from __future__ import annotations

from panel.viewable import Viewable

from app.batch.conventions import CONVENTIONS
from app.batch.momenta import MOMENTA, nearest_momentum
from app.eps import EPS_STEPS, nearest_step, written
from app.scenes.batch.story import LAYER, Story
from app.strings import say
from app.views.choices import Choices
from app.views.controls import boxed, put, watch
from app.views.prose import Prose
from app.views.slider import Slider

TIGHT = (0, 0, 10, 0)
SLIDER_GAP = (0, 0, 2, 0)  # a range input has room of its own around it


class LayerControls:
    """A choice and two sliders, tied to the fields of the layer."""

    def __init__(self, story: Story, momentum: bool = True) -> None:
        """With or without what concerns running statistics."""
        self.story = story
        self.with_momentum = momentum
        self.convention = Choices(
            label=say("batch_convention"),
            options=[[key, say(f"batch_convention_{key}")] for key in CONVENTIONS],
            columns=3,
            margin=TIGHT,
        )
        self.momentum = Slider(label=say("batch_momentum"), end=len(MOMENTA) - 1, margin=SLIDER_GAP)
        self.number = boxed(self.momentum)
        self.weights = Prose(margin=TIGHT)
        self.eps = Slider(label=say("eps"), end=len(EPS_STEPS) - 1, margin=SLIDER_GAP)
        self.convention.on("choose", lambda data: story.set(batch_convention=data["key"]))
        watch(self.momentum, lambda new: story.drag(batch_momentum=MOMENTA[new]))
        watch(self.eps, lambda new: story.drag(batch_eps=EPS_STEPS[new]))

    def parts(self) -> list[Viewable]:
        """What stands in the controls."""
        if self.with_momentum:
            return [self.convention, self.number, self.weights, self.eps]
        return [self.eps]

    def show(self, changed: frozenset[str]) -> None:
        """Let the controls say what the state is."""
        if not changed & LAYER:
            return
        settings = self.story.settings
        put(self.eps, position=nearest_step(settings.eps), text=written(settings.eps))
        if not self.with_momentum:
            return
        self.convention.put(value=settings.convention)
        put(self.momentum, position=nearest_momentum(settings.momentum))
        put(self.momentum, text=f"{settings.momentum:g}")
        put(self.number, visible=not settings.rule.cumulative)
        self.weights.put(html=f"<p class='hint'>{self.hint()}</p>")

    def hint(self) -> str:
        """What the number weighs, and how the same update is written elsewhere."""
        settings = self.story.settings
        return say(
            f"batch_hint_{settings.convention}",
            momentum=f"{settings.momentum:g}",
            other=f"{1 - settings.momentum:.12g}",
        )
