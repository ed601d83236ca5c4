"""Workers: one batch on several machines, and what they tell one another."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import panel as pn
from panel.viewable import Viewable

from app.batch.forwards import channels_of
from app.batch.presets import PARTS
from app.batch.workers import Scheme, schemes, whole_moments, worker_moments
from app.fields.batch import MOST_WORKERS
from app.numbers import short
from app.scenes.batch.editing import TensorEditor
from app.scenes.batch.layer import SLIDER_GAP, TIGHT, LayerControls
from app.scenes.batch.story import LAYER, Story
from app.scenes.batch.tensor_controls import TensorControls
from app.views.choices import Choices
from app.views.controls import beside, boxed, heading, put, watch
from app.views.slider import Slider
from app.views.table import Table, domain_of, strip
from app.views.tensor_grid import NormCard, TensorGrid

NUMBERS = LAYER | {"batch_parts", "batch_cuts"}
MOST_LISTED = 4


class WorkerStory(Story):
    """Statistics of each worker, averaged, and synchronized."""

    key = "workers"

    def make(self) -> None:
        """Make controls and views."""
        self.tensor = TensorControls(self, "batch_parts", PARTS)
        self.count = Choices(label=self.say("count"), columns=MOST_WORKERS, margin=TIGHT)
        self.cuts = [
            Slider(label=self.say("cut", number=number + 1), margin=SLIDER_GAP)
            for number in range(MOST_WORKERS - 1)
        ]
        self.boxes = [boxed(slider) for slider in self.cuts]
        self.layer = LayerControls(self)
        self.grid = TensorGrid(words={"both": "", "range": ""})
        self.editor = TensorEditor(self.store, "batch_parts", self.grid)
        self.table = Table(columns=["", "", "m", "μ", "σ²"])
        self.sent = Table(
            caption=self.say("sent"),
            columns=["", self.say("numbers"), "running_mean", "running_var"],
        )
        self.cards = {key: NormCard(colour="bn") for key in ("local", "averaged", "synchronized")}
        self.count.on("choose", lambda data: self.choose_count(int(data["key"])))
        for number, slider in enumerate(self.cuts):
            watch(slider, partial(self.move_cut, number))

    def controls(self) -> list[Viewable]:
        """The batch, and who has which part of it."""
        return [*self.tensor.parts(), self.count, *self.boxes, *self.layer.parts()]

    def stage(self) -> list[Viewable]:
        """The examples, and everyone's statistics on one scale."""
        numbers = pn.Column(self.table, self.sent)
        return [beside((self.grid, "0 1 auto"), (numbers, "1 1 400px"))]

    def results(self) -> list[Viewable]:
        """Outputs of each scheme."""
        return [heading(self.say("results")), *self.cards.values()]

    # what a person does -------------------------------------------------------------------------

    def choose_count(self, count: int) -> None:
        """So many workers, with parts as equal as they can be."""
        examples = len(self.store["batch_parts"].values)
        cuts = tuple(round(examples * number / count) for number in range(1, count))
        self.set(batch_cuts=cuts)

    def move_cut(self, number: int, position: int) -> None:
        """A worker starts earlier or later, between its neighbours."""
        cuts = list(self.store["batch_cuts"])
        low, high = self.room(number)
        cuts[number] = min(low + position, high)
        self.drag(batch_cuts=tuple(cuts))

    def room(self, number: int) -> tuple[int, int]:
        """Where a cut may lie, so that every worker keeps an example."""
        cuts = self.store["batch_cuts"]
        examples = len(self.store["batch_parts"].values)
        low = cuts[number - 1] + 1 if number else 1
        high = (cuts[number + 1] if number + 1 < len(cuts) else examples) - 1
        return low, high

    # compute and show ---------------------------------------------------------------------------

    def compute(self, changed: frozenset[str]) -> None:
        """All schemes."""
        if changed & NUMBERS:
            arguments = self.store["batch_parts"], self.store["batch_cuts"]
            self.schemes: dict[str, Scheme] = schemes(*arguments, self.settings)
            self.own = worker_moments(*arguments)
            self.whole = whole_moments(*arguments)

    @property
    def channel(self) -> int:
        """The channel of the cursor."""
        return self.editor.place[1]

    @property
    def averaging_is_right(self) -> bool:
        """Whether the averaged statistics are those of the whole batch."""
        averaged, right = self.schemes["averaged"], self.schemes["synchronized"]
        return np.allclose(averaged.mean, right.mean) and np.allclose(
            averaged.variance, right.variance
        )

    def show(self, changed: frozenset[str]) -> None:
        """One update a view."""
        self.tensor.show(changed)
        self.layer.show(changed)
        if changed & NUMBERS:
            self.show_controls()
        self.show_grid(changed)
        self.show_words()
        self.show_table()
        self.show_sent()
        self.show_cards()

    def show_controls(self) -> None:
        """How many workers, and where each begins."""
        examples = len(self.store["batch_parts"].values)
        cuts = self.store["batch_cuts"]
        most = min(MOST_WORKERS, examples)
        self.count.put(
            options=[[str(number), str(number)] for number in range(1, most + 1)],
            value=str(len(cuts) + 1),
        )
        for number, slider in enumerate(self.cuts):
            put(self.boxes[number], visible=number < len(cuts))
            if number < len(cuts):
                low, high = self.room(number)
                text = self.say("cut_text", example=cuts[number])
                put(slider, end=max(high - low, 1), position=cuts[number] - low, text=text)

    def show_grid(self, changed: frozenset[str]) -> None:
        """The examples, by worker."""
        extra: dict[str, Any] = {}
        if changed & NUMBERS:
            shape, channels = self.store["batch_parts"].values.shape, self.whole.mean.size
            sizes = [int(one.num_values) for one in self.own]
            worker = np.repeat(np.arange(len(sizes)), sizes)
            groups = worker[:, np.newaxis] * channels + np.arange(shape[1])
            extra = {
                "groups": groups.ravel().astype(np.int32),
                "colours": ["bn"],
                "rows": [f"w{number}" for number in worker],
            }
        self.editor.show_tensor(changed, **extra)

    def show_words(self) -> None:
        """The averaged statistics against the right ones."""
        channel = self.channel
        averaged = self.schemes["averaged"]

        def pair(mean: float, variance: float) -> str:
            return f"({short(mean)}, {short(variance)})"

        right = pair(float(self.whole.mean[channel]), float(self.whole.variance[channel]))
        naive = pair(float(averaged.mean[0, channel]), float(averaged.variance[0, channel]))
        sizes = {int(one.num_values) for one in self.own}
        if len(self.own) == 1:
            key, sub = "lead_alone", self.say("sub_alone")
        else:
            key = "lead_same" if self.averaging_is_right else "lead"
            sub = self.say("sub_sizes" if len(sizes) > 1 else "sub_equal")
        self.show_lead(self.say(key, naive=naive, right=right), sub)

    def show_table(self) -> None:
        """Each worker's values and statistics, then both ways to put them together."""
        channel, values = self.channel, self.store["batch_parts"].values
        bounds = [0, *self.store["batch_cuts"], len(values)]
        rows: list[dict[str, Any]] = []
        for number, one in enumerate(self.own):
            points = values[bounds[number] : bounds[number + 1], channel].tolist()
            mean, variance = float(one.mean[channel]), float(one.variance[channel])
            rows.append(
                {
                    "head": self.say("row_worker", number=number),
                    "cells": [
                        strip(points, mean, variance**0.5),
                        int(one.num_values),
                        mean,
                        variance,
                    ],
                }
            )
        everything = values[:, channel].tolist()
        for key in ("averaged", "synchronized"):
            scheme = self.schemes[key]
            mean, variance = float(scheme.mean[0, channel]), float(scheme.variance[0, channel])
            good = key == "synchronized" or self.averaging_is_right
            rows.append(
                {
                    "head": self.say(f"row_{key}"),
                    "colour": "bn",
                    "state": "good" if good else "wrong",
                    "cells": [
                        strip(everything, mean, variance**0.5),
                        "" if key == "averaged" else int(self.whole.num_values),
                        mean,
                        variance,
                    ],
                }
            )
        self.table.put(rows=rows, domain=domain_of(everything))

    def show_sent(self) -> None:
        """What each scheme sends in one forward, and what every worker then stores."""
        channel, channels = self.channel, channels_of(self.store["batch_parts"])
        rows = []
        for key, scheme in self.schemes.items():
            kept = scheme.running if key == "local" else scheme.running[:1]
            rows.append(
                {
                    "head": self.say(f"row_{key}"),
                    "cells": [
                        scheme.sent,
                        {"list": [float(one.mean[channel]) for one in kept]} if kept else "",
                        {"list": [float(one.variance[channel]) for one in kept]} if kept else "",
                    ],
                    "note": self.say(f"sent_{key}", channels=channels, sent=scheme.sent),
                }
            )
        self.sent.put(rows=rows)

    def show_cards(self) -> None:
        """Outputs, one row a channel."""
        for key, card in self.cards.items():
            output = self.schemes[key].output.T
            title, over = self.say(f"row_{key}"), self.say(f"card_{key}")
            self.show_card(card, np.ascontiguousarray(output), ("C", "N"), title=title, over=over)

    def outputs(self) -> dict[str, Any]:
        """Every worker and every scheme."""
        return {
            "x": self.store["batch_parts"].values,
            "workers": [
                {"m": int(one.num_values), "mean": one.mean, "variance": one.variance}
                for one in self.own
            ],
            "unbiased_variance": self.whole.unbiased_variance(),
            **{
                key: {
                    "mean": scheme.mean,
                    "variance": scheme.variance,
                    "output": scheme.output,
                    "running_mean": [one.mean for one in scheme.running],
                    "running_var": [one.variance for one in scheme.running],
                    "sent": scheme.sent,
                }
                for key, scheme in self.schemes.items()
            },
        }
