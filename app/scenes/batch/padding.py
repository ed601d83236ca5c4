"""Padding: sequences of unequal length, filled up, and statistics that count the filling or not."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from panel.viewable import Viewable

from app.batch.padding import CURVE_END, PaddingEffect, effect, pad
from app.batch.train import channel_statistics
from app.fields.batch import MOST_SEQUENCES, MOST_TOKENS
from app.fills import resized
from app.numbers import short
from app.scenes.batch.editing import TensorEditor
from app.scenes.batch.layer import SLIDER_GAP, TIGHT, LayerControls
from app.scenes.batch.story import Story
from app.strings import say
from app.tensor import Tensor, shape_text
from app.views.controls import beside, boxed, heading, put, watch
from app.views.curve import Curve
from app.views.panels import ShapeControl
from app.views.slider import Slider
from app.views.table import Table, domain_of, strip
from app.views.tensor_grid import NormCard, TensorGrid, flat

FIELDS = frozenset(
    {"batch_sequences", "batch_lengths", "batch_padded_to", "batch_padding", "batch_eps"}
)
LARGEST_PADDING = 10  # of the slider; a padded cell takes any number


class PaddingStory(Story):
    """A batch of sequences as a rectangle."""

    key = "padding"

    def make(self) -> None:
        """Make controls and views."""
        self.shape = ShapeControl(label=say("shape_label"), margin=TIGHT)
        self.lengths = [
            Slider(label=self.say("length", number=number), margin=SLIDER_GAP)
            for number in range(MOST_SEQUENCES)
        ]
        self.boxes = [boxed(slider) for slider in self.lengths]
        self.padded_to = Slider(label=self.say("padded_to"), margin=SLIDER_GAP)
        self.padding = Slider(label=self.say("holds"), end=2 * LARGEST_PADDING, margin=SLIDER_GAP)
        self.layer = LayerControls(self, momentum=False)
        self.grid = TensorGrid(words={"both": "", "range": "", "faded": self.say("padding")})
        self.editor = TensorEditor(self.store, "batch_sequences", self.grid, self.write)
        self.table = Table(columns=["", "", "m", "μ", "σ²"])
        axis = self.say("axis")
        self.curves = {name: Curve("bn", axis) for name in ("mean", "variance")}
        self.cards = {"blind": NormCard(colour="bn"), "masked": NormCard(colour="bn")}
        self.sequences = Table(
            caption=self.say("sequences"), columns=["", self.say("padded"), self.say("alone")]
        )
        self.shape.on("resize", lambda data: self.resize(data["axis"], data["size"]))
        for number, slider in enumerate(self.lengths):
            watch(slider, partial(self.set_length, number))
        watch(self.padded_to, lambda new: self.drag(batch_padded_to=self.longest + new))
        watch(self.padding, lambda new: self.drag(batch_padding=new - LARGEST_PADDING))

    def controls(self) -> list[Viewable]:
        """Lengths, and what fills them up."""
        return [self.shape, *self.boxes, self.padded_to, self.padding, *self.layer.parts()]

    def stage(self) -> list[Viewable]:
        """The rectangle, both statistics, and what more padding would do."""
        curves = [(curve.layout(), "1 1 260px") for curve in self.curves.values()]
        return [self.grid, self.table, beside(*curves)]

    def results(self) -> list[Viewable]:
        """Outputs of both, and of a normalizer that also sees padding."""
        return [heading(self.say("results")), *self.cards.values(), self.sequences]

    # what a person does -------------------------------------------------------------------------

    @property
    def longest(self) -> int:
        """The longest sequence."""
        return max(self.store["batch_lengths"])

    def set_length(self, number: int, position: int) -> None:
        """A sequence ends earlier or later: its slider stands at 0 for one token."""
        lengths = list(self.store["batch_lengths"])
        lengths[number] = position + 1
        self.drag(batch_lengths=tuple(lengths))

    def resize(self, axis: int, size: int) -> None:
        """More or fewer sequences, or room for longer ones."""
        if not 1 <= size <= (MOST_SEQUENCES, MOST_TOKENS)[axis]:
            return
        sequences = self.store["batch_sequences"]
        values = resized(sequences.values, axis, size)
        self.set(batch_sequences=Tensor(sequences.layout, values))

    def write(self, cells: dict[int, float], dragging: bool) -> None:
        """Numbers of tokens; a number in a padded cell is what all padding holds."""
        width = self.store["batch_padded_to"]
        stored = self.store["batch_sequences"].values.shape[1]
        tokens: dict[int, float] = {}
        patch: dict[str, Any] = {}
        for index, value in cells.items():
            row, column = divmod(index, width)
            if column < self.store["batch_lengths"][row]:
                tokens[row * stored + column] = value
            else:
                patch["batch_padding"] = value
        if tokens:
            patch["batch_sequences"] = self.store["batch_sequences"].replaced(tokens)
        self.store.update(patch, dragging)

    # compute and show ---------------------------------------------------------------------------

    def compute(self, changed: frozenset[str]) -> None:
        """Pad, and run with and without the mask."""
        if changed & FIELDS:
            store = self.store
            arguments = store["batch_sequences"], store["batch_lengths"]
            self.padded = pad(*arguments, store["batch_padded_to"], store["batch_padding"])
            self.effect: PaddingEffect = effect(
                *arguments, self.padded, store["batch_padding"], store["batch_eps"]
            )

    def statistics(self, name: str) -> tuple[float, float]:
        """μ and σ², of all positions or of the real ones."""
        mean, variance = channel_statistics(getattr(self.effect, name))
        return float(mean[0]), float(variance[0])

    def show(self, changed: frozenset[str]) -> None:
        """One update a view."""
        self.layer.show(changed)
        if changed & FIELDS:
            self.show_controls()
            self.show_words()
            self.show_table()
            self.show_curves()
            self.show_results()
        self.show_grid(changed)

    def show_controls(self) -> None:
        """Lengths and padding."""
        store = self.store
        sequences, stored, _ = store["batch_sequences"].values.shape
        self.shape.put(shape=[sequences, stored], names=["B", "T"])
        for number, slider in enumerate(self.lengths):
            put(self.boxes[number], visible=number < sequences)
            if number < sequences:
                length = store["batch_lengths"][number]
                put(slider, end=max(stored - 1, 1), position=length - 1, text=str(length))
        longest, width = self.longest, store["batch_padded_to"]
        put(
            self.padded_to,
            end=max(CURVE_END - longest, 1),
            position=width - longest,
            text=self.say("padded_to_text", width=width),
        )
        padding = store["batch_padding"]
        nearest = round(max(-LARGEST_PADDING, min(LARGEST_PADDING, padding)))
        put(self.padding, position=nearest + LARGEST_PADDING, text=short(padding))

    def show_grid(self, changed: frozenset[str]) -> None:
        """The rectangle, padding faded."""
        values = self.padded.values
        cell = min(self.store["batch_cell"], values.size - 1)
        if not changed & FIELDS:
            self.editor.put(cell=cell)
            return
        self.editor.put(
            values=flat(values),
            shape=list(values.shape[:2]),
            names=["b", "t"],
            label=say("grid_label", shape=shape_text(values.shape)),
            faded=(~self.padded.real).ravel().astype(np.int32),
            groups=np.zeros(values.size, np.int32),
            colours=["bn"],
            cell=cell,
        )

    def show_words(self) -> None:
        """Both statistics, and how many positions are only filling."""
        mean, variance = self.statistics("blind")
        masked_mean, masked_variance = self.statistics("masked")
        filled = int((~self.padded.real).sum())
        numbers = {
            "mean": short(mean),
            "variance": short(variance),
            "masked_mean": short(masked_mean),
            "masked_variance": short(masked_variance),
            "filled": filled,
            "all": self.padded.real.size,
        }
        self.show_lead(
            self.say("lead" if filled else "lead_none", **numbers),
            self.say("sub" if filled else "sub_none", **numbers),
        )

    def show_table(self) -> None:
        """Both sets of values on one scale."""
        real, values = self.padded.real.ravel(), self.padded.values.ravel()
        rows, reach = [], []
        for name, chosen in (("blind", np.ones_like(real)), ("masked", real)):
            mean, variance = self.statistics(name)
            reach += [mean - variance**0.5, mean + variance**0.5]
            dots = strip(
                values[chosen].tolist(), mean, variance**0.5, (~real[chosen]).astype(bool).tolist()
            )
            rows.append(
                {
                    "head": self.say(f"row_{name}"),
                    "colour": "bn",
                    "state": "wrong" if name == "blind" and not real.all() else "",
                    "cells": [dots, int(chosen.sum()), mean, variance],
                }
            )
        self.table.put(rows=rows, domain=domain_of(values.tolist(), reach))

    def show_curves(self) -> None:
        """The statistics of all positions over the padded length; dashed, the masked ones."""
        found = self.effect
        masked_mean, masked_variance = self.statistics("masked")
        now = found.lengths == self.store["batch_padded_to"]
        for name, values, target in (
            ("mean", found.blind_mean, masked_mean),
            ("variance", found.blind_variance, masked_variance),
        ):
            title = self.say(
                f"curve_{name}", now=short(float(values[now][0])), masked=short(target)
            )
            self.curves[name].show(title, found.lengths, values, dots=now, target=target)

    def show_results(self) -> None:
        """Outputs of all positions, and LayerNorm over (T, d) of each sequence."""
        for name, card in self.cards.items():
            output = getattr(self.effect, name).output[..., 0]
            title, over = self.say(f"card_{name}"), self.say(f"card_{name}_over")
            self.show_card(card, output, ("B", "T"), title=title, over=over)
        rows = [
            {
                "head": self.say("row_sequence", number=number),
                "colour": "ln",
                "cells": [float(padded[0, 0]), float(alone.output[0, 0])],
            }
            for number, (padded, alone) in enumerate(
                zip(self.effect.sequence.output, self.effect.alone, strict=True)
            )
        ]
        self.sequences.put(rows=rows)

    def outputs(self) -> dict[str, Any]:
        """Both results and the curve."""
        found = self.effect
        return {
            "x": self.padded.values,
            "mask": self.padded.real,
            **{
                name: {
                    "output": getattr(found, name).output,
                    "mean": getattr(found, name).mean,
                    "variance": getattr(found, name).variance,
                }
                for name in ("blind", "masked")
            },
            "curve": {
                "length": found.lengths,
                "mean": found.blind_mean,
                "variance": found.blind_variance,
            },
            "layer_norm_of_sequences": {
                "padded": found.sequence.output,
                "alone": [one.output for one in found.alone],
            },
        }
