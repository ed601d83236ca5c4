"""Train and eval: one tensor in both modes, and what each forward leaves behind."""

from __future__ import annotations

from typing import Any

import numpy as np
import panel as pn
from panel.viewable import Viewable

from app.batch.forwards import (
    MOST_FORWARDS,
    Run,
    channels_of,
    count_of,
    history,
    one_less,
    one_more,
)
from app.batch.presets import BATCHES
from app.batch.train import (
    TrainAndEval,
    Update,
    channel_statistics,
    same_update,
    train_and_eval,
)
from app.numbers import short
from app.scenes.batch.editing import TensorEditor
from app.scenes.batch.layer import LayerControls
from app.scenes.batch.story import LAYER, Story
from app.scenes.batch.tensor_controls import TensorControls
from app.scenes.batch.train_views import Curves, update_steps
from app.strings import say
from app.views.choices import Buttons, Choices
from app.views.controls import beside, heading
from app.views.table import Table
from app.views.tensor_grid import FormulaSteps, NormCard, TensorGrid
from kernels import NormResult
from kernels.axes import LAYOUTS, group_ids

NUMBERS = LAYER | {"batch_tensor", "batch_forwards"}


class TrainStory(Story):
    """Both modes side by side, and the running statistics forward by forward."""

    key = "train"

    def make(self) -> None:
        """Make controls and views."""
        self.tensor = TensorControls(self, "batch_tensor", BATCHES)
        self.mode = Choices(
            label=self.say("mode"),
            shown=False,
            options=[["train", ".train()"], ["eval", ".eval()"]],
            sizing_mode="fixed",
            width=170,
        )
        self.no_grad = Buttons(label=self.say("mode"))
        self.layer = LayerControls(self)
        self.grid = TensorGrid(words={"both": "", "range": ""})
        self.editor = TensorEditor(self.store, "batch_tensor", self.grid)
        self.steps = FormulaSteps(colour="bn")
        self.forward = Buttons(label=self.say("forwards"), margin=(8, 0, 10, 0))
        self.curves = Curves()
        self.cards = [NormCard(colour="bn") for _ in range(2)]
        self.updates = Table(
            caption=self.say("updates"), columns=["", "running_mean", "running_var"]
        )
        self.mode.on("choose", lambda data: self.set(batch_mode=data["key"]))
        self.no_grad.on("press", lambda data: self.toggle_no_grad())
        self.forward.on("press", lambda data: self.press(data["key"]))

    def controls(self) -> list[Viewable]:
        """The tensor and the layer."""
        return [*self.tensor.parts(), *self.layer.parts()]

    def stage(self) -> list[Viewable]:
        """The tensor, the update, the next forward, the history."""
        next_forward = pn.Row(
            self.mode, self.no_grad, sizing_mode="stretch_width", css_classes=["pair", "middle"]
        )
        return [
            beside((self.grid, "0 1 auto"), (self.steps, "1 1 340px")),
            next_forward,
            self.forward,
            self.curves.layout(),
        ]

    def results(self) -> list[Viewable]:
        """Both outputs, and the update as each framework would do it."""
        return [heading(self.say("results")), *self.cards, self.updates]

    # what a person does -------------------------------------------------------------------------

    def toggle_no_grad(self) -> None:
        """Record gradients or not."""
        self.set(batch_no_grad=not self.store["batch_no_grad"])

    def press(self, key: str) -> None:
        """One more forward, the last one taken back, or all."""
        forwards = self.store["batch_forwards"]
        if key == "more":
            if not self.refused:
                training = self.store["batch_mode"] == "train"
                run = Run(self.store["batch_tensor"], training, self.store["batch_no_grad"])
                self.set(batch_forwards=one_more(forwards, run))
        else:
            self.set(batch_forwards=one_less(forwards) if key == "less" else ())

    # compute and show ---------------------------------------------------------------------------

    def compute(self, changed: frozenset[str]) -> None:
        """The history, and both modes at its end."""
        if not changed & NUMBERS:
            return
        tensor, settings = self.store["batch_tensor"], self.settings
        self.past = history(self.store["batch_forwards"], channels_of(tensor), settings)
        self.both: TrainAndEval = train_and_eval(tensor, self.past, settings)
        self.readings: list[Update] = same_update(tensor, self.past, settings.momentum)

    @property
    def refused(self) -> str:
        """Why PyTorch would not do the next forward, or ""."""
        training = self.store["batch_mode"] == "train"
        return self.both.refused if training and self.settings.rule.unbiased else ""

    @property
    def channel(self) -> int:
        """The channel of the cursor."""
        return self.editor.place[LAYOUTS[self.store["batch_tensor"].layout].channel]

    def show(self, changed: frozenset[str]) -> None:
        """One update a view."""
        self.tensor.show(changed)
        self.layer.show(changed)
        self.show_mode()
        self.show_grid(changed)
        self.show_words()
        self.steps.put(
            steps=update_steps(self.both, self.past, self.settings, self.channel, self.training)
        )
        self.curves.show(self.past, self.both, self.channel, self.settings.rule.unbiased)
        self.show_cards()
        self.show_updates()

    @property
    def training(self) -> bool:
        """The mode the next forward is done in."""
        return self.store["batch_mode"] == "train"

    def show_mode(self) -> None:
        """The mode, and what switching gradients off does to it: nothing."""
        channel = self.channel
        now = float(self.past.mean[-1, channel])
        after = float(self.both.next.mean[channel]) if self.training else now
        key = "grad_off" if self.store["batch_no_grad"] else "grad_on"
        self.mode.put(value=self.store["batch_mode"])
        self.no_grad.put(
            buttons=[
                {"key": "no_grad", "text": "torch.no_grad()", "on": self.store["batch_no_grad"]}
            ],
            text=self.say(
                key if self.training else f"{key}_eval", now=short(now), after=short(after)
            ),
        )
        forwards = self.store["batch_forwards"]
        self.forward.put(
            buttons=[
                {
                    "key": "more",
                    "text": self.say("more"),
                    "main": True,
                    "disabled": bool(self.refused) or count_of(forwards) == MOST_FORWARDS,
                },
                {"key": "less", "text": self.say("less"), "disabled": not forwards},
                {"key": "none", "text": self.say("none"), "disabled": not forwards},
            ],
            text=self.count_text(),
        )

    def count_text(self) -> str:
        """How many forwards, of which kind."""
        forwards = self.store["batch_forwards"]
        count = count_of(forwards)
        if not count:
            return self.say("count_none")
        training = int(self.past.training.sum())
        quiet_ones = int(self.past.no_grad.sum())
        text = self.say("count", count=count, training=training, evaluation=count - training)
        return f"{text}, {self.say('count_no_grad', count=quiet_ones)}" if quiet_ones else text

    def show_grid(self, changed: frozenset[str]) -> None:
        """The tensor with each channel's mean and spread."""
        extra: dict[str, Any] = {}
        if "batch_tensor" in changed:
            tensor = self.store["batch_tensor"]
            shape, axes = tensor.values.shape, self.both.training.axes
            self.groups = group_ids(shape, axes).ravel().astype(np.int32)
            extra = {"groups": self.groups, "colours": ["bn"], "labels": []}
        if changed & NUMBERS:
            mean, variance = channel_statistics(self.both.training)
            columns = [mean.tolist(), np.sqrt(variance).tolist()]
            extra["edge"] = {"symbol": "μ, σ", "columns": columns}
        self.editor.show_tensor(changed, **extra)

    def show_words(self) -> None:
        """Both modes in one sentence, with the numbers of the cursor's channel."""
        channel, both = self.channel, self.both
        mean, variance = statistic(both.training, channel)
        kept_mean, kept_variance = statistic(both.evaluation, channel)
        lead = self.say(
            "lead",
            count=both.num_values,
            mean=short(mean),
            spread=short(float(np.sqrt(variance))),
            kept_mean=short(kept_mean),
            kept_spread=short(float(np.sqrt(kept_variance))),
            channel=self.say("channel", number=channel) if len(self.past.mean[0]) > 1 else "",
        )
        if both.num_values > 1:
            sub = self.say(
                "sub",
                m=both.num_values,
                less=both.num_values - 1,
                biased=short(variance),
                unbiased=short(float(both.unbiased[channel])),
            )
            sub += " " + self.say("stored" if self.settings.rule.unbiased else "stored_biased")
        else:
            sub = self.say("sub_single")
        eps_refused = self.say("eps_zero") if self.settings.eps == 0 and self.training else ""
        broken = self.say("refused", message=self.refused) if self.refused else eps_refused
        self.show_lead(lead, sub, broken)

    def show_cards(self) -> None:
        """Both outputs on the tensor's own plan."""
        tensor, channel, place = self.store["batch_tensor"], self.channel, self.editor.place
        modes = (("train", self.both.training), ("eval", self.both.evaluation))
        for card, (mode, result) in zip(self.cards, modes, strict=True):
            mean, variance = statistic(result, channel)
            denominator = np.broadcast_to(result.denominator, tensor.values.shape)[place]
            self.show_card(
                card,
                result.output,
                tensor.names,
                title=self.say(f"card_{mode}"),
                over=self.say(f"card_{mode}_over"),
                current=self.store["batch_mode"] == mode,
                groups=self.groups,
                cell=self.editor.cell,
                statistics=[
                    ["μ", say("step_mean"), mean],
                    ["σ²", say("step_variance"), variance],
                    ["√(σ²+ε)", say("step_denominator"), float(denominator)],
                ],
            )

    def show_updates(self) -> None:
        """The next forward in training, as each reading of the same momentum would do it."""
        channel, rows = self.channel, []
        for reading in self.readings:
            rule_now = reading.convention == self.settings.convention
            same = reading.momentum in (None, self.settings.momentum)
            rows.append(
                {
                    "head": self.say(
                        f"update_{reading.convention}", momentum=f"{reading.momentum or 0:.12g}"
                    ),
                    "cells": [float(reading.mean[channel]), float(reading.variance[channel])],
                    "state": "current" if rule_now and same else "",
                }
            )
        self.updates.put(rows=rows)

    def outputs(self) -> dict[str, Any]:
        """Both results, the denominators, the running statistics and their history."""
        both = self.both
        return {
            "x": self.store["batch_tensor"].values,
            "training": {
                "output": both.training.output,
                "mean": both.training.mean,
                "variance": both.training.variance,
                "denominator": both.training.denominator,
            },
            "evaluation": {
                "output": both.evaluation.output,
                "mean": both.evaluation.mean,
                "variance": both.evaluation.variance,
                "denominator": both.evaluation.denominator,
            },
            "m": both.num_values,
            "sum_of_squares": both.squares,
            "unbiased_variance": both.unbiased,
            "running_mean": self.past.running.mean,
            "running_var": self.past.running.variance,
            "history": {"running_mean": self.past.mean, "running_var": self.past.variance},
            "next": {"running_mean": both.next.mean, "running_var": both.next.variance},
            "num_batches_tracked": self.past.batches_seen,
            "readings": [
                {
                    "convention": one.convention,
                    "momentum": one.momentum,
                    "running_mean": one.mean,
                    "running_var": one.variance,
                }
                for one in self.readings
            ],
            "refused": both.refused,
        }


def statistic(result: NormResult, channel: int) -> tuple[float, float]:
    """The mean and variance of a channel."""
    mean, variance = channel_statistics(result)
    return float(mean[channel]), float(variance[channel])
