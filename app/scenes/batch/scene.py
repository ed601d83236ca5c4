"""The Batch scene put together: seven stories about one normalizer that looks at its neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import panel as pn
from panel.viewable import Viewable

from app.fields.batch import STORIES
from app.scenes.batch.microbatches import MicrobatchStory
from app.scenes.batch.padding import PaddingStory
from app.scenes.batch.server import ServerStory
from app.scenes.batch.shift import ShiftStory
from app.scenes.batch.single import SingleStory
from app.scenes.batch.story import Story
from app.scenes.batch.train import TrainStory
from app.scenes.batch.workers import WorkerStory
from app.scenes.scene import Scene
from app.strings import say
from app.views.choices import Choices
from app.views.controls import put, quiet

if TYPE_CHECKING:
    from app.application import Application

STORY_CLASSES: dict[str, type[Story]] = {
    "train": TrainStory,
    "single": SingleStory,
    "microbatches": MicrobatchStory,
    "padding": PaddingStory,
    "workers": WorkerStory,
    "server": ServerStory,
    "shift": ShiftStory,
}


class BatchScene(Scene):
    """Shows one story at a time; each is made when it is first asked for."""

    key = "batch"

    def __init__(self, application: Application) -> None:
        """Make the frame, and the choice of stories."""
        super().__init__(application)
        self.made: dict[str, Story] = {}
        self.choices = Choices(
            label=say("batch_stories"),
            shown=False,
            options=[[key, say(f"batch_story_{key}")] for key in STORIES],
            margin=(0, 0, 12, 0),
        )
        self.choices.on("choose", lambda data: self.choose(data["key"]))
        self.places = {
            place: pn.Column(sizing_mode="stretch_width")
            for place in ("controls", "stage", "results")
        }
        self.places["controls"].append(self.choices)

    def layout(self) -> dict[str, Viewable]:
        """Controls at the left, the story in the middle, its outcome at the right."""
        return dict(self.places)

    def choose(self, key: str) -> None:
        """Another story; the rest of the state stays."""
        self.store.update({"batch_story": key})

    @property
    def story(self) -> Story:
        """The story on show, made when it is first asked for."""
        key = self.store["batch_story"]
        if key not in self.made:
            self.made[key] = STORY_CLASSES[key](self)
            for place, column in self.made[key].places.items():
                self.places[place].append(column)
        return self.made[key]

    def compute(self, changed: frozenset[str]) -> None:
        """Let the story on show run its kernels; the others remember what they missed."""
        for story in self.made.values():
            story.stale |= changed
        self.story.compute(self.story.stale)

    def show(self, changed: frozenset[str]) -> None:
        """Show the story, and hide the others."""
        current = self.story
        with quiet.on():
            self.choices.put(value=current.key)
            for story in self.made.values():
                if story is not current:
                    story.leave()
                for column in story.places.values():
                    put(column, visible=story is current)
            current.show(current.stale)
        current.stale = frozenset()

    def outputs(self) -> dict[str, Any]:
        """The story and its numbers."""
        return {"story": self.story.key, **self.story.outputs()}
