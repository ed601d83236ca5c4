"""One example: zeros, an error, or an answer, depending on who is asked."""

from __future__ import annotations

from typing import Any

import numpy as np
from panel.viewable import Viewable

from app.batch.formulas import difference
from app.batch.forwards import channels_of
from app.batch.presets import SINGLES
from app.batch.single import Answer, answers, other_normalizers
from app.formulas import HAT, MU, VARIANCE, math, root
from app.scenes.batch.editing import TensorEditor
from app.scenes.batch.layer import LayerControls
from app.scenes.batch.story import LAYER, Story
from app.scenes.batch.tensor_controls import TensorControls
from app.strings import say
from app.tensor import shape_text
from app.views.controls import beside, heading
from app.views.table import Table
from app.views.tensor_grid import FormulaSteps, NormCard, TensorGrid
from kernels.axes import group_ids, group_size

MOST_LISTED = 6  # outputs written out in a row of the table


class SingleStory(Story):
    """The bare formula, PyTorch, Keras, evaluation, and normalizers that need no neighbours."""

    key = "single"

    def make(self) -> None:
        """Make controls and views."""
        self.tensor = TensorControls(self, "batch_single", SINGLES)
        self.layer = LayerControls(self, momentum=False)
        self.grid = TensorGrid(words={"both": "", "range": ""})
        self.editor = TensorEditor(self.store, "batch_single", self.grid)
        self.steps = FormulaSteps(colour="bn")
        self.table = Table(
            caption=self.say("answers"),
            columns=["", self.say("output"), self.say("running_var")],
            margin=(14, 0, 0, 0),
        )
        self.cards = {
            "formula": NormCard(colour="bn"),
            "evaluation": NormCard(colour="bn"),
            "layer": NormCard(colour="ln"),
            "rms": NormCard(colour="rms"),
        }

    def controls(self) -> list[Viewable]:
        """The example and ε."""
        return [*self.tensor.parts(), *self.layer.parts()]

    def stage(self) -> list[Viewable]:
        """The example, the formula on one of its values, and everyone's answer."""
        return [beside((self.grid, "0 1 auto"), (self.steps, "1 1 340px")), self.table]

    def results(self) -> list[Viewable]:
        """Outputs."""
        return [heading(self.say("results")), *self.cards.values()]

    def compute(self, changed: frozenset[str]) -> None:
        """Ask every way for its answer."""
        if changed & (LAYER | {"batch_single"}):
            tensor = self.store["batch_single"]
            self.answers: dict[str, Answer] = {
                one.key: one for one in answers(tensor, self.settings)
            }
            self.others = other_normalizers(tensor, self.settings.eps)

    @property
    def formula(self) -> Any:
        """What the bare formula gives; it never refuses."""
        return self.answers["formula"].result

    @property
    def num_values(self) -> int:
        """m, the values of a channel."""
        return group_size(self.store["batch_single"].values.shape, self.formula.axes)

    def show(self, changed: frozenset[str]) -> None:
        """One update a view."""
        tensor = self.store["batch_single"]
        self.tensor.show(changed)
        self.layer.show(changed)
        extra: dict[str, Any] = {}
        if changed & (LAYER | {"batch_single"}):
            self.groups = group_ids(tensor.values.shape, self.formula.axes).ravel()
            columns = [self.formula.mean.ravel(), np.sqrt(self.formula.variance).ravel()]
            extra = {
                "groups": self.groups.astype(np.int32),
                "colours": ["bn"],
                "edge": {"symbol": "μ, σ", "columns": [column.tolist() for column in columns]},
            }
        self.editor.show_tensor(changed, **extra)
        self.show_words()
        self.show_steps()
        self.show_table()
        self.show_cards()

    def show_words(self) -> None:
        """What happens with so many values a channel."""
        tensor, m, eps = self.store["batch_single"], self.num_values, self.settings.eps
        raised = self.answers["pytorch"].error
        if m > 1:
            examples = len(tensor.values)
            lead = self.say("lead_many", shape=shape_text(tensor.values.shape), m=m)
            sub = self.say("sub_many" if examples > 1 else "sub_length", examples=examples, m=m)
        else:
            zero = bool((self.formula.output == 0).all())
            lead = self.say("lead_zero" if zero else "lead_broken")
            sub = self.say("sub_zero" if eps > 0 else "sub_eps", message=raised)
        self.show_lead(lead, sub)

    def show_steps(self) -> None:
        """The formula on the value of the cursor."""
        tensor, place = self.store["batch_single"], self.editor.place
        result, x = self.formula, float(self.store["batch_single"].values[self.editor.place])

        def at(values: np.ndarray) -> float:
            return float(np.broadcast_to(values, tensor.values.shape)[place])

        mean = at(result.mean)
        self.steps.put(
            steps=[
                [math(MU), self.say("step_mean", m=self.num_values), mean],
                [difference(x, mean), self.say("step_difference"), x - mean],
                [math(VARIANCE), say("step_variance"), at(result.variance)],
                [math(root(VARIANCE)), say("step_denominator"), at(result.denominator)],
                [math(HAT), say("step_normalized"), at(result.normalized)],
            ]
        )

    def show_table(self) -> None:
        """Each way's output and running variance, or what it raises."""
        rows = []
        for key, answer in self.answers.items():
            row: dict[str, Any] = {"head": self.say(f"way_{key}")}
            if answer.result is None:
                row |= {"cells": ["ValueError", ""], "note": answer.error, "state": "wrong"}
            else:
                outputs = answer.result.output.ravel()
                kept = None if key == "evaluation" else answer.result.running_var
                row["cells"] = [
                    {"list": outputs[:MOST_LISTED].tolist()},
                    ""
                    if kept is None or key == "evaluation"
                    else {"list": kept[:MOST_LISTED].tolist()},
                ]
            rows.append(row)
        self.table.put(rows=rows)

    def show_cards(self) -> None:
        """The formula, evaluation, and the normalizers of one example."""
        tensor = self.store["batch_single"]
        results = {
            "formula": self.formula,
            "evaluation": self.answers["evaluation"].result,
            **self.others,
        }
        channels = channels_of(tensor)
        for key, card in self.cards.items():
            alone = key in self.others and channels == 1
            self.show_card(
                card,
                results[key].output,
                tensor.names,
                title=self.say(f"card_{key}"),
                over=self.say(f"card_{key}_over"),
                cell=self.editor.cell,
                note=self.say(f"note_{key}") if alone else "",
            )

    def outputs(self) -> dict[str, Any]:
        """Every way's answer."""
        return {
            "x": self.store["batch_single"].values,
            "m": self.num_values,
            "answers": {
                key: {
                    "error": answer.error,
                    "output": None if answer.result is None else answer.result.output,
                    "running_mean": None if answer.result is None else answer.result.running_mean,
                    "running_var": None if answer.result is None else answer.result.running_var,
                }
                for key, answer in self.answers.items()
            },
            "layer": self.others["layer"].output,
            "rms": self.others["rms"].output,
        }
