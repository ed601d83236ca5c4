"""The right of the Softmax scene: probabilities, the Jacobian, both orders of cap and mask."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import panel as pn
from panel.viewable import Viewable

from app.softmax.captions import key_name, key_names
from app.softmax.digits import percent, probability, significant
from app.softmax.leak import Shares
from app.softmax.problem import HeadResult
from app.strings import say
from app.views.controls import heading
from app.views.softmax import Bars, HeatTable

if TYPE_CHECKING:
    from app.scenes.softmax.scene import SoftmaxScene


class Results:
    """Bars, a small matrix, a comparison."""

    def __init__(self, scene: SoftmaxScene) -> None:
        """Make the views."""
        self.scene = scene
        self.bars = Bars()
        self.jacobian = HeatTable(label=say("softmax_jacobian_label"))
        self.orders = Bars()

    def layout(self) -> Viewable:
        """From top to bottom."""
        return pn.Column(
            heading(say("softmax_probabilities")),
            self.bars,
            heading(say("softmax_jacobian")),
            self.jacobian,
            heading(say("softmax_leak")),
            self.orders,
            heading(say("softmax_curves_now")),
            self.scene.curves_view.table,
            sizing_mode="stretch_width",
        )

    def show(self) -> None:
        """One update a view."""
        self.show_bars()
        self.show_jacobian()
        self.show_orders()

    def show_bars(self) -> None:
        """The probabilities, and their entropy beside the largest possible."""
        result = self.scene.result
        entropy = say(
            "softmax_entropy_text",
            entropy=significant(result.entropy, 4),
            most=significant(math.log(result.reached or 1), 4),
        )
        total = [say("softmax_entropy"), entropy]
        self.bars.put(groups=[{"title": "", "note": "", "bars": bars_of(result), "total": total}])

    def show_jacobian(self) -> None:
        """∂pᵢ/∂sⱼ."""
        jacobian = self.scene.result.jacobian
        count = len(jacobian)
        digits = 3 if count <= 4 else 1
        self.jacobian.put(
            values=jacobian.ravel().tolist(),
            texts=[significant(value, digits) for value in jacobian.ravel().tolist()],
            rows=[f"p{key}" for key in range(count)],
            columns=[f"s{key}" for key in range(count)],
        )

    def show_orders(self) -> None:
        """The cap before the mask, and after it."""
        orders = self.scene.orders
        words = "softmax_leak_if" if orders.supposed else "softmax_leak_settings"
        given = say(words, cap=significant(orders.cap), keys=key_names(~orders.visible))
        both = (("softmax_leak_before", orders.before), ("softmax_leak_after", orders.after))
        self.orders.put(
            note=given,
            groups=[
                {
                    "title": say(name),
                    "note": leak_note(result.leaked),
                    "bars": bars_of(result),
                    "total": [],
                }
                for name, result in both
            ],
        )


def leak_note(leaked: float) -> str:
    """How much leaks, if anything does."""
    if math.isnan(leaked):
        return say("softmax_not_a_number")
    return say("softmax_leak_share", share=percent(leaked)) if leaked else say("softmax_leak_none")


def bars_of(result: HeadResult | Shares) -> list[dict[str, Any]]:
    """A bar for each key; one that is masked and still gets something is wrong."""
    return [
        {
            "name": key_name(key),
            "share": share,
            "text": probability(share),
            "note": "" if seen else say("softmax_masked"),
            "wrong": bool(not seen and share > 0),
        }
        for key, (share, seen) in enumerate(
            zip(result.probabilities.tolist(), result.visible.tolist(), strict=True)
        )
    ]
