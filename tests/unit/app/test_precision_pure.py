"""The Precision scene's numbers against exact arithmetic and the types' definitions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from app.benchmark import Measured, measure, shares
from app.cost import PASSES, ratio
from app.fields import FIELDS
from app.precision import METHODS, OFFSETS, STORED, curve, exact, outcome
from app.precision_text import caption

ROW = (-1.5, -0.5, 0.5, 1.5)  # mean 0, variance (2.25 + 0.25)·2/4 = 1.25


def test_the_exact_answer_does_not_depend_on_the_offset() -> None:
    for offset in OFFSETS:
        truth = exact(ROW, offset)
        assert (truth.mean, truth.variance) == (Fraction(offset), Fraction(5, 4))
    assert truth.normalized == pytest.approx([v / math.sqrt(1.25 + 1e-5) for v in ROW], rel=1e-15)


def test_squares_leave_float16_at_256() -> None:
    """256² = 65536 is beyond 65504; two passes square only deviations."""
    one = outcome(ROW, 256.0, "one_pass", "float16", "float16")
    assert (one.broken, one.broken_value) == ("Σx²", math.inf)
    assert "Inf instead of 262149" in caption(one, float(exact(ROW, 256.0).steps["Σx²"]))
    for method in ("two_pass", "welford"):
        right = outcome(ROW, 256.0, method, "float16", "float16")
        assert (right.broken, right.mean, right.variance) == ("", 256.0, 1.25)


def test_one_pass_cancels_in_float32_where_numpy_does() -> None:
    """At 10⁴ squares need 27 bits; float32 has 24. NumPy's own float32 is the oracle."""
    x = (np.array(ROW) + 1e4).astype(np.float32)
    total = squares = np.float32(0)
    for value in x:
        total, squares = total + value, squares + value * value
    mean = total / np.float32(4)
    expected = squares / np.float32(4) - mean * mean
    one = outcome(ROW, 1e4, "one_pass", "float32", "float32")
    assert one.variance == float(expected) != 1.25
    assert one.broken == "σ²"
    assert outcome(ROW, 1e4, "two_pass", "float32", "float32").variance == 1.25


def test_storage_is_told_apart_from_the_method() -> None:
    """bfloat16 has steps of 1 below 256 and of 2 above: the kept row is 254, 256, 256, 258."""
    for method in METHODS:
        one = outcome(ROW, 256.0, method, "bfloat16", "float64")
        assert (one.broken, one.broken_value) == (STORED, 2.0)
    assert outcome(ROW, 1e5, "two_pass", "float16", "float64").broken_value == math.inf


def test_a_curve_has_a_gap_where_there_is_no_number() -> None:
    drawn = dict(zip(OFFSETS[1:], curve(ROW, "one_pass", "float16", "float16"), strict=True))
    assert math.isnan(drawn[256.0])
    assert math.isfinite(drawn[1.0])
    assert curve(ROW, "two_pass", "float64", "float64").max() < 1e-15


def test_rms_norm_saves_a_read_only_where_rows_are_read_anew() -> None:
    """(2 + 1)/(3 + 1) and (1 + 1)/(1 + 1)."""
    assert (ratio("streamed", "float32"), ratio("held", "float32")) == (0.75, 1.0)
    assert PASSES["layer", "streamed"].bytes_each("float16") == 8


def test_the_benchmark_pauses_after_each_call_and_says_why_it_ends() -> None:
    steps = list(measure(range(8, 10)))
    sizes = [step.size for step in steps if isinstance(step, Measured)]
    assert sizes == [256, 512]
    assert steps.count(None) == 2 * 5 * 5
    assert steps[-1] == "end"


def test_no_memory_ends_the_benchmark_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(x: np.ndarray) -> np.ndarray:
        raise MemoryError

    monkeypatch.setattr(np, "empty_like", full)
    assert list(measure(range(8, 10))) == ["memory:8"]


def test_a_share_counts_the_bytes_that_were_moved() -> None:
    assert shares({"copy": 1.0, "k": 4.0}, {"copy": 8, "k": 16}) == {"copy": 1.0, "k": 0.5}


def test_a_row_goes_through_a_link() -> None:
    kind = FIELDS["precision_row"].kind
    text = kind.encode((1.0, -2.5))
    assert text == "1,-2.5"
    assert kind.parse("precision_row", kind.decode(text)) == (1.0, -2.5)
    with pytest.raises(ValueError, match="precision_row"):
        kind.parse("precision_row", [])
