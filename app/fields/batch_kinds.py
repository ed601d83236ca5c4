"""Kinds of value that only the Batch scene has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.batch.forwards import MOST_FORWARDS, Forwards, Run, count_of
from app.fields.kinds import Integer, TensorKind
from app.tensor import Tensor, shape_text
from kernels.axes import LAYOUTS

MOST_BATCH_CELLS = 4096


@dataclass(frozen=True)
class Flag:
    """On or off."""

    def parse(self, name: str, value: Any) -> bool:
        """A boolean, and nothing that only looks like one."""
        if not isinstance(value, bool):
            raise ValueError(f"{name}: expected true or false, got {value!r}")
        return value

    def dump(self, value: bool) -> bool:
        """Itself."""
        return value

    def encode(self, value: bool) -> str:
        """1 or 0."""
        return "1" if value else "0"

    def decode(self, text: str) -> Any:
        """What `encode` wrote."""
        return {"1": True, "0": False}.get(text, text)


@dataclass(frozen=True)
class BatchTensor(TensorKind):
    """A small tensor in one of a few layouts, all of which keep one statistic a channel."""

    layouts: tuple[str, ...] = ("[N,C]", "[N,C,L]", "[N,C,H,W]", "[B,T,d]")
    most: int = MOST_BATCH_CELLS

    def parse(self, name: str, value: Any) -> Tensor:
        """Nested lists alone are read in the first layout of their rank."""
        try:
            if isinstance(value, list):
                value = {"layout": self.layout_for(value), "values": value}
            tensor = super().parse(name, value)
        except ValueError as error:
            raise ValueError(str(error).replace("tensor:", f"{name}:", 1)) from None
        if tensor.layout not in self.layouts:
            known = ", ".join(self.layouts)
            raise ValueError(f"{name}: expected a layout among {known}, got {tensor.layout}")
        if tensor.values.size > self.most:
            shape = shape_text(tensor.values.shape)
            raise ValueError(f"{name}: expected at most {self.most} values, got {shape}")
        return tensor

    def layout_for(self, value: Any) -> str:
        """The first of the layouts that has the rank of nested lists."""
        rank = 0
        while isinstance(value, list):
            value, rank = value[0] if value else None, rank + 1
        fitting = (name for name in self.layouts if LAYOUTS[name].ndim == rank)
        return next(fitting, self.layouts[0])


@dataclass(frozen=True)
class ForwardsKind:
    """The forwards a layer has seen, as runs of the same one."""

    tensor: TensorKind

    def parse(self, name: str, value: Any) -> Forwards:
        """A list of {"tensor", "training"?, "no_grad"?, "count"?}."""
        if not isinstance(value, (list, tuple)):
            raise ValueError(f"{name}: expected a list of forwards, got {value!r}")
        runs = tuple(self.parse_one(name, item) for item in value)
        if count_of(runs) > MOST_FORWARDS:
            raise ValueError(f"{name}: expected at most {MOST_FORWARDS}, got {count_of(runs)}")
        return runs

    def parse_one(self, name: str, item: Any) -> Run:
        """One run."""
        if isinstance(item, Run):
            return item
        if not isinstance(item, dict) or "tensor" not in item:
            raise ValueError(f"{name}: expected an object with a tensor, got {item!r}")
        unknown = set(item) - {"tensor", "training", "no_grad", "count"}
        if unknown:
            raise ValueError(f"{name}: unknown {', '.join(sorted(map(repr, unknown)))}")
        return Run(
            self.tensor.parse(name, item["tensor"]),
            Flag().parse(name, item.get("training", True)),
            Flag().parse(name, item.get("no_grad", False)),
            Integer(1, MOST_FORWARDS).parse(name, item.get("count", 1)),
        )

    def dump(self, value: Forwards) -> list[dict[str, Any]]:
        """A list of objects."""
        return [
            {
                "tensor": self.tensor.dump(run.tensor),
                "training": run.training,
                "no_grad": run.no_grad,
                "count": run.count,
            }
            for run in value
        ]

    def encode(self, value: Forwards) -> str:
        """t3*N,C:2x1:0,2*e1*…: the mode (n: under no_grad), how often, and the tensor."""
        return "*".join(
            f"{'t' if run.training else 'e'}{'n' if run.no_grad else ''}{run.count}"
            f"*{self.tensor.encode(run.tensor)}"
            for run in value
        )

    def decode(self, text: str) -> list[dict[str, Any]]:
        """What `encode` wrote."""
        parts = text.split("*") if text else []
        return [
            {
                "training": mode.startswith("t"),
                "no_grad": mode[1:2] == "n",
                "count": int(mode.lstrip("ten")),
                "tensor": self.tensor.decode(tensor),
            }
            for mode, tensor in zip(parts[::2], parts[1::2], strict=True)
        ]
