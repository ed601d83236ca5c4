"""The Precision scene's rounding against exact arithmetic and the types' definitions."""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from app.cost import PASSES, ratio
from app.fields import FIELDS
from app.link import fragment_of, open_fragment
from app.precision import (
    CEILING,
    FLOOR,
    METHODS,
    OFFSETS,
    STORED,
    Outcome,
    curve,
    drawn,
    exact,
    outcomes,
    rounds_to_inf_from,
    row_of,
    square_overflows_from,
)
from app.precision_text import lead, result_rows, step_rows, types_sentence
from app.state import Store

ROW = (-1.5, -0.5, 0.5, 1.5)  # mean 0, variance (2.25 + 0.25)·2/4 = 1.25


def by_method(row: tuple[float, ...], offset: float, *types: str) -> dict[str, Outcome]:
    """What each method makes of a row."""
    return {one.method: one for one in outcomes(row, offset, *types)[1]}


def test_the_exact_answer_does_not_depend_on_the_offset() -> None:
    for offset in OFFSETS:
        truth = exact(ROW, offset)
        assert (truth.mean, truth.variance) == (Fraction(offset), Fraction(5, 4))
    assert truth.normalized == pytest.approx([v / math.sqrt(1.25 + 1e-5) for v in ROW], rel=1e-15)


def test_squares_leave_float16_at_256() -> None:
    """256² = 65536 rounds to Inf; two passes square only deviations."""
    truth, (one, *others) = outcomes(ROW, 256.0, "float16", "float16")
    assert (one.broken, one.broken_value) == ("Σx²", math.inf)
    assert one.steps["Σx"] == 1024
    for right in others:
        assert (right.broken, right.mean, right.variance) == ("", 256.0, 1.25)
    said = lead([one, *others], truth)
    assert "breaks first at Σx²: Inf instead of 262149." in said  # 4·256² + 2·(1.5² + 0.5²)
    assert "Two passes: μ exact, σ² exact, x̂ ±0.00016." in said


def test_one_pass_cancels_in_float32_where_numpy_does() -> None:
    """At 10⁴ squares need 27 bits; float32 has 24. NumPy's own float32 is the oracle."""
    x = (np.array(ROW) + 1e4).astype(np.float32)
    total = squares = np.float32(0)
    for value in x:
        total, squares = total + value, squares + value * value
    mean = total / np.float32(4)
    expected = squares / np.float32(4) - mean * mean
    found = by_method(ROW, 1e4, "float32", "float32")
    assert found["one_pass"].variance == float(expected) != 1.25
    assert found["one_pass"].broken == "σ²"
    assert found["two_pass"].variance == 1.25


def test_a_mean_is_judged_in_units_of_sigma_however_large_it_is() -> None:
    """0 and 1/16 beside 2¹⁹: their sum, 2²⁰ + 1/16, is no float32, and what is lost is 2σ."""
    row = (0.0, 2.0**-4)
    found = by_method(row, 2.0**19, "float32", "float32")
    assert exact(row, 2.0**19).variance == Fraction(1, 32) ** 2
    two_pass = found["two_pass"]
    assert (two_pass.broken, two_pass.broken_value) == ("Σx", 2.0**20)
    assert two_pass.mean_error == 1.0
    assert two_pass.variance_error == 1.0  # (0 + 1/256)/2 instead of 1/1024


def test_storage_is_told_apart_from_the_method() -> None:
    """bfloat16 has steps of 1 below 256 and of 2 above: the kept row is 254, 256, 256, 258."""
    truth, found = outcomes(ROW, 256.0, "bfloat16", "float64")
    for one in found:
        assert (one.broken, one.broken_value) == (STORED, 2.0)
    # The worst kept value is 258 for 257.5: x̂ 2/√2 = 1.41 instead of 1.34, and 254 for 254.5; 256
    # for 255.5 and 256.5 is 0 instead of ∓0.447.
    assert found[0].kept_error == pytest.approx(0.5 / math.sqrt(1.25 + 1e-5), rel=1e-12)
    said = lead(found, truth)
    assert said.count("Storage") == 1
    assert "σ² = 2 instead of 1.25, and x̂ is off by up to 0.45" in said
    inf = by_method(ROW, 1e5, "float16", "float64")["two_pass"]
    assert inf.broken_value == math.inf


def test_a_curve_has_its_ends_where_there_is_no_error_and_no_number() -> None:
    at = dict(zip(OFFSETS[1:], curve(ROW, "one_pass", "float16", "float16"), strict=True))
    assert (at[1.0], at[256.0]) == (FLOOR, CEILING)
    assert FLOOR < at[32.0] < CEILING
    assert curve(ROW, "two_pass", "float64", "float64").max() < 1e-15


def test_numbers_round_to_inf_from_half_a_step_above_the_largest() -> None:
    """NumPy's and ml_dtypes' own types are the oracle, on both sides of the border."""
    types = {"float16": np.float16, "float32": np.float32, "bfloat16": ml_dtypes.bfloat16}
    for name, kind in types.items():
        border = rounds_to_inf_from(name)
        with np.errstate(over="ignore"):
            assert np.isinf(kind(border)), name
            assert np.isfinite(kind(border * (1 - 2.0**-20))), name
    assert rounds_to_inf_from("float16") == 65520


