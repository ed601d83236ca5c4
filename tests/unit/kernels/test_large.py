"""Large tensors go through the cache in pieces; nobody may see it in the numbers."""

import itertools

import numpy as np
import pytest

import kernels
from kernels import large_softmax
from kernels.large import LARGE, _mean_squares_by_runs
from kernels.plan import plan
from kernels.statistics import standardize

SHAPES = [
    (600, 300),
    (500, 320),
    (180, 768),
    (30, 5000),
    (4, 50_000),
    (50_000, 4),
    (1, 200_000),
    (17, 3, 71, 41),
    (40, 60, 70),
    (200_001,),
]


def worst_ulps(got: np.ndarray, wanted: np.ndarray) -> float:
    """The largest distance in units in the last place of the wanted value."""
    unit = np.spacing(np.abs(wanted.astype(got.dtype))).astype(np.float64)
    return float(np.max(np.abs(got - wanted) / unit))


def axes_of(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Every choice of at least one axis."""
    dims = range(len(shape))
    return [axes for n in dims for axes in itertools.combinations(dims, n + 1)]


CASES = [(shape, axes) for shape in SHAPES for axes in axes_of(shape)]


@pytest.mark.parametrize(("shape", "axes"), CASES)
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize(("offset", "scale"), [(0, 1), (1e6, 1), (0, 1e30), (0, 1e-30)])
def test_float32_in_pieces_is_float64_rounded(shape, axes, center, offset, scale) -> None:
    x = np.random.default_rng(0).standard_normal(shape)
    x = (offset + scale * x).astype(np.float32)
    assert x.size >= LARGE
    eps = 1e-5 * scale * scale
    wanted = standardize(x, axes, center, eps)
    got = kernels.normalize(x, axes, center=center, eps=eps)
    assert worst_ulps(got.output, wanted.normalized) <= 3
    np.testing.assert_allclose(got.denominator, wanted.denominator, rtol=1e-6)
    if center:
        np.testing.assert_allclose(got.mean, wanted.mean, rtol=1e-12, atol=1e-12 * scale)
        np.testing.assert_allclose(got.variance, wanted.variance, rtol=1e-9)


@pytest.mark.parametrize(("shape", "axes"), CASES)
def test_float64_in_pieces_is_the_same_as_in_one(shape, axes) -> None:
    x = 1e3 + np.random.default_rng(0).standard_normal(shape)
    wanted = standardize(x, axes, True, 1e-5).normalized
    np.testing.assert_allclose(kernels.normalize(x, axes).output, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("shape", "axes"), CASES)
def test_constant_groups_in_pieces_are_exactly_0(shape, axes) -> None:
    values = np.random.default_rng(0).standard_normal(
        [1 if a in axes else n for a, n in enumerate(shape)]
    )
    for dtype in (np.float32, np.float64, np.float16):
        x = np.broadcast_to(1e3 * values, shape).astype(dtype)
        result = kernels.normalize(x, axes)
        assert not result.output.any() and not result.variance.any()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("center", [True, False])
def test_weight_and_bias_in_pieces(order: str, center: bool) -> None:
    rng = np.random.default_rng(0)
    x = np.asarray(rng.standard_normal((700, 300)), np.float32, order=order)
    weight, bias = rng.standard_normal((2, 300)).astype(np.float32)
    wide = x.astype(np.float64)
    if center:
        got = kernels.layer_norm(x, 300, weight, bias)
        wanted = kernels.layer_norm(wide, 300).output * weight + bias.astype(np.float64)
        assert worst_ulps(got.output, wanted) <= 1
    else:
        got = kernels.rms_norm(x, 300, weight, 1e-6)
        wanted = kernels.rms_norm(wide, 300, None, 1e-6).output * weight
        assert worst_ulps(got.output, wanted) <= 4
    assert got.output.flags[f"{order}_CONTIGUOUS"]


@pytest.mark.parametrize("channels", [3, 300])
def test_batch_norm_with_weight_and_bias_in_pieces(channels: int) -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((400_001 // channels, channels)).astype(np.float32)
    weight, bias = rng.standard_normal((2, channels))
    got = kernels.batch_norm(x, None, None, weight, bias, training=True)
    wanted = kernels.batch_norm(x.astype(np.float64), training=True).output * weight + bias
    assert worst_ulps(got.output, wanted) <= 1


def test_a_weight_beyond_float32_does_not_turn_0_into_nan() -> None:
    x = np.random.default_rng(0).standard_normal((700, 300)).astype(np.float32)
    x[:, 0] = 0
    weight = np.ones(300)
    weight[0] = 1e300
    assert not kernels.rms_norm(x, 300, weight, 1e-6).output[:, 0].any()


def test_an_outlier_in_the_first_row_does_not_cost_the_others_their_digits() -> None:
    x = 1e4 + np.random.default_rng(0).standard_normal((50_000, 4))
    x[0] = 1e9
    wanted = standardize(x, (0,), True, 0.0).normalized
    got = kernels.normalize(x.astype(np.float32), 0, eps=0.0).output
    exact = standardize(x.astype(np.float32), (0,), True, 0.0).normalized
    assert worst_ulps(got, exact) <= 3
    np.testing.assert_allclose(kernels.normalize(x, 0, eps=0.0).output, wanted, rtol=1e-8)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_inf_in_pieces_spoil_their_own_group_only(axis: int, bad: float) -> None:
    x = np.random.default_rng(0).standard_normal((700, 300)).astype(np.float32)
    clean = kernels.normalize(x, axis).output
    x[41, 17] = bad
    got = kernels.normalize(x, axis).output
    spoilt = np.zeros(x.shape, bool)
    spoilt[(slice(None), 17) if axis == 0 else 41] = True
    assert np.isnan(got[spoilt]).all()
    np.testing.assert_allclose(got[~spoilt], clean[~spoilt], rtol=3e-7)


@pytest.mark.parametrize("axis", [0, 1, (0, 1)])
@pytest.mark.parametrize("scale", [1e200, 1e-200])
@pytest.mark.parametrize("center", [True, False])
def test_float64_out_of_range_in_pieces(axis, scale: float, center: bool) -> None:
    x = np.random.default_rng(0).standard_normal((700, 300))
    wanted = kernels.normalize(x, axis, center=center, eps=0.0).output
    got = kernels.normalize(scale * x, axis, center=center, eps=0.0).output
    np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-13)


def test_a_large_input_is_not_changed_and_not_returned() -> None:
    x = np.random.default_rng(0).standard_normal((700, 300)).astype(np.float32)
    kept = x.copy()
    x.flags.writeable = False
    for result in (kernels.layer_norm(x, 300), kernels.batch_norm(x, training=True)):
        assert not np.shares_memory(result.output, x)
    np.testing.assert_array_equal(x, kept)


def test_half_precision_in_pieces() -> None:
    x = (300 * np.random.default_rng(0).standard_normal((700, 300))).astype(np.float16)
    wanted = standardize(x, (1,), True, 1e-5).normalized
    assert worst_ulps(kernels.layer_norm(x, 300).output, wanted) <= 1


@pytest.mark.parametrize("width", [300, 768, 9000])
def test_numpy_s_buffer_is_what_it_was_after_a_call(width: int) -> None:
    x = np.random.default_rng(0).standard_normal((LARGE // width + 1, width)).astype(np.float32)
    with np.errstate():
        np.setbufsize(4096)
        for axis in (0, 1):
            kernels.normalize(x, axis)
            kernels.softmax(x, axis)
            assert np.getbufsize() == 4096


# Squares of a row in float32 serve where many runs of them are neither all alike, so that all are
# rounded alike, nor far apart, so that one rounding counts for all.
@pytest.mark.parametrize(
    ("rows", "serve"),
    [
        (np.random.default_rng(0).standard_normal((4, 768)), True),
        (np.random.default_rng(0).standard_normal((4, 480)), True),
        (np.full((4, 768), 0.1), False),
        (np.tile([0.1, 0.7], (4, 384)), False),
        (np.exp(4 * np.random.default_rng(0).standard_normal((4, 768))), False),
        (np.eye(4, 768), False),
        (np.zeros((4, 768)), False),
        (np.full((4, 768), np.nan), False),
        (np.full((4, 768), 1e30), False),
        (np.random.default_rng(0).standard_normal((4, 256)), False),
        (np.random.default_rng(0).standard_normal((4, 770)), False),
    ],
)
@np.errstate(all="ignore")
def test_which_rows_are_squared_in_float32(rows: np.ndarray, serve: bool) -> None:
    x = rows.astype(np.float32)
    square = _mean_squares_by_runs(x)
    assert (square is not None) == serve
    if square is not None:
        exact = np.mean(np.square(x.astype(np.float64)), 1)
        np.testing.assert_allclose(square, exact, rtol=2 * 2.0**-24)


def test_plan_merges_neighbours_of_a_kind_in_memory_order() -> None:
    x = np.zeros((2, 3, 4, 5))
    assert plan(x, (2, 3)).kinds == "KR" and plan(x, (2, 3)).shape == (6, 20)
    assert plan(x, (0, 2, 3)).kinds == "RKR" and plan(x, (0, 2, 3)).shape == (2, 3, 20)
    assert plan(np.asfortranarray(x), (3,)).kinds == "RK"
    assert plan(x[:, ::2], (0, 1)).shape == (2, 2, 20)
    assert plan(x, (3,), np.zeros((1, 1, 4, 5))).kinds == "KKR"


@pytest.fixture(params=[False, True])
def accurate_exp(request, monkeypatch) -> bool:
    monkeypatch.setattr(large_softmax, "EXP_IS_ACCURATE", request.param)
    return request.param


@pytest.mark.parametrize("shape", [(600, 300), (3, 70_000), (70_000, 3), (50, 60, 70), (200_000,)])
@pytest.mark.parametrize(("offset", "scale"), [(0, 1), (0, 10), (-60, 1), (1e6, 1), (0, 1e30)])
def test_softmax_in_pieces(shape, offset, scale, accurate_exp: bool) -> None:
    x = np.random.default_rng(0).standard_normal(shape)
    x = (offset + scale * x).astype(np.float32)
    # NumPy's vector code for exp is off by 2.52 units, the C library's in WebAssembly by 0.502.
    limit = 7 if accurate_exp else 1
    for axis in range(x.ndim):
        wide = x.astype(np.float64)
        exponential = np.exp(wide - wide.max(axis, keepdims=True))
        wanted = exponential / exponential.sum(axis, keepdims=True)
        assert worst_ulps(kernels.softmax(x, axis), wanted) <= limit


def test_softmax_in_pieces_of_rows_that_cannot_be_normalized(accurate_exp: bool) -> None:
    x = np.random.default_rng(0).standard_normal((700, 300)).astype(np.float32)
    clean = kernels.softmax(x)
    x[3, 5], x[4, 5], x[5] = np.nan, np.inf, -np.inf
    got = kernels.softmax(x)
    assert np.isnan(got[3:6]).all()
    np.testing.assert_allclose(
        np.delete(got, [3, 4, 5], 0), np.delete(clean, [3, 4, 5], 0), rtol=3e-7
    )


def test_softmax_in_pieces_keeps_type_and_takes_a_temperature() -> None:
    x = np.random.default_rng(0).standard_normal((700, 300))
    for dtype in (np.float16, np.float32, np.float64):
        got = kernels.softmax(x.astype(dtype), temperature=2.0)
        assert got.dtype == dtype
        np.testing.assert_allclose(
            got, kernels.softmax(x / 2), rtol=5e-3 if dtype == np.float16 else 1e-5
        )
