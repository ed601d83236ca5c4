"""Rounding and statistics in the arithmetic of an accelerator."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kernels
from kernels.precision import FORMATS, METHODS, emulate_moments, emulate_rms_norm, round_to

METHOD_NAMES = sorted(METHODS)


@given(st.floats(width=32))
def test_bfloat16_is_that_of_ml_dtypes(value: float) -> None:
    wanted = np.array(value, np.float32).astype(ml_dtypes.bfloat16).astype(np.float64)
    np.testing.assert_array_equal(round_to(value, "bfloat16"), wanted)


@given(st.floats())
@pytest.mark.parametrize("name", sorted(FORMATS))
def test_rounding_twice_is_rounding_once_and_gives_the_nearest(name: str, value: float) -> None:
    got = round_to(value, name)
    np.testing.assert_array_equal(round_to(got, name), got)
    if np.isfinite(got):
        bits, _ = FORMATS[name]
        assert abs(got - value) <= max(
            abs(value) * 2.0**-bits, 2.0**-25 if name == "float16" else 1e-40
        )


def test_ties_go_to_even_and_not_over_float32() -> None:
    # Halfway between two bfloat16 numbers, and a hair above: rounding to float32 first loses it.
    half = 1 + 2.0**-8
    assert round_to(half, "bfloat16") == 1.0
    assert round_to(half + 2.0**-40, "bfloat16") == 1 + 2.0**-7


@pytest.mark.parametrize(
    ("name", "largest"), [("float16", 65504.0), ("bfloat16", 2.0**128 - 2.0**120)]
)
def test_the_largest_number_and_the_first_that_is_infinite(name: str, largest: float) -> None:
    assert FORMATS[name].largest == largest == round_to(largest, name)
    assert np.isinf(round_to(largest * 1.01, name))
    assert round_to(-largest * 1.01, name) == -np.inf


def test_subnormals_are_kept() -> None:
    assert round_to(2.0**-24, "float16") == 2.0**-24
    assert round_to(2.0**-133, "bfloat16") == 2.0**-133
    assert round_to(2.0**-135, "bfloat16") == 0


def test_the_square_of_256_overflows_float16_unless_sums_are_kept_in_float32() -> None:
    row = [256.0, -256.0]
    for method in METHOD_NAMES:
        half = emulate_moments(row, method, storage="float16", accumulation="float16")
        assert np.isinf(half.variance)
        mixed = emulate_moments(row, method, storage="float16", accumulation="float32")
        assert mixed.variance == 65536


@pytest.mark.parametrize(
    ("method", "variance"), [("one_pass", -128), ("two_pass", 1.25), ("welford", 1.25)]
)
def test_one_pass_cancels_at_an_offset_of_40000(method: str, variance: float) -> None:
    # The row on which ONNX Runtime gave NaN, microsoft/onnxruntime#28463; 1.25 is exact.
    got = emulate_moments([40000.0, 40001.0, 40002.0, 40003.0], method)
    assert got.mean == 40001.5 and got.variance == variance


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_steps_are_in_order_and_end_with_the_variance(method: str) -> None:
    got = emulate_moments([1.0, 2.0, 4.0], method)
    assert list(got.steps)[-1] == "σ²"
    assert got.steps["σ²"] == got.variance


def test_the_first_step_that_breaks_can_be_found() -> None:
    got = emulate_moments([300.0, 300.0], "one_pass", storage="float16", accumulation="float16")
    broken = [name for name, value in got.steps.items() if not np.isfinite(value)]
    assert broken == ["Σx²", "E[x²]", "E[x]²", "σ²"]
    assert np.isnan(got.variance)


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=20), st.sampled_from(METHOD_NAMES))
def test_in_float64_all_methods_agree_with_the_kernel(row: list[float], method: str) -> None:
    got = emulate_moments(row, method, storage="float64", accumulation="float64")
    wanted = kernels.normalize(row, None)
    np.testing.assert_allclose(got.mean, wanted.mean[0], atol=1e-12)
    np.testing.assert_allclose(got.variance, wanted.variance[0], atol=1e-9)


@given(
    st.lists(st.floats(-100, 100, width=32), min_size=1, max_size=12),
    st.sampled_from(["float16", "float32"]),
)
def test_every_operation_rounds_as_numpy_s_own_type_does(row: list[float], name: str) -> None:
    kind = np.dtype(name).type
    total, squares = kind(0), kind(0)
    with np.errstate(over="ignore", invalid="ignore"):
        for value in np.array(row, name):
            total, squares = total + value, squares + value * value
        mean = kind(total / kind(len(row)))
        variance = kind(squares / kind(len(row))) - mean * mean
    got = emulate_moments(row, "one_pass", storage=name, accumulation=name)
    np.testing.assert_array_equal([got.mean, got.variance], [mean, variance])


def test_any_axis_can_be_reduced() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    for axis in (0, 1, -1):
        got = emulate_moments(x, axis=axis)
        np.testing.assert_allclose(got.mean, x.mean(axis))
        np.testing.assert_allclose(got.variance, x.var(axis))


def test_the_two_cast_orders_of_rms_norm_differ_in_bfloat16() -> None:
    x, weight = [1.0, 2.0, 3.0], [1.5, 1.5, 1.5]
    llama = emulate_rms_norm(x, weight, cast_before_weight=True)
    olmo = emulate_rms_norm(x, weight)
    np.testing.assert_array_equal(llama, [0.6953125, 1.390625, 2.09375])
    np.testing.assert_array_equal(olmo, [0.6953125, 1.390625, 2.078125])


def test_the_two_cast_orders_of_the_kernel_itself_in_float16() -> None:
    x = np.array([1.0, 2.0, 3.0], np.float16)
    weight = np.full(3, 1.1, np.float16)
    for first in (True, False):
        got = kernels.rms_norm(x, 3, weight, 1e-6, cast_before_weight=first)
        wanted = emulate_rms_norm(x, weight, storage="float16", cast_before_weight=first)
        np.testing.assert_array_equal(got.output, wanted)
        assert got.output.dtype == np.float16
    promoted = kernels.rms_norm(x, 3, weight.astype(np.float32), 1e-6, cast_before_weight=True)
    assert promoted.output.dtype == np.float32
    assert kernels.rms_norm(x, 3, cast_before_weight=True).output.dtype == np.float16


def test_gemma_adds_1_in_float32() -> None:
    # √3 · 16.8125 = 29.12; with 1 + 15.8125 rounded to bfloat16 first, √3 · 16.75 = 29.01.
    got = emulate_rms_norm([3.0, 1.0, 1.0, 1.0], [15.8125] * 4, 0.0, gain_offset=1.0)
    assert got[0] == 29.125
    wide = emulate_rms_norm([1.0], [15.8125], 0.0, storage="float32", gain_offset=1.0)
    assert wide == 16.8125


def test_rms_norm_of_float16_with_sums_in_float16_is_0_at_256() -> None:
    row = [256.0, 256.0]
    narrow = emulate_rms_norm(row, eps=0.0, storage="float16", accumulation="float16")
    np.testing.assert_array_equal(narrow, 0)
    np.testing.assert_array_equal(emulate_rms_norm(row, eps=0.0, storage="float16"), 1)


def test_bad_names_are_named() -> None:
    with pytest.raises(ValueError, match="float_format: expected one of 'float16', 'bfloat16'"):
        round_to(1.0, "float8")
    with pytest.raises(ValueError, match="method: expected one of 'one_pass', 'two_pass'"):
        emulate_moments([1.0], "three_pass")
    with pytest.raises(ValueError, match="axis: expected one axis with at least one value"):
        emulate_moments(np.zeros((2, 0)))
    with pytest.raises(ValueError, match="axis: axis 1 is out of range"):
        emulate_moments([1.0], axis=1)
    with pytest.raises(ValueError, match=r"weight: expected shape \(2,\), got \(3,\)"):
        emulate_rms_norm([1.0, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"x: expected shape \[\*, d\] with d ≥ 1"):
        emulate_rms_norm(1.0)
