"""Kinds of value that only the Softmax scene has."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from app.fields.kinds import Number

LARGEST_FACTOR = 1e6


@dataclass(frozen=True)
class Factor:
    """The factor on q·k: a positive number, or None for 1/√d_k, whatever d_k is."""

    def parse(self, name: str, value: Any) -> float | None:
        """None or a number above 0."""
        if value is None:
            return None
        number = Number(0.0, LARGEST_FACTOR).parse(name, value)
        if number == 0:
            raise ValueError(f"{name}: expected null for 1/√d_k or a number above 0, got 0")
        return number

    def dump(self, value: float | None) -> float | None:
        """Itself."""
        return value

    def encode(self, value: float | None) -> str:
        """A number, or "root" for 1/√d_k."""
        return "root" if value is None else Number(0.0, LARGEST_FACTOR).encode(value)

    def decode(self, text: str) -> float | None:
        """What `encode` wrote."""
        return None if text == "root" else float(text)


Gains = tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True)
class GainsKind:
    """γ of q and γ of k, one number a feature each; None where all are 1."""

    most: int

    def parse(self, name: str, value: Any) -> Gains | None:
        """None, or two lists of finite numbers of equal length."""
        if value is None:
            return None
        try:
            query, key = (tuple(float(number) for number in part) for part in value)
        except (TypeError, ValueError):
            query, key = (), ()
        if not 0 < len(query) <= self.most or len(query) != len(key):
            raise ValueError(
                f"{name}: expected null or two lists of 1 to {self.most} numbers, of equal length"
            )
        if not all(math.isfinite(number) for number in (*query, *key)):
            raise ValueError(f"{name}: expected finite numbers")
        return None if set(query) | set(key) == {1.0} else (query, key)

    def dump(self, value: Gains | None) -> Any:
        """Two lists, or None."""
        return None if value is None else [list(part) for part in value]

    def encode(self, value: Gains | None) -> str:
        """2,1;1,1"""
        return ";".join(",".join(map(Number(0, 0).encode, part)) for part in value or ())

    def decode(self, text: str) -> list[list[float]] | None:
        """What `encode` wrote."""
        return [[float(n) for n in part.split(",")] for part in text.split(";")] if text else None


@dataclass(frozen=True)
class KeySet:
    """Some of the keys, by their index."""

    most: int

    def parse(self, name: str, value: Any) -> tuple[int, ...]:
        """Indices in ascending order, each once."""
        try:
            indices = sorted({int(index) for index in value})
        except (TypeError, ValueError):
            indices = [-1]
        if indices and not 0 <= indices[0] <= indices[-1] < self.most:
            raise ValueError(f"{name}: expected indices from 0 to {self.most - 1}, got {value!r}")
        return tuple(indices)

    def dump(self, value: tuple[int, ...]) -> list[int]:
        """A list."""
        return list(value)

    def encode(self, value: tuple[int, ...]) -> str:
        """0.2"""
        return ".".join(map(str, value))

    def decode(self, text: str) -> list[int]:
        """What `encode` wrote."""
        return [int(index) for index in text.split(".") if index]
