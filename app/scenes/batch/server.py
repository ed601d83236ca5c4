"""A decode server: your request repeats one token while others come and go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from bokeh.models import Range1d
from panel.viewable import Viewable

from app.batch.presets import TOKENS
from app.batch.server import KINDS, SCRIPT, Replay, batch_at, moved, replay, steps_of
from app.numbers import short
from app.scenes.batch.editing import TensorEditor
from app.scenes.batch.layer import TIGHT, LayerControls
from app.scenes.batch.server_views import MEMBERS, OutputCurves, RequestBars
from app.scenes.batch.story import Story, next_seed
from app.views.choices import Buttons, Choices
from app.views.controls import beside, heading, put, quiet, watch
from app.views.slider import Slider
from app.views.table import Table
from app.views.tensor_grid import NormCard, TensorGrid

REPLAYED = frozenset({"batch_traffic", "batch_seed", "batch_token", "batch_eps"})
PACE = 0.6  # seconds a step while playing
PLAYING = "batch_server"  # its key among the page's background work


class ServerStory(Story):
    """The same token, other neighbours."""

    key = "server"

    def make(self) -> None:
        """Make controls and views."""
        self.playing = False
        self.traffic = Choices(
            label=self.say("traffic"),
            options=[[key, self.say(f"traffic_{key}")] for key in KINDS],
            columns=1,
            margin=TIGHT,
        )
        self.new = Buttons(label=self.say("traffic"), margin=TIGHT)
        self.layer = LayerControls(self, momentum=False)
        self.grid = TensorGrid(words={"both": "", "range": ""}, label=self.say("yours"))
        self.editor = TensorEditor(self.store, "batch_token", self.grid)
        self.player = Buttons(
            label=self.say("player"),
        )
        self.step = Slider(label=self.say("step"))
        self.batch = Table(caption=self.say("batch"))
        self.steps_shown = Range1d(-0.7, 1.0)
        self.curves = OutputCurves(self.steps_shown)
        self.bars = RequestBars(self.steps_shown)
        self.cards = {key: NormCard(colour=token) for key, token, _ in MEMBERS}
        self.traffic.on("choose", lambda data: self.choose_traffic(data["key"]))
        self.new.on("press", lambda data: self.restart(batch_seed=next_seed(self.store)))
        self.player.on("press", lambda data: self.press(data["key"]))
        watch(self.step, lambda new: self.scrub(new, dragging=True))

    def controls(self) -> list[Viewable]:
        """The traffic, and ε."""
        return [self.traffic, self.new, *self.layer.parts()]

    def stage(self) -> list[Viewable]:
        """Your token, its output along the hour, who was there, and the batch of this step."""
        return [
            beside((self.player, "0 0 auto"), (self.step, "1 1 200px")),
            self.curves.layout(),
            self.bars.layout(),
            beside((self.grid, "0 1 auto"), (self.batch, "1 1 280px")),
        ]

    def results(self) -> list[Viewable]:
        """Your token's output at this step."""
        return [heading(self.say("results")), *self.cards.values()]

    # what a person does -------------------------------------------------------------------------

    def choose_traffic(self, key: str) -> None:
        """Other traffic; the seeds' three batches bring their own token of one feature."""
        token = TOKENS["script" if key == SCRIPT else "hour"]
        fits = (self.store["batch_token"].values.size == 1) == (key == SCRIPT)
        kept = {} if fits else {"batch_token": token}
        self.restart(batch_traffic=key, **kept)

    def restart(self, **patch: Any) -> None:
        """From the first step."""
        self.pause()
        self.set(**patch, batch_step=0)

    def press(self, key: str) -> None:
        """Play or pause, a step back, a step on."""
        if key == "play":
            if self.playing:
                self.pause()
                self.show_player()
            else:
                self.play()
        else:
            self.scrub(self.store["batch_step"] + (1 if key == "on" else -1), dragging=False)

    def scrub(self, step: int, dragging: bool) -> None:
        """Show another step; this ends playing."""
        self.pause()
        step = max(0, min(step, self.last))
        if step == self.store["batch_step"]:
            self.show_player()
        self.store.update({"batch_step": step}, dragging)

    def play(self) -> None:
        """Step on until the end, or until somebody does something else."""
        background = self.scene.application.background
        if background is None:
            return
        if self.store["batch_step"] == self.last:
            self.set(batch_step=0)
        self.playing = True
        self.show_player()
        background.start(PLAYING, self.steps())

    def steps(self) -> Iterator[float]:
        """One step a pause, as long as the story is on show."""
        while self.store["batch_step"] < self.last:
            yield PACE
            if not self.on_show:
                break
            self.drag(batch_step=min(self.store["batch_step"] + 1, self.last))
        self.playing = False
        self.show_player()

    @property
    def on_show(self) -> bool:
        """Whether anybody sees the story."""
        return self.store["scene"] == self.scene.key and self.store["batch_story"] == self.key

    def pause(self) -> None:
        """Stop playing."""
        background = self.scene.application.background
        if self.playing and background is not None:
            background.stop(PLAYING)
        self.playing = False

    def leave(self) -> None:
        """Nothing plays where nobody looks."""
        self.pause()

    # compute and show ---------------------------------------------------------------------------

    @property
    def last(self) -> int:
        """The last step."""
        return steps_of(self.store["batch_traffic"]) - 1

    @property
    def token(self) -> np.ndarray:
        """Your token, shape ``[d]``."""
        return self.store["batch_token"].values[0]

    @property
    def feature(self) -> int:
        """The feature of the cursor."""
        return self.editor.place[1]

    def compute(self, changed: frozenset[str]) -> None:
        """Serve the hour, and take the batch of this step out of it."""
        store = self.store
        if changed & REPLAYED:
            self.replay: Replay = replay(
                store["batch_traffic"], store["batch_seed"], self.token, store["batch_eps"]
            )
        if changed & (REPLAYED | {"batch_step"}):
            self.rows, self.others = batch_at(store["batch_step"], self.token, self.replay.requests)

    def show(self, changed: frozenset[str]) -> None:
        """One update a view."""
        self.layer.show(changed)
        self.show_player()
        if changed & {"batch_traffic", "batch_seed"}:
            self.traffic.put(value=self.store["batch_traffic"])
            scripted = self.store["batch_traffic"] == SCRIPT
            seed = self.say("seed", seed=self.store["batch_seed"])
            self.new.put(
                buttons=[{"key": "new", "text": self.say("new"), "disabled": scripted}],
                text="" if scripted else seed,
            )
        size = self.store["batch_token"].values.size
        groups = np.zeros(size, np.int32)
        self.editor.show_tensor(
            changed, groups=groups, colours=["ln"], names=["", "f"], label=self.say("yours")
        )
        self.show_words()
        self.show_batch()
        if changed & (REPLAYED | {"batch_cell"}):
            self.curves.show(self.replay, self.feature)
        if changed & {"batch_traffic", "batch_seed"}:
            self.bars.show(self.replay)
            self.steps_shown.end = self.last + 0.7
        self.curves.mark(self.store["batch_step"])
        self.bars.mark(self.store["batch_step"])
        self.show_cards()

    def show_player(self) -> None:
        """Where one is, and what can be done."""
        step = self.store["batch_step"]
        self.player.put(
            buttons=[
                {
                    "key": "play",
                    "text": self.say("pause" if self.playing else "play"),
                    "main": True,
                },
                {"key": "back", "text": self.say("back"), "disabled": step == 0},
                {"key": "on", "text": self.say("on"), "disabled": step == self.last},
            ]
        )
        with quiet.on():
            text = self.say("step_text", step=step, last=self.last)
            put(self.step, end=self.last, position=step, text=text)

    def show_words(self) -> None:
        """Your token's output now and a step ago, and how far it moves over the hour."""
        step, feature, found = self.store["batch_step"], self.feature, self.replay
        now = short(float(found.batch_norm[step, feature]))
        others = len(self.others)
        if others == 0:
            lead = self.say("lead_alone", feature=feature, now=now)
        elif step == 0:
            lead = self.say("lead_first", feature=feature, now=now, others=counted(others))
        else:
            before = short(float(found.batch_norm[step - 1, feature]))
            lead = self.say("lead", feature=feature, now=now, before=before, others=counted(others))
        column = found.batch_norm[:, feature]
        still = [key for key in ("layer", "rms") if moved(getattr(found, key)) == 0.0]
        sub = self.say(
            "sub" if len(still) == 2 else "sub_moved",
            low=short(float(column.min())),
            high=short(float(column.max())),
            steps=len(column),
        )
        self.show_lead(lead, sub)

    def show_batch(self) -> None:
        """The tokens of this step."""
        step = self.store["batch_step"]
        heads = [self.say("yours")] + [
            self.say(
                "request",
                number=request.number,
                token=step - request.start + 1,
                length=len(request.tokens),
            )
            for request in self.others
        ]
        self.batch.put(
            columns=["", *(f"f{number}" for number in range(self.rows.shape[1]))],
            rows=[
                {"head": head, "cells": row.tolist(), "state": "current" if not number else ""}
                for number, (head, row) in enumerate(zip(heads, self.rows, strict=True))
            ],
        )

    def show_cards(self) -> None:
        """Your token's output at this step, and how far it moves over the hour."""
        step = self.store["batch_step"]
        for key, card in self.cards.items():
            outputs: np.ndarray = getattr(self.replay, key)
            alone = key == "batch_norm" and not self.others
            self.show_card(
                card,
                outputs[step : step + 1],
                ("B", "d"),
                title=self.say(f"card_{key}"),
                over=self.say(f"card_{key}_over"),
                cell=self.feature,
                statistics=[[self.say("moves"), self.say("moves_name"), moved(outputs)]],
                note=self.say("note_alone") if alone else "",
            )

    def outputs(self) -> dict[str, Any]:
        """The batch of this step, and your token's output at every step."""
        return {
            "step": self.store["batch_step"],
            "playing": self.playing,
            "batch": self.rows,
            "requests": [request.number for request in self.others],
            "sizes": self.replay.sizes,
            **{
                key: {
                    "output": getattr(self.replay, key),
                    "moved": moved(getattr(self.replay, key)),
                }
                for key in self.cards
            },
        }


def counted(others: int) -> str:
    """1 other, 3 others."""
    return f"{others} other" if others == 1 else f"{others} others"
