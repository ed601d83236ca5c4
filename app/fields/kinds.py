"""How a field of the state is checked, written as JSON, and written in a link."""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from app.tensor import MOST_CELLS, Tensor, parse_tensor, plain
from kernels.axes import LAYOUTS, NORMALIZERS

MOST_READABLE_CELLS = 64  # larger tensors are packed in a link
MOST_LINKED_CELLS = 12_288  # and larger ones still are left out of it
PACKED_LIMIT = MOST_CELLS * 8  # bytes a link may unpack to


class Kind(Protocol):
    """What the state asks of a kind of value."""

    def parse(self, name: str, value: Any) -> Any:
        """The checked value, from JSON or from a control; ValueError names the field."""

    def dump(self, value: Any) -> Any:
        """The value as plain JSON."""

    def encode(self, value: Any) -> str | None:
        """The value as text in a link, or None where it is too large for one."""

    def decode(self, text: str) -> Any:
        """What `parse` takes, from the text in a link."""


@dataclass(frozen=True)
class Choice:
    """One of a few words."""

    options: tuple[str, ...]

    def __init__(self, *options: str) -> None:
        """The words to choose from."""
        object.__setattr__(self, "options", options)

    def parse(self, name: str, value: Any) -> str:
        """One of the options."""
        if value not in self.options:
            raise ValueError(f"{name}: expected one of {', '.join(self.options)}, got {value!r}")
        return value

    def dump(self, value: str) -> str:
        """Itself."""
        return value

    encode = decode = dump


@dataclass(frozen=True)
class Number:
    """A finite float in a closed range."""

    low: float
    high: float

    def parse(self, name: str, value: Any) -> float:
        """A number in the range."""
        good = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not good or not self.low <= value <= self.high:
            raise ValueError(
                f"{name}: expected a number from {self.low:g} to {self.high:g}, got {value!r}"
            )
        return float(value)

    def dump(self, value: float) -> float:
        """Itself."""
        return value

    def encode(self, value: float) -> str:
        """The shortest text that reads back as the same number."""
        return repr(value).removesuffix(".0")

    def decode(self, text: str) -> float:
        """The number."""
        return float(text)


@dataclass(frozen=True)
class Numbers:
    """So many finite floats, none larger than `largest` in size."""

    most: int
    largest: float
    fewest: int = 1

    def parse(self, name: str, value: Any) -> tuple[float, ...]:
        """A tuple of numbers."""
        if not isinstance(value, (list, tuple)) or not self.fewest <= len(value) <= self.most:
            raise ValueError(
                f"{name}: expected a list of {self.fewest} to {self.most} numbers, got {value!r}"
            )
        one = Number(-self.largest, self.largest)
        return tuple(one.parse(name, number) for number in value)

    def dump(self, value: tuple[float, ...]) -> list[float]:
        """A list."""
        return list(value)

    def encode(self, value: tuple[float, ...]) -> str:
        """1,2.5"""
        return ",".join(map(Number(0, 0).encode, value))

    def decode(self, text: str) -> list[float]:
        """The numbers between the commas."""
        return [float(number) for number in text.split(",")] if text else []


@dataclass(frozen=True)
class Integer:
    """A whole number in a closed range."""

    low: int
    high: int

    def parse(self, name: str, value: Any) -> int:
        """A whole number in the range."""
        good = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not good or value != int(value) or not self.low <= value <= self.high:
            raise ValueError(
                f"{name}: expected a whole number from {self.low} to {self.high}, got {value!r}"
            )
        return int(value)

    def dump(self, value: int) -> int:
        """Itself."""
        return value

    def encode(self, value: int) -> str:
        """The digits."""
        return str(value)

    def decode(self, text: str) -> int:
        """The number."""
        return int(text)


@dataclass(frozen=True)
class Indices:
    """A place in a tensor: one index an axis."""

    def parse(self, name: str, value: Any) -> tuple[int, ...]:
        """A tuple of whole numbers from 0."""
        try:
            indices = tuple(int(index) for index in value)
        except (TypeError, ValueError):
            indices = (-1,)
        if len(indices) > 4 or any(index < 0 for index in indices):
            raise ValueError(f"{name}: expected up to 4 whole numbers from 0, got {value!r}")
        return indices

    def dump(self, value: tuple[int, ...]) -> list[int]:
        """A list."""
        return list(value)

    def encode(self, value: tuple[int, ...]) -> str:
        """0.1.2"""
        return ".".join(map(str, value))

    def decode(self, text: str) -> list[int]:
        """The numbers between the dots."""
        return [int(index) for index in text.split(".") if index]


@dataclass(frozen=True)
class AffineKind:
    """γ and β, one pair a channel; None where they are 1 and 0."""

    def parse(self, name: str, value: Any) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
        """None, or two lists of numbers of equal length."""
        if value is None:
            return None
        try:
            weight, bias = (tuple(float(number) for number in part) for part in value)
        except (TypeError, ValueError):
            weight, bias = (), ()
        if not weight or len(weight) != len(bias) or len(weight) > MOST_CELLS:
            raise ValueError(f"{name}: expected null or [γ, β], two lists of equal length")
        neutral = all(number == 1 for number in weight) and all(number == 0 for number in bias)
        return None if neutral else (weight, bias)

    def dump(self, value: tuple[tuple[float, ...], tuple[float, ...]] | None) -> Any:
        """Two lists, or None."""
        return None if value is None else plain(value)

    def encode(self, value: tuple[tuple[float, ...], tuple[float, ...]] | None) -> str:
        """0.5,2;1,0"""
        return ";".join(",".join(map(Number(0, 0).encode, part)) for part in value or ())

    def decode(self, text: str) -> list[list[float]] | None:
        """What `encode` wrote."""
        return [[float(n) for n in part.split(",")] for part in text.split(";")] if text else None