def test_the_first_value_whose_square_overflows_is_one_that_storage_has() -> None:
    assert square_overflows_from("float16", "float16") == 256  # the one below is 255.875
    assert square_overflows_from("bfloat16", "float16") == 256  # and here 255
    assert 255.0**2 < 255.875**2 < 65520
    root = square_overflows_from("float32", "float16")
    below = float(np.nextafter(np.float32(root), np.float32(0)))
    assert Fraction(below) ** 2 < 65520 <= Fraction(root) ** 2
    assert math.isinf(square_overflows_from("float16", "float64"))


def test_the_sentence_on_types_names_both_borders() -> None:
    said = types_sentence(4, "float16", "float16")
    assert "what reaches 65520 rounds to Inf: half a step above the largest number, 65504" in said
    assert "|x| = 256 on" in said
    assert "No float16 number has a square that large." in types_sentence(1, "float16", "float64")


def test_every_step_stands_beside_the_exact_one_and_the_first_broken_is_marked() -> None:
    truth, (one_pass, *_) = outcomes(ROW, 256.0, "float16", "float16")
    rows = {row["head"]: row for row in step_rows(one_pass, truth)}
    assert list(rows) == ["Σx", "Σx²", "E[x]", "E[x²]", "E[x]²", "σ²"]
    assert rows["Σx²"]["cells"] == ["Inf ✗", "262149"]
    assert [head for head, row in rows.items() if row.get("state")] == ["Σx²"]


def test_what_is_normalized_is_drawn_or_said_where_it_has_no_place() -> None:
    truth, found = outcomes(ROW, 256.0, "float16", "float16")
    rows = result_rows(found, truth)
    assert rows[0]["cells"][2] == "NaN"
    assert rows[3]["cells"][2]["strip"] == pytest.approx(
        [-1.3416354, -0.4472118, 0.4472118, 1.3416354], abs=1e-7
    )
    # The squares' mean and the mean's square are both 2²⁶: σ² is 0, and x̂ is 1.5/√1e-5.
    truth, found = outcomes(ROW, 2.0**13, "float32", "float32")
    assert found[0].variance == 0
    assert result_rows(found, truth)[0]["cells"][2] == "from −474 to 474"


def test_a_drawing_follows_length_and_seed_and_a_link_brings_it_back() -> None:
    store = Store()
    assert row_of(store.values) == ROW
    store.update({"precision_length": 3})
    assert store["precision_row"] == ()
    assert row_of(store.values) == (0.3456, 0.8216, 0.3304)  # PCG64 seeded with 1, to 4 decimals
    store.update({"precision_seed": 2})
    second = row_of(store.values)
    assert second != drawn(3, 1)
    fragment = fragment_of(store)
    assert {"prow=", "plen=3", "pseed=2"} <= set(fragment.split("&"))
    other = Store()
    assert open_fragment(other, fragment) == []
    assert row_of(other.values) == second
    other.update({"precision_row": [4.0]})
    assert row_of(other.values) == (4.0,)


@pytest.mark.parametrize(
    ("patch", "name"),
    [
        ({"precision_length": 0}, "precision_length"),
        ({"precision_length": 257}, "precision_length"),
        ({"precision_seed": -1}, "precision_seed"),
        ({"precision_seed": 10_000}, "precision_seed"),
        ({"precision_row": [1e7]}, "precision_row"),
        ({"precision_row": [0.0] * 257}, "precision_row"),
        ({"precision_view": "cost"}, "precision_view"),
    ],
)
def test_what_is_out_of_bounds_is_refused_by_name(patch: dict[str, object], name: str) -> None:
    store = Store()
    with pytest.raises(ValueError, match=name):
        store.update(patch)
    assert row_of(store.values) == ROW


def test_a_row_goes_through_a_link() -> None:
    kind = FIELDS["precision_row"].kind
    text = kind.encode((1.0, -2.5))
    assert text == "1,-2.5"
    assert kind.parse("precision_row", kind.decode(text)) == (1.0, -2.5)
    assert kind.decode("") == []


def test_all_methods_agree_where_float64_holds_everything() -> None:
    """Against the exact fractions, for rows of every drawn length."""
    for length in (1, 2, 16, 256):
        truth, found = outcomes(drawn(length, 5), 0.0, "float64", "float64")
        for one in found:
            assert one.method in METHODS
            # One value, and E[x²] − E[x]² of it, may leave a rounding of the square.
            assert one.variance == pytest.approx(float(truth.variance), rel=1e-13, abs=1e-15)
            assert one.normalized_error < 1e-9


def test_rms_norm_saves_a_read_only_where_rows_are_read_anew() -> None:
    """(2 + 1)/(3 + 1) and (1 + 1)/(1 + 1)."""
    assert (ratio("streamed", "float32"), ratio("held", "float32")) == (0.75, 1.0)
    assert PASSES["layer", "streamed"].bytes_each("float16") == 8
