"""Values of our views on their way to the page: JSON text, and arrays as bytes side by side.

Bokeh's own way, a property set, checked, searched for models, told to every listener and encoded
item by item, takes most of an edit's time in the browser; our views hold plain values only.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

Value = np.ndarray | str  # an array, or JSON text


class Wire:
    """The newest value of each property of each view, until they are sent."""

    def __init__(self) -> None:
        """Nothing to send yet."""
        self.waiting: dict[str, dict[str, Value]] = {}

    def put(self, model: str, values: dict[str, Value]) -> None:
        """New values of a view, by the name of its Bokeh model."""
        self.waiting.setdefault(model, {}).update(values)

    def take(self) -> tuple[str, bytes]:
        """What waits, as a JSON list of {model, values, arrays} and the bytes of all arrays.

        An array is told as [type, first byte, length]. Bytes start at multiples of eight.
        """
        waiting, self.waiting = self.waiting, {}
        views: list[str] = []
        pieces: list[bytes] = []
        length = 0
        for model, new in waiting.items():
            values: list[str] = []
            arrays: dict[str, list[Any]] = {}
            for name, value in new.items():
                if isinstance(value, str):
                    values.append(f'"{name}":{value}')
                    continue
                piece = np.ascontiguousarray(value).tobytes()
                arrays[name] = [value.dtype.name, length, value.size]
                padding = -len(piece) % 8
                pieces += (piece, bytes(padding))
                length += len(piece) + padding
            views.append(
                f'{{"model":"{model}","values":{{{",".join(values)}}},"arrays":{encode(arrays)}}}'
            )
        return f"[{','.join(views)}]", b"".join(pieces)


def as_json(value: Any) -> str:
    """A value as JSON text; NaN and infinities, which JSON lacks, as {"$number": "NaN"}."""
    try:
        return encode(value)
    except ValueError:
        return encode(marked(value))


def plain(value: Any) -> Any:
    """NumPy's numbers and arrays as Python's own."""
    return value.tolist()


encode = json.JSONEncoder(allow_nan=False, default=plain).encode


def marked(value: Any) -> Any:
    """The same with numbers that JSON lacks named by words that JavaScript reads as numbers."""
    if isinstance(value, dict):
        return {key: marked(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [marked(item) for item in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return marked(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return {"$number": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}
    return value
