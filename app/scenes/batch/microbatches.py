"""Microbatches: the same examples in one forward and in several."""

from __future__ import annotations

from typing import Any

import numpy as np
from panel.viewable import Viewable

from app.batch.microbatches import Passes, send, starts_of
from app.batch.presets import BATCHES
from app.numbers import short
from app.scenes.batch.editing import TensorEditor
from app.scenes.batch.layer import SLIDER_GAP, LayerControls
from app.scenes.batch.story import LAYER, Story
from app.scenes.batch.tensor_controls import TensorControls
from app.views.controls import beside, heading, put, watch
from app.views.curve import Curve, path
from app.views.slider import Slider
from app.views.table import Table, domain_of, strip
from app.views.tensor_grid import NormCard, TensorGrid
from kernels.axes import LAYOUTS, group_ids

NUMBERS = LAYER | {"batch_tensor", "batch_micro"}
MOST_ROWS = 8  # microbatches written out
MOST_LISTED = 6
RUNNING = {"mean": "running_mean", "variance": "running_var"}


class MicrobatchStory(Story):
    """Accumulating gradients does not make one batch of several."""

    key = "microbatches"

    def make(self) -> None:
        """Make controls and views."""
        self.tensor = TensorControls(self, "batch_tensor", BATCHES)
        self.size = Slider(label=self.say("size"), margin=SLIDER_GAP)
        self.layer = LayerControls(self)
        self.grid = TensorGrid(words={"both": "", "range": ""})
        self.editor = TensorEditor(self.store, "batch_tensor", self.grid)
        self.table = Table(columns=["", "", "μ", "σ²", "running_mean", "running_var"])
        self.cards = {"whole": NormCard(colour="bn"), "parts": NormCard(colour="bn")}
        self.gradients = Table(caption=self.say("gradients"), columns=["", "∂y₀/∂x"])
        self.curves = {name: Curve("bn", self.say("axis")) for name in ("mean", "variance")}
        watch(self.size, lambda new: self.drag(batch_micro=new + 1))

    def controls(self) -> list[Viewable]:
        """The batch, how it is cut, the layer."""
        return [*self.tensor.parts(), self.size, *self.layer.parts()]

    def stage(self) -> list[Viewable]:
        """The examples, and the statistics of every forward."""
        curves = [(curve.layout(), "1 1 260px") for curve in self.curves.values()]
        return [
            beside((self.grid, "0 1 auto"), (self.table, "1 1 420px")),
            self.gradients,
            beside(*curves),
        ]

    def results(self) -> list[Viewable]:
        """Outputs of both."""
        return [heading(self.say("results")), *self.cards.values()]

    def compute(self, changed: frozenset[str]) -> None:
        """Send the batch in one, and in microbatches."""
        if changed & NUMBERS:
            tensor = self.store["batch_tensor"]
            self.passes: dict[str, Passes] = {
                "whole": send(tensor, len(tensor.values), self.settings),
                "parts": send(tensor, self.store["batch_micro"], self.settings),
            }

    @property
    def channel(self) -> int:
        """The channel of the cursor."""
        return self.editor.place[LAYOUTS[self.store["batch_tensor"].layout].channel]

    def show(self, changed: frozenset[str]) -> None:
        """One update a view."""
        self.tensor.show(changed)
        self.layer.show(changed)
        tensor, size = self.store["batch_tensor"], self.store["batch_micro"]
        examples = len(tensor.values)
        text = self.say("size_text", size=size)
        put(self.size, end=max(examples - 1, 1), position=size - 1, text=text)
        self.show_grid(changed)
        self.show_words()
        self.show_table()
        self.show_curves()
        self.show_results()

    def show_grid(self, changed: frozenset[str]) -> None:
        """The examples, outlined where they share a statistic in the microbatches."""
        extra: dict[str, Any] = {}
        if changed & NUMBERS:
            tensor, parts = self.store["batch_tensor"], self.passes["parts"]
            channel = LAYOUTS[tensor.layout].channel
            axes = [axis for axis in range(tensor.values.ndim) if axis != channel]
            by_channel = group_ids(tensor.values.shape, axes)
            channels = tensor.values.shape[channel]
            part = np.repeat(np.arange(len(parts.sizes)), parts.sizes)
            by_part = part.reshape(-1, *(1,) * (tensor.values.ndim - 1)) * channels
            self.groups = (by_channel + by_part).ravel().astype(np.int32)
            means = np.concatenate([one.mean for one in parts.moments])
            spreads = np.sqrt(np.concatenate([one.variance for one in parts.moments]))
            extra = {
                "groups": self.groups,
                "colours": ["bn"],
                "edge": {"symbol": "μ, σ", "columns": [means.tolist(), spreads.tolist()]}
                if channels == 1
                else {},
            }
        self.editor.show_tensor(changed, **extra)

    def show_words(self) -> None:
        """What both ways end with."""
        whole, parts, channel = self.passes["whole"], self.passes["parts"], self.channel

        def pair(passes: Passes) -> str:
            mean, variance = passes.history.running
            return f"({short(float(mean[channel]))}, {short(float(variance[channel]))})"

        count = len(parts.sizes)
        lead = self.say(
            "lead" if count > 1 else "lead_one", whole=pair(whole), parts=pair(parts), count=count
        )
        difference = float(np.abs(whole.output - parts.output).max())
        sub = self.say("sub", difference=short(difference))
        broken = self.say("refused", message=parts.refused) if parts.refused else ""
        self.show_lead(lead, sub, broken)

    def show_table(self) -> None:
        """Each forward with its values, its statistics, and the state it leaves."""
        tensor, size, channel = self.store["batch_tensor"], self.store["batch_micro"], self.channel
        axis = LAYOUTS[tensor.layout].channel
        values = np.take(tensor.values, channel, axis=axis).reshape(len(tensor.values), -1)
        rows = []
        for name, step in (("whole", len(values)), ("parts", size)):
            passes = self.passes[name]
            starts = starts_of(len(values), step)
            for number, start in enumerate(starts[:MOST_ROWS]):
                one, state = passes.moments[number], number + 1
                mean, variance = float(one.mean[channel]), float(one.variance[channel])
                last = number == len(starts) - 1
                rows.append(
                    {
                        "head": self.say(f"row_{name}", number=number + 1, size=len(values)),
                        "colour": "bn",
                        "state": "current" if last else "",
                        "cells": [
                            strip(
                                values[start : start + step].ravel().tolist(), mean, variance**0.5
                            ),
                            mean,
                            variance,
                            float(passes.history.mean[state, channel]),
                            float(passes.history.variance[state, channel]),
                        ],
                    }
                )
            hidden = len(starts) - MOST_ROWS
            if hidden > 0:
                final = passes.history.running
                rows.append(
                    {
                        "head": self.say("row_more", count=hidden),
                        "state": "current",
                        "cells": [
                            "",
                            "",
                            "",
                            float(final.mean[channel]),
                            float(final.variance[channel]),
                        ],
                    }
                )
        self.table.put(rows=rows, domain=domain_of(values.ravel().tolist()))

    def show_curves(self) -> None:
        """The running statistics after each microbatch; dashed, what one forward leaves."""
        whole, parts, channel = self.passes["whole"], self.passes["parts"], self.channel
        seen = np.cumsum([0, *parts.sizes])
        for name, curve in self.curves.items():
            values = getattr(parts.history, name)[:, channel]
            target = float(getattr(whole.history, name)[-1, channel])
            title = self.say("curve", name=RUNNING[name], path=path(values), target=short(target))
            curve.show(title, seen, values, target=target, least_span=1.0)

    def show_results(self) -> None:
        """Outputs and gradients."""
        tensor = self.store["batch_tensor"]
        rows = []
        for name, card in self.cards.items():
            passes = self.passes[name]
            self.show_card(
                card,
                passes.output,
                tensor.names,
                title=self.say(f"card_{name}"),
                over=self.say(f"card_{name}_over", count=len(passes.sizes)),
                groups=self.groups if name == "parts" else None,
                cell=self.editor.cell,
            )
            gradient = passes.gradient.ravel()[:MOST_LISTED].tolist()
            rows.append({"head": self.say(f"card_{name}"), "cells": [{"list": gradient}]})
        self.gradients.put(rows=rows)

    def outputs(self) -> dict[str, Any]:
        """Both ways."""
        return {
            "x": self.store["batch_tensor"].values,
            **{
                name: {
                    "sizes": list(passes.sizes),
                    "mean": [one.mean for one in passes.moments],
                    "variance": [one.variance for one in passes.moments],
                    "output": passes.output,
                    "gradient": passes.gradient,
                    "running_mean": passes.history.running.mean,
                    "running_var": passes.history.running.variance,
                    "refused": passes.refused,
                }
                for name, passes in self.passes.items()
            },
        }
