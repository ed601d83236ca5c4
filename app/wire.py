"""Values on their way to the page: JSON text, and arrays as bytes side by side.

Bokeh's own way, a property set, checked, searched for models, told to every listener and encoded
item by item, takes most of an edit's time in the browser. What only Python changes, and is plain
values, goes by the wire instead: what our views show, the columns of sources, the ends of axes.
Bokeh's models in Python then keep what they were made with; the wire knows what the page has.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from app.tensor import plain

if TYPE_CHECKING:
    from bokeh.core.has_props import HasProps
    from bokeh.models import ColumnDataSource

# The types that JavaScript has arrays of: NumPy's characters for them, and their names.
TYPES = {"d": "float64", "f": "float32", "i": "int32", "l": "int32", "B": "uint8"}
SIZES = {"float64": 8, "float32": 4, "int32": 4, "uint8": 1}  # in bytes


class Numbers(NamedTuple):
    """An array as the page gets it; equal to another with the same bits, NaN among them."""

    type: str
    bytes: bytes
    size: int
    rows: int = 0  # of a column whose every entry is a row of numbers


Value = Numbers | str  # or JSON text


class Wire:
    """The newest values of each model, until they are sent, and what the page has of it."""

    def __init__(self) -> None:
        """Nothing to send yet."""
        self.waiting: dict[tuple[str, str], dict[str, Value]] = {}
        self.kept: dict[str, dict[str, Value]] = {}

    def put(self, model: HasProps, values: dict[str, Any], kind: str = "values") -> bool:
        """New values of a model's properties; what the page has is not sent again.

        Whether any is new to the page.
        """
        kept = self.kept.setdefault(model.id, {})
        new: dict[str, Value] = {}
        for name, value in values.items():
            if name not in kept:
                kept[name] = as_value(first(model, name, kind), kind)
            told = as_value(value, kind)
            if kept[name] != told:
                new[name] = kept[name] = told
        if new:
            self.waiting.setdefault((model.id, kind), {}).update(new)
        return bool(new)

    def know(self, model: HasProps, name: str, value: Any) -> None:
        """The page itself has changed a property."""
        self.kept.setdefault(model.id, {})[name] = as_value(value)

    def take(self) -> tuple[str, bytes]:
        """What waits, as a JSON list of {model, values or columns, arrays}, and all arrays' bytes.

        An array is told as [type, first byte, length], and a fourth number where it consists of so
        many rows. Bytes start at multiples of eight.
        """
        waiting, self.waiting = self.waiting, {}
        models: list[str] = []
        pieces: list[bytes] = []
        length = 0
        for (model, kind), new in waiting.items():
            values: list[str] = []
            arrays: dict[str, list[Any]] = {}
            for name, value in new.items():
                if isinstance(value, str):
                    values.append(f"{quoted(name)}:{value}")
                    continue
                arrays[name] = [value.type, length, value.size, *([value.rows] * bool(value.rows))]
                padding = -len(value.bytes) % 8
                pieces += (value.bytes, bytes(padding))
                length += len(value.bytes) + padding
            models.append(
                f'{{"model":"{model}","{kind}":{{{",".join(values)}}},"arrays":{encode(arrays)}}}'
            )
        return f"[{','.join(models)}]", b"".join(pieces)


live: Wire | None = None  # the page sets it; `panel serve` has none
PAGE = "page"  # the setter of a change of Bokeh's that the page has, or gets by the wire


def put_values(model: HasProps, **values: Any) -> None:
    """New values of a Bokeh model that only Python changes."""
    if live is None or model.document is None:
        model.update(**values)
    else:
        live.put(model, values)


def put_shared(model: HasProps, name: str, value: Any) -> None:
    """A new value of a property that the page changes as well: Bokeh's model here keeps it too."""
    if live is None or model.document is None:
        setattr(model, name, value)
    elif live.put(model, {name: value}):
        model.set_from_json(name, value, setter=PAGE)


def page_has(model: HasProps, name: str, value: Any) -> None:
    """The page has changed such a property."""
    if live is not None:
        live.know(model, name, value)


def put_columns(source: ColumnDataSource, **columns: Any) -> None:
    """New columns of a source; a column of rows is an array of two axes. Paints its figure."""
    if live is None or source.document is None:
        rows = {name: list(value) for name, value in columns.items() if np.ndim(value) > 1}
        source.data = {**source.data, **columns, **rows}
    else:
        live.put(source, columns, "columns")


def first(model: HasProps, name: str, kind: str) -> Any:
    """What the page was given at first."""
    return getattr(model, name) if kind == "values" else model.data.get(name)


def as_value(value: Any, of: str = "values") -> Value:
    """A value as the wire carries it: numbers of a type that JavaScript has, or JSON text."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiub":
        return as_json(value)
    kind = TYPES.get(value.dtype.char)
    if kind is None or value.dtype.itemsize != SIZES[kind]:
        kind, value = "float64", value.astype(np.float64)
    rows = len(value) if of == "columns" and value.ndim > 1 else 0
    return Numbers(kind, value.tobytes(), value.size, rows)


def as_json(value: Any) -> str:
    """A value as JSON text; NaN and infinities, which JSON lacks, as {"$number": "NaN"}."""
    simple = SIMPLE.get(type(value))  # most values are; the encoder takes ten times as long
    if simple is not None:
        return simple(value)
    try:
        return encode(value)
    except ValueError:
        return encode(plain(value, lambda word: {"$number": word}))


encode = json.JSONEncoder(allow_nan=False, default=plain).encode
quoted = json.encoder.encode_basestring_ascii  # what the encoder itself does with a text
SIMPLE: dict[type, Callable[[Any], str]] = {
    str: quoted,
    int: int.__repr__,
    bool: lambda value: "true" if value else "false",
}
