"""What goes to the page by the wire: only what is new, whole, and readable there."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from app import wire as module
from app.wire import PAGE, Wire, as_json, page_has, put_columns, put_shared, put_values


def view(**values: Any) -> Any:
    """A model with an id and what it was made with."""
    return SimpleNamespace(id="p1", document=None, **values)


def sent(wire: Wire) -> tuple[list[dict[str, Any]], bytes]:
    """The message, parsed strictly: NaN is no JSON."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    text, data = wire.take()
    return json.loads(text, parse_constant=refuse), data


def test_values_and_arrays_arrive_side_by_side() -> None:
    wire = Wire()
    model = view(title="", values=None, groups=None, cell=0)
    wire.put(
        model,
        {
            "title": 'ε "1e-5"',
            "values": np.array([[1.5, -2.0, 3.0]])[:, ::-1],
            "groups": np.array([1, 2, 3], np.int32),
            "cell": np.int64(2),
        },
    )
    (one,), data = sent(wire)
    assert one["model"] == "p1"
    assert one["values"] == {"title": 'ε "1e-5"', "cell": 2}
    assert one["arrays"] == {"values": ["float64", 0, 3], "groups": ["int32", 24, 3]}
    assert np.frombuffer(data, np.float64, 3).tolist() == [3.0, -2.0, 1.5]
    assert np.frombuffer(data, np.int32, 3, offset=24).tolist() == [1, 2, 3]
    assert len(data) % 8 == 0


def test_the_page_is_told_only_what_it_does_not_have() -> None:
    wire = Wire()
    model = view(title="as made", values=np.array([1.0, np.nan]))
    wire.put(model, {"title": "as made", "values": np.array([1.0, np.nan])})
    assert sent(wire) == ([], b"")
    wire.put(model, {"title": "new"})
    wire.put(model, {"title": "newer"})
    assert sent(wire)[0] == [{"model": "p1", "values": {"title": "newer"}, "arrays": {}}]
    wire.put(model, {"title": "newer", "values": np.array([1.0, 2.0])})
    assert sent(wire)[0] == [{"model": "p1", "values": {}, "arrays": {"values": ["float64", 0, 2]}}]


def test_an_array_changed_in_place_is_news_and_the_message_keeps_what_was_put() -> None:
    wire = Wire()
    model = view(values=np.zeros(2))
    values = np.array([1.0, 2.0])
    wire.put(model, {"values": values})
    values[0] = 9.0
    assert np.frombuffer(sent(wire)[1], np.float64).tolist() == [1.0, 2.0]
    wire.put(model, {"values": values})
    assert np.frombuffer(sent(wire)[1], np.float64).tolist() == [9.0, 2.0]


def test_what_the_page_did_itself_is_not_sent_back() -> None:
    wire = Wire()
    slider = view(position=3)
    wire.know(slider, "position", 5)
    wire.put(slider, {"position": 5})
    assert sent(wire)[0] == []
    wire.put(slider, {"position": 3})
    assert sent(wire)[0][0]["values"] == {"position": 3}


def test_columns_of_a_source_may_be_words_or_numbers_of_any_type() -> None:
    wire = Wire()
    source = view(data={"x": [], "text": []})
    wire.put(source, {"x": np.arange(3), "text": ["a", "b", "c"]}, "columns")
    (one,), data = sent(wire)
    assert one["columns"] == {"text": ["a", "b", "c"]}
    assert one["arrays"] == {"x": ["float64", 0, 3]}
    assert np.frombuffer(data, np.float64).tolist() == [0.0, 1.0, 2.0]
    wire.put(source, {"x": np.array([True, False]), "text": ["a", "b", "c"]}, "columns")
    (one,), data = sent(wire)
    assert one["columns"] == {}
    assert np.frombuffer(data, np.float64).tolist() == [1.0, 0.0]


def test_numbers_that_json_lacks_are_named() -> None:
    rows = [["μ", float("nan")], {"σ": float("-inf"), "n": (np.float32(1.5), float("inf"))}]
    assert json.loads(as_json(rows)) == [
        ["μ", {"$number": "NaN"}],
        {"σ": {"$number": "-Infinity"}, "n": [1.5, {"$number": "Infinity"}]},
    ]
    assert as_json({"edge": np.array([1.0, 2.0])}) == '{"edge": [1.0, 2.0]}'


def test_before_there_is_a_page_bokeh_itself_is_told() -> None:
    told: dict[str, Any] = {}
    put_values(
        SimpleNamespace(id="p2", document=None, update=lambda **new: told.update(new)), start=1.0
    )  # type: ignore[arg-type]
    assert told == {"start": 1.0}
    source = SimpleNamespace(id="p3", document=None, data={})
    put_columns(source, x=[1.0])  # type: ignore[arg-type]
    assert source.data == {"x": [1.0]}


def test_what_both_sides_change_is_kept_by_both(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that is dragged on the page, and moved from here by a slider."""
    kept: list[Any] = []
    span = SimpleNamespace(
        id="p4",
        document="one",
        location=1.0,
        set_from_json=lambda name, value, setter: kept.append((name, value, setter)),
    )
    monkeypatch.setattr(module, "live", wire := Wire())
    put_shared(span, "location", 3.0)  # type: ignore[arg-type]
    assert sent(wire)[0][0]["values"] == {"location": 3.0}
    assert kept == [("location", 3.0, PAGE)]
    page_has(span, "location", 7.0)  # type: ignore[arg-type]
    put_shared(span, "location", 3.0)  # type: ignore[arg-type]  # and back, past an end
    assert sent(wire)[0][0]["values"] == {"location": 3.0}
