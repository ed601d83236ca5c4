"""The Placement scene put together: what runs when, and what it tells its three parts."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from panel.viewable import Viewable

from app.fields.placement import NO_QK_NORM
from app.placement.ahead import Step, run_ahead, settings_after
from app.placement.backend import NumpyBackend
from app.placement.catalogue import key_of, opposite
from app.placement.graphics import GraphicsBackend
from app.placement.head import Head, read
from app.placement.outputs import outputs_of
from app.placement.runner import SLICE, Runner
from app.placement.steps import nearest
from app.placement.training import Training
from app.scenes.placement.controls import Controls
from app.scenes.placement.results import Results
from app.scenes.placement.stage import Stage
from app.scenes.scene import Scene
from app.strings import say
from app.views.controls import quiet
from kernels.placements import Placement
from kernels.residual import StackTrace
from kernels.stack_settings import StackSettings

if TYPE_CHECKING:
    from app.application import Application

# Keys of the background.
STACK, AHEAD, TRAINING = "placement stack", "placement ahead", "placement training"

# What a stack's numbers follow from.
STACK_FIELDS = frozenset(
    {
        "placement",
        "placement_norm",
        "placement_depth",
        "placement_width",
        "placement_heads",
        "placement_tokens",
        "placement_gain",
        "placement_residual_scaling",
        "placement_qk_norm",
        "placement_qk_norm_over_heads",
        "placement_soft_cap",
        "placement_eps",
        "placement_shared_layers",
        "placement_seed",
        "backend",
    }
)

# Changes that are not fields: the results are others, that of one more placement came, it is the
# opposite's, the bar moved, a model learned more, a curve is pointed at.
RESULTS, ONE_MORE, OPPOSITE = "results", "one more", "opposite"
PROGRESS, LEARNED, POINTED = "progress", "learned", "pointed"

# An edit that has no result for the chosen placement computes for so many seconds before it shows
# what there is, and longer if that finishes it: a curve must follow a slider. The rest comes in
# slices.
AT_ONCE, FOR_CHOSEN = 0.006, 0.15
# Results of the background that come within so many seconds are shown together: each showing paints
# every plot.
TOGETHER = 0.06
# Readings of the head that are kept for who goes back and forth.
HEADS = 16
# The page paints what an edit has shown for about so long; on two cores nothing else should run.
PAINTING = 0.03


class PlacementScene(Scene):
    """Reads the store, runs the stacks, and lets its three parts show them."""

    key = "placement"

    def __init__(self, application: Application) -> None:
        """Make the parts."""
        super().__init__(application)
        numpy = NumpyBackend()
        self.graphics = GraphicsBackend(numpy)
        self.runner = Runner((self.graphics, numpy))
        self.training = Training()
        self.pointed = ""
        self._named: tuple[Placement | None, str] = (None, "")  # the placement whose key was asked
        self._heads: dict[StackSettings, tuple[StackTrace, Head]] = {}  # the newest last
        self._step: Step | None = None  # a slider's, until what it asks for is begun
        self._came: set[str] = set()  # what came at once with an edit and is not shown yet
        self.parts = (Controls(self), Stage(self), Results(self))

    def layout(self) -> dict[str, Viewable]:
        """Settings at the left, the block and the curves in the middle, the head at the right."""
        controls, stage, results = (part.layout() for part in self.parts)
        return {"controls": controls, "stage": stage, "results": results}

    # what the parts read ------------------------------------------------------------------------

    @property
    def placement(self) -> Placement:
        """The chosen placement."""
        return self.store["placement"]

    @property
    def chosen(self) -> str:
        """Its key in the list."""
        placement = self.placement
        if placement is not self._named[0]:
            self._named = placement, key_of(placement)
        return self._named[1]

    @property
    def opposite(self) -> str:
        """The key of the placement it is held against."""
        return opposite(self.placement)

    @property
    def settings(self) -> StackSettings:
        """What the chosen placement is computed with; ValueError where that is too large."""
        store = self.store
        qk_norm = store["placement_qk_norm"]
        return StackSettings(
            store["placement"],
            store["placement_norm"],
            store["placement_depth"],
            store["placement_width"],
            store["placement_tokens"],
            heads=store["placement_heads"],
            seed=store["placement_seed"],
            gain=store["placement_gain"],
            residual_scaling=store["placement_residual_scaling"],
            shared_layers=store["placement_shared_layers"],
            qk_norm=None if qk_norm == NO_QK_NORM else qk_norm,
            qk_norm_over_heads=store["placement_qk_norm_over_heads"],
            soft_cap=store["placement_soft_cap"] or None,
            eps=store["placement_eps"],
        )

    @property
    def head(self) -> Head | None:
        """What the head reads from the chosen stack; read once a result."""
        trace = self.runner.chosen
        return None if trace is None else self.head_of(trace)

    def head_of(self, trace: StackTrace) -> Head:
        """What the head reads from a stack; the newest readings are kept."""
        held = self._heads.get(trace.settings)
        if held is None or held[0] is not trace:
            held = self._heads[trace.settings] = trace, read(trace)
            while len(self._heads) > HEADS:
                del self._heads[next(iter(self._heads))]
        return held[1]

    # what a person does -------------------------------------------------------------------------

    def set(self, **patch: Any) -> None:
        """A control was used."""
        if not quiet():
            self.store.update(patch)

    def step(self, name: str, values: Sequence[float], position: int) -> None:
        """A slider of the stack was moved, to one of the values it stops at."""
        self._step = Step(name, values, nearest(values, self.store[name]), position)
        self.set(**{name: values[position]})
        self._step = None

    def point(self, key: str) -> None:
        """The pointer or the focus is on a placement of the list: its curve comes forward."""
        self.pointed = key
        self.show(frozenset({POINTED}))

    def press_run(self) -> None:
        """The button beside the progress of the stacks: stop, or go on."""
        background = self.application.background
        if self.runner.busy:
            if background is not None:
                background.stop(STACK)
                background.stop(AHEAD)
            self.runner.stop()
        else:
            self.runner.resume()
            self.work(0.0, 0.0)
        self.show(frozenset({RESULTS, PROGRESS}))

    def press_training(self) -> None:
        """The button beside the progress of training: start, stop, go on, or again."""
        background = self.application.background
        if self.training.going:
            self.training.going = False
            if background is not None:
                background.stop(TRAINING)
        else:
            self.training.start()
            if background is None:
                for _ in self.training.steps():
                    pass
            else:
                background.start(TRAINING, self.trained())
        self.show(frozenset({LEARNED}))

    # compute ------------------------------------------------------------------------------------

    def compute(self, changed: frozenset[str]) -> None:
        """Run what the changed fields touch: the chosen placement at once if it is quick."""
        background = self.application.background
        came_back = "scene" in changed and self.runner.busy
        if changed & STACK_FIELDS or came_back:
            if background is not None:
                background.stop(STACK)
                background.stop(AHEAD)
            try:
                self.runner.begin(self.settings)
            except ValueError as error:
                self.runner.refuse(say("place_too_large", reason=error))
            else:
                if self.runner.chosen is not None:
                    self.work(0.0, 0.0)
                else:
                    quick = self.runner.seconds_to_chosen < FOR_CHOSEN
                    self.work(AT_ONCE, FOR_CHOSEN if quick else AT_ONCE)
                if background is not None and self._step is not None:
                    background.start(AHEAD, self.ahead(self._step))
        dropped = self.training.fit(self.store["placement_norm"], self.store["placement_seed"])
        if dropped and background is not None:
            background.stop(TRAINING)

    def work(self, at_once: float, for_chosen: float) -> None:
        """Run for some seconds, longer for the chosen placement; the background does the rest."""
        if not self.runner.busy:
            return
        steps = self.runner.steps()
        background = self.application.background
        began = time.perf_counter()
        while background is None or time.perf_counter() - began < (
            at_once if self.runner.chosen else for_chosen
        ):
            step: Any = next(steps, self)
            if step is self:
                return
            if isinstance(step, Awaitable):
                steps = chain((step,), steps)
                break
            self._came.update(self.news(step))
        if background is not None:
            background.start(STACK, self.paced(steps))

    def paced(self, steps: Iterator[Any]) -> Iterator[Awaitable[object] | float | None]:
        """The rest of the work for the background, shown as it comes, left with the scene."""
        yield PAINTING
        shown, news = time.perf_counter(), {PROGRESS}
        for step in steps:
            if isinstance(step, Awaitable):
                yield step
                continue
            if self.store["scene"] != self.key:
                return
            news.update(self.news(step))
            if RESULTS in news or time.perf_counter() - shown > TOGETHER:
                self.show(frozenset(news))
                shown, news = time.perf_counter(), {PROGRESS}
            yield None
        self.show(frozenset(news))

    def ahead(self, step: Step) -> Iterator[float | None]:
        """The slider's next steps and their heads: the likelier one soon, the other at the end."""
        yield PAINTING
        for likely, settings in zip(
            (True, False), settings_after(step, self.runner.settings), strict=False
        ):
            while self.runner.busy and not likely:
                yield TOGETHER
            began = time.perf_counter()
            for _ in run_ahead(self.runner.backends, settings, self.head_of):
                if time.perf_counter() - began > SLICE:
                    yield None
                    began = time.perf_counter()
            if self.store["scene"] != self.key:
                return
            yield None

    def news(self, step: str | None) -> tuple[str, ...]:
        """What the result of a placement changes on the page; None is a slice without one."""
        if step is None:
            return ()
        if self.runner.last is not None:
            self.application.ran(self.runner.last.title, self.runner.last.seconds * 1000)
        if step == self.chosen:
            return (RESULTS,)
        return (ONE_MORE, OPPOSITE) if step == self.opposite else (ONE_MORE,)

    def trained(self) -> Iterator[None]:
        """Training for the background, shown a few times a second, stopped with the scene."""
        for drawn in self.training.steps():
            if self.store["scene"] != self.key:
                self.training.going = False
            if drawn:
                self.show(frozenset({LEARNED}))
            yield None
        self.show(frozenset({LEARNED}))

    def graphics_came(self) -> None:
        """What is still to be run may run on the graphics processor."""
        wanted = self.runner.missing or self.store["backend"] == "webgpu"
        if wanted and self.store["scene"] == self.key:
            self.compute(STACK_FIELDS)
            self.show(STACK_FIELDS)

    # show ---------------------------------------------------------------------------------------

    def show(self, changed: frozenset[str]) -> None:
        """One update a view."""
        changed |= self._came
        self._came.clear()
        if changed & STACK_FIELDS:
            changed |= {RESULTS, PROGRESS}
        with quiet.on():
            for part in self.parts:
                part.show(changed)

    def outputs(self) -> dict[str, Any]:
        """The numbers of every placement that is through, of the block, the head and training."""
        store = self.store
        return {
            "chosen": self.chosen,
            "opposite": self.opposite,
            "places": list(self.placement.places),
            "parallel": self.placement.parallel,
            **outputs_of(
                self.runner,
                self.training,
                self.head,
                gradient=store["placement_view"] == "gradient",
                block=store["placement_block"],
            ),
        }