@dataclass(frozen=True)
class TensorKind:
    """A tensor with named axes."""

    def parse(self, name: str, value: Any) -> Tensor:
        """See `app.tensor.parse_tensor`."""
        return parse_tensor(value)

    def dump(self, value: Tensor) -> dict[str, Any]:
        """Layout and nested lists."""
        return {"layout": value.layout, "values": plain(value.values)}

    def encode(self, value: Tensor) -> str | None:
        """B,T,d:1x1x2:1,3 or N,C:1x2:5,6; beyond 64 values the squeezed float64 bytes in base64."""
        shape = "x".join(map(str, value.values.shape))
        if value.values.size > MOST_LINKED_CELLS:
            return None
        if value.values.size <= MOST_READABLE_CELLS:
            body = ",".join(
                repr(number).removesuffix(".0") for number in value.values.ravel().tolist()
            )
        else:
            raw = np.ascontiguousarray(value.values, dtype="<f8").tobytes()
            packed = base64.urlsafe_b64encode(zlib.compress(raw, 1)).decode().rstrip("=")
            body = f"~{packed}"
        return f"{value.layout.strip('[]')}:{shape}:{body}"

    def decode(self, text: str) -> dict[str, Any]:
        """What `encode` wrote; a link is never trusted with more than `MOST_CELLS` values."""
        layout, shape_text, body = text.split(":", 2)
        shape = [int(size) for size in shape_text.split("x")]
        size = int(np.prod(shape, dtype=object))
        if not 0 < size <= MOST_CELLS:
            raise ValueError(f"tensor: expected 1 to {MOST_CELLS} values, got {size}")
        if body.startswith("~"):
            padded = body[1:] + "=" * (-len(body[1:]) % 4)
            unpacker = zlib.decompressobj()
            raw = unpacker.decompress(base64.urlsafe_b64decode(padded), PACKED_LIMIT)
            numbers = np.frombuffer(raw, dtype="<f8")
        else:
            numbers = np.array([float(number) for number in body.split(",")])
        return {"layout": f"[{layout}]", "values": numbers.reshape(shape).tolist()}


@dataclass(frozen=True)
class Normalizer:
    """One normalizer on show: a row of `NORMALIZERS`, the axes it reduces, and its groups."""

    family: str
    axes: tuple[int, ...] | None = None  # None: what the family reduces in the tensor's layout
    groups: int = 2

    def reduced(self, layout: str) -> tuple[int, ...]:
        """The axes it reduces in a layout."""
        if self.axes is not None:
            return self.axes
        return NORMALIZERS[self.family].axes(LAYOUTS[layout])


DEFAULT_NORMALIZERS = (Normalizer("batch"), Normalizer("layer"), Normalizer("rms"))


def fit_normalizer(item: Normalizer, layout: str, strict: bool) -> Normalizer:
    """The normalizer with axes the layout has; where they are asked for outright, or refused."""
    if item.axes is None:
        return item
    rank = LAYOUTS[layout].ndim
    if any(axis >= rank for axis in item.axes):
        if strict:
            raise ValueError(f"compare: axes {list(item.axes)} are too many for layout {layout}")
        return replace(item, axes=None)
    if item.axes == NORMALIZERS[item.family].axes(LAYOUTS[layout]):
        return replace(item, axes=None)
    return item


@dataclass(frozen=True)
class Normalizers:
    """Up to three normalizers to compare."""

    def parse(self, name: str, value: Any) -> tuple[Normalizer, ...]:
        """A list of {"family", "axes"?, "groups"?}."""
        if not isinstance(value, (list, tuple)) or not 1 <= len(value) <= 3:
            raise ValueError(f"{name}: expected a list of 1 to 3 normalizers, got {value!r}")
        return tuple(self.parse_one(name, item) for item in value)

    def parse_one(self, name: str, item: Any) -> Normalizer:
        """One of them."""
        if isinstance(item, Normalizer):
            return item
        if isinstance(item, str):
            item = {"family": item}
        if not isinstance(item, dict) or item.get("family") not in NORMALIZERS:
            raise ValueError(
                f"{name}: expected a family, one of {', '.join(NORMALIZERS)}, got {item!r}"
            )
        axes = item.get("axes")
        if axes is not None:
            axes = tuple(sorted(set(Indices().parse(name, axes))))
        groups = Integer(1, 4096).parse(name, item.get("groups", 2))
        return Normalizer(item["family"], axes, groups)

    def dump(self, value: tuple[Normalizer, ...]) -> list[dict[str, Any]]:
        """A list of objects."""
        return [
            {
                "family": item.family,
                "axes": None if item.axes is None else list(item.axes),
                "groups": item.groups,
            }
            for item in value
        ]

    def encode(self, value: tuple[Normalizer, ...]) -> str:
        """batch,layer:1.2,group*2"""
        return ",".join(
            item.family
            + ("" if item.axes is None else ":" + (Indices().encode(item.axes) or "none"))
            + ("" if item.groups == 2 else f"*{item.groups}")
            for item in value
        )

    def decode(self, text: str) -> list[dict[str, Any]]:
        """What `encode` wrote."""
        items = []
        for word in text.split(","):
            word, _, groups = word.partition("*")
            family, colon, axes = word.partition(":")
            item: dict[str, Any] = {"family": family, "groups": int(groups or 2)}
            if colon:
                item["axes"] = [] if axes == "none" else Indices().decode(axes)
            items.append(item)
        return items
