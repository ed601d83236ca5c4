"""What the story of both modes draws: the steps of one update, and the history as two curves."""

from __future__ import annotations

from typing import Any

import numpy as np
from panel.viewable import Viewable

from app.batch.conventions import Settings
from app.batch.formulas import SUM_OF_SQUARES, quotient, weighted
from app.batch.forwards import History
from app.batch.train import TrainAndEval, channel_statistics
from app.formulas import MU, math
from app.numbers import short
from app.strings import say
from app.views.controls import beside
from app.views.curve import Curve, path


def update_steps(
    both: TrainAndEval, past: History, settings: Settings, channel: int, training: bool
) -> list[list[Any]]:
    """[MathML, name, value] from the mean of the batch to what is stored after the next forward."""
    m = both.num_values
    means, variances = channel_statistics(both.training)
    mean, variance = float(means[channel]), float(variances[channel])
    unbiased = float(both.unbiased[channel])
    stored = unbiased if settings.rule.unbiased else variance
    old_mean, old_variance = float(past.mean[-1, channel]), float(past.variance[-1, channel])
    weights = both.next.old_weight, both.next.new_weight
    said = "batch_train_step"
    steps: list[list[Any]] = [
        [math(MU), say("step_mean"), mean],
        [math(SUM_OF_SQUARES), say(f"{said}_squares"), float(both.squares[channel])],
        [quotient(SUM_OF_SQUARES, f"<mn>{m}</mn>"), say(f"{said}_biased"), variance],
        [
            quotient(SUM_OF_SQUARES, f"<mn>{m}</mn><mo>−</mo><mn>1</mn>"),
            say(f"{said}_unbiased" if settings.rule.unbiased else f"{said}_unused"),
            unbiased,
        ],
    ]
    if not training:
        return [
            *steps,
            [math("<mtext>running_mean</mtext>"), say(f"{said}_stays"), old_mean],
            [math("<mtext>running_var</mtext>"), say(f"{said}_stays"), old_variance],
        ]
    return [
        *steps,
        [
            weighted(weights[0], old_mean, weights[1], mean),
            say(f"{said}_mean"),
            float(both.next.mean[channel]),
        ],
        [
            weighted(weights[0], old_variance, weights[1], stored),
            say(f"{said}_variance"),
            float(both.next.variance[channel]),
        ],
    ]


class Curves:
    """Running mean and running variance of one channel, forward by forward."""

    def __init__(self) -> None:
        """Two figures."""
        self.mean = Curve("bn", say("batch_forward_axis"))
        self.variance = Curve("bn", say("batch_forward_axis"))

    def layout(self) -> Viewable:
        """Side by side, under one another where it is narrow."""
        return beside((self.mean.layout(), "1 1 260px"), (self.variance.layout(), "1 1 260px"))

    def show(self, past: History, both: TrainAndEval, channel: int, unbiased: bool) -> None:
        """The history of a channel, and where the present batch pulls it."""
        means, variances = channel_statistics(both.training)
        mean, variance = float(means[channel]), float(variances[channel])
        stored = float(both.unbiased[channel]) if unbiased else variance
        left_alone = np.concatenate([[False], ~past.training.astype(bool)])
        for curve, name, values, target in (
            (self.mean, "running_mean", past.mean[:, channel], mean),
            (self.variance, "running_var", past.variance[:, channel], stored),
        ):
            curve.show(
                f"<b>{name}</b> {path(values)} "
                f"<span>{say('batch_target', value=short(target))}</span>",
                np.arange(len(values)),
                values,
                hollow=left_alone,
                target=target,
            )
