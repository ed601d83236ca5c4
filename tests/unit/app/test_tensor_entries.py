"""Typed and pasted numbers: what is taken, what is refused, and with which reason."""

import math

import pytest

from app.entries import paste_block
from app.tensor import BadEntry, parse_entry, parse_tensor


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", 3.0), (" -2.5 ", -2.5), ("−2", -2.0), ("1e-3", 1e-3), (".5", 0.5), ("inf", math.inf)],
)
def test_a_number_is_taken(text: str, value: float) -> None:
    assert parse_entry(text) == value


def test_the_word_nan_is_taken_since_broken_input_is_part_of_the_subject() -> None:
    assert math.isnan(parse_entry("nan"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [("abc", "not a number"), ("", "empty"), ("  ", "empty"), ("1e999", "1.8e308"), ("1_0", "not")],
)
def test_what_is_no_number_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(BadEntry, match=reason):
        parse_entry(text)


def test_a_block_is_laid_over_the_rows_of_all_slices() -> None:
    cells, bad = paste_block((2, 2, 2), 2, [["1", "2"], ["3", "4"]])
    assert bad == {}
    assert cells == {2: 1.0, 3: 2.0, 4: 3.0, 5: 4.0}


def test_too_many_columns_set_nothing_and_say_how_many_fit() -> None:
    cells, bad = paste_block((1, 2, 3), 1, [["1", "2", "3"]])
    assert cells == {}
    assert bad == {"1": {"text": "1", "reason": "3 columns pasted, but only 2 fit from here"}}


def test_too_many_rows_set_nothing_and_say_how_many_fit() -> None:
    cells, bad = paste_block((2, 3), 3, [["1"], ["2"]])
    assert cells == {}
    assert "2 rows pasted, but only 1 fit" in bad["3"]["reason"]


def test_one_bad_entry_of_a_block_leaves_all_as_it_was() -> None:
    cells, bad = paste_block((2, 2), 0, [["1", "x"]])
    assert cells == {}
    assert list(bad) == ["1"]


@pytest.mark.parametrize(
    "value", [[[1, 2], [3]], "text", [], {"values": [1], "more": 2}, [None], [["1"]], [[[[[1]]]]]]
)
def test_a_script_cannot_set_what_is_no_tensor(value: object) -> None:
    with pytest.raises(ValueError, match="tensor"):
        parse_tensor(value)
