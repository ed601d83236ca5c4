"""Bad input: an exception that names the argument, what was expected and what came."""

from collections.abc import Callable

import numpy as np
import pytest

import kernels

X = np.arange(12.0).reshape(2, 6)

NORMS: dict[str, Callable] = {
    "normalize": lambda x, **o: kernels.normalize(x, -1, **o),
    "layer_norm": lambda x, **o: kernels.layer_norm(x, 6, **o),
    "rms_norm": lambda x, **o: kernels.rms_norm(x, 6, **o),
    "batch_norm": lambda x, **o: kernels.batch_norm(x, training=True, **o),
    "group_norm": lambda x, **o: kernels.group_norm(x, 2, **o),
    "instance_norm": lambda x, **o: kernels.instance_norm(x, **o),
}
ALL = NORMS | {
    "softmax": kernels.softmax,
    "log_softmax": kernels.log_softmax,
    "round_to": lambda x: kernels.round_to(x, "float16"),
    "emulate_moments": kernels.emulate_moments,
}

norms = pytest.mark.parametrize("norm", NORMS.values(), ids=NORMS.keys())
every = pytest.mark.parametrize("kernel", ALL.values(), ids=ALL.keys())


@every
@pytest.mark.parametrize(
    ("value", "came"),
    [
        (X + 1j, "complex128"),
        (np.array([["a", "b"]]), "<U1"),
        (np.array([[None, 1]]), "object"),
        (np.array(["2020-01-01"], "datetime64[D]"), r"datetime64\[D\]"),
        (X.astype(np.longdouble), str(np.dtype(np.longdouble))),
        ("text", "<U4"),
        (None, "object"),
    ],
    ids=lambda value: str(getattr(value, "dtype", value)),
)
def test_what_is_not_real_numbers_is_named(kernel: Callable, value, came: str) -> None:
    with pytest.raises(TypeError, match=f"x: expected real numbers .*, got {came}"):
        kernel(value)


@every
def test_ragged_lists_are_named(kernel: Callable) -> None:
    with pytest.raises(ValueError, match="x: expected a rectangular array of numbers, got nested"):
        kernel([[1.0, 2.0], [3.0]])


@every
def test_masked_arrays_are_refused_rather_than_unmasked(kernel: Callable) -> None:
    with pytest.raises(TypeError, match="x: a masked array's mask would be lost"):
        kernel(np.ma.masked_array(X, mask=X > 3))


@norms
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, np.bool_])
def test_integers_and_booleans_promote_to_float64(norm: Callable, dtype) -> None:
    x = (X % 2 if dtype is np.bool_ else X).astype(dtype)
    result = norm(x)
    assert result.output.dtype == np.float64
    np.testing.assert_array_equal(result.output, norm(x.astype(np.float64)).output)


@norms
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floats_keep_their_type_and_statistics_are_float64(norm: Callable, dtype) -> None:
    result = norm(X.astype(dtype))
    assert result.output.dtype == result.normalized.dtype == dtype
    assert result.denominator.dtype == result.mean_square.dtype == np.float64


@norms
@pytest.mark.parametrize("eps", [-1e-5, np.nan, np.inf])
def test_a_bad_eps_is_named(norm: Callable, eps: float) -> None:
    with pytest.raises(ValueError, match=f"eps: expected a finite number of at least 0, got {eps}"):
        norm(X, eps=eps)


@norms
@pytest.mark.parametrize("eps", ["1e-5", [1e-5], True, 1j])
def test_an_eps_that_is_no_number_is_named(norm: Callable, eps) -> None:
    with pytest.raises(TypeError, match="eps: expected a real number"):
        norm(X, eps=eps)


@pytest.mark.parametrize("name", ["layer_norm", "batch_norm", "group_norm", "instance_norm"])
@pytest.mark.parametrize("parameter", ["weight", "bias"])
def test_a_parameter_of_another_shape_is_named(name: str, parameter: str) -> None:
    x = X.reshape(2, 6, 1) if name != "layer_norm" else X
    options = {} if name in ("layer_norm", "group_norm") else {"strict": False}
    for wrong in (np.ones(5), np.ones((6, 1)), 1.0):
        with pytest.raises(ValueError, match=rf"{parameter}: expected shape \(6,\), got "):
            NORMS[name](x, **{parameter: wrong}, **options)
    with pytest.raises(TypeError, match=f"{parameter}: expected real numbers"):
        NORMS[name](x, **{parameter: np.ones(6) * 1j}, **options)


@pytest.mark.parametrize("norm", [kernels.layer_norm, kernels.rms_norm])
def test_normalized_shape_must_be_the_trailing_shape(norm: Callable) -> None:
    message = r"Given normalized_shape=\[4, 3\], expected input with shape \[\*, 4, 3\], but got "
    with pytest.raises(ValueError, match=message + r"input of size\[2, 6\]"):
        norm(X, (4, 3))
    with pytest.raises(ValueError, match="normalized_shape: expected to be at least 1-dimensional"):
        norm(X, ())
    with pytest.raises(ValueError, match=r"Given normalized_shape=\[1, 2, 6\]"):
        norm(X, (1, 2, 6))
    with pytest.raises(TypeError, match="normalized_shape: expected an integer, or several, got 6"):
        norm(X, 6.0)


def test_the_weight_of_rms_norm_must_have_its_shape() -> None:
    with pytest.raises(ValueError, match=r"weight: expected shape \(6,\), got \(2,\)"):
        kernels.rms_norm(X, 6, [1.0, 2.0])
    with pytest.raises(TypeError, match="gain_offset: expected a real number, got None"):
        kernels.rms_norm(X, 6, np.ones(6), gain_offset=None)


def test_groups_must_divide_the_channels() -> None:
    for x in (X, X[:1]):
        with pytest.raises(ValueError, match="must be divisible by num_groups, but 6 channels are"):
            kernels.group_norm(x, 4)
    with pytest.raises(ValueError, match="num_groups: expected a positive number, got -1"):
        kernels.group_norm(X, -1)
    with pytest.raises(TypeError, match=r"num_groups: expected an integer, got 2\.0"):
        kernels.group_norm(X, 2.0)
    with pytest.raises(ValueError, match=r"x: expected shape \[N, C, \*\], got \(6,\)"):
        kernels.group_norm(np.ones(6), 2)


def test_group_norm_of_one_value_a_group_raises_for_one_sample_as_torch_does() -> None:
    with pytest.raises(ValueError, match="Expected more than 1 value per channel when training"):
        kernels.group_norm(X[:1], 6)
    assert not kernels.group_norm(X[:1], 6, strict=False).output.any()
    # torch 2.13 lets two samples pass.
    assert not kernels.group_norm(X, 6).output.any()


def test_batch_norm_wants_both_running_statistics_of_the_right_shape() -> None:
    with pytest.raises(ValueError, match="running_var: expected both running statistics"):
        kernels.batch_norm(X, np.zeros(6))
    with pytest.raises(ValueError, match="running_mean: expected both running statistics"):
        kernels.batch_norm(X, None, np.ones(6))
    with pytest.raises(ValueError, match=r"running_var: expected shape \(6,\), got \(2,\)"):
        kernels.batch_norm(X, np.zeros(6), np.ones(2))


def test_batch_norm_momentum_and_counts() -> None:
    state = (np.zeros(6), np.ones(6))
    for momentum in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match="momentum: expected a number from 0 to 1, or None"):
            kernels.batch_norm(X, *state, training=True, momentum=momentum)
    with pytest.raises(ValueError, match="momentum_convention: expected one of 'pytorch', 'keras'"):
        kernels.batch_norm(X, *state, training=True, momentum_convention="tf")
    with pytest.raises(ValueError, match="num_batches_tracked: expected at least 0, got -1"):
        kernels.batch_norm(X, *state, training=True, momentum=None, num_batches_tracked=-1)


def test_batch_norm_masks() -> None:
    with pytest.raises(ValueError, match=r"mask: expected shape \(2,\), .* got \(3,\)"):
        kernels.batch_norm(X, training=True, mask=[1, 1, 0])
    with pytest.raises(ValueError, match="mask: expected booleans, or zeros and ones"):
        kernels.batch_norm(X, training=True, mask=[0.0, -np.inf])
    with pytest.raises(TypeError, match="mask: expected booleans, got complex128"):
        kernels.batch_norm(X, training=True, mask=[1j, 0])


def test_channel_axes() -> None:
    with pytest.raises(ValueError, match="channel_axis: axis 2 is out of range"):
        kernels.batch_norm(X, training=True, channel_axis=2)
    with pytest.raises(ValueError, match="channel_axis: axis 1 is out of range"):
        kernels.batch_norm(np.ones(3), training=True)


def test_sync_batch_norm_parts() -> None:
    with pytest.raises(ValueError, match="parts: expected at least one array, got none"):
        kernels.sync_batch_norm([])
    with pytest.raises(ValueError, match=r"parts\[1\]: expected 6 channels, got 3"):
        kernels.sync_batch_norm([X, X[:, :3]])
    with pytest.raises(TypeError, match=r"parts\[0\]: expected real numbers"):
        kernels.sync_batch_norm([X * 1j])
    with pytest.raises(ValueError, match="Expected more than 1 value per channel"):
        kernels.sync_batch_norm([X[:1], X[:0]])


def test_instance_norm_needs_running_statistics_to_use_them() -> None:
    with pytest.raises(ValueError, match="running_mean: needed, with running_var, when use_input"):
        kernels.instance_norm(X, use_input_stats=False)
    with pytest.raises(ValueError, match=r"x: expected shape \[N, C, \*\] or \[C, L\], got \(6,\)"):
        kernels.instance_norm(np.ones(6))


@pytest.mark.parametrize("kernel", [kernels.softmax, kernels.log_softmax])
def test_softmax_axis_and_temperature(kernel: Callable) -> None:
    with pytest.raises(ValueError, match="axis: axis 2 is out of range"):
        kernel(X, 2)
    with pytest.raises(TypeError, match=r"axis: expected one integer, got \(0, 1\)"):
        kernel(X, (0, 1))
    with pytest.raises(ValueError, match="x: expected at least one dimension, got a scalar"):
        kernel(1.0)
    for temperature in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="temperature: expected a positive, finite number"):
            kernel(X, temperature=temperature)


def test_soft_cap_and_entropy() -> None:
    for cap in (0.0, -30.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="cap: expected a positive, finite number"):
            kernels.soft_cap(X, cap)
    with pytest.raises(ValueError, match=r"p: expected probabilities, got -0\.5"):
        kernels.entropy([0.5, -0.5, 1.0])


@pytest.mark.parametrize("shape", [(0, 6), (0, 6, 3), (2, 6, 0), (2, 0)])
def test_empty_tensors_come_back_empty(shape: tuple[int, ...]) -> None:
    x = np.zeros(shape, np.float32)
    channels = shape[1]
    results = [
        kernels.layer_norm(x, shape[-1]),
        kernels.rms_norm(x, shape[-1], np.ones(shape[-1])),
        kernels.normalize(x, 0),
        kernels.normalize(x, None, center=False),
        kernels.batch_norm(x, np.zeros(channels), np.ones(channels), training=True),
        kernels.batch_norm(x, np.zeros(channels), np.ones(channels)),
        kernels.group_norm(x, 2, np.ones(channels), np.ones(channels)),
        kernels.instance_norm(x[None]),
    ]
    for result in results:
        assert result.output.size == 0 and result.output.dtype == np.float32
    for array in (kernels.softmax(x), kernels.log_softmax(x), kernels.softmax(x, 0)):
        assert array.shape == shape and array.dtype == np.float32


def test_a_scalar_has_no_axes_to_normalize_over() -> None:
    result = kernels.normalize(3.0, None)
    assert result.output.shape == () and result.output == 0 and result.mean == 3
    with pytest.raises(ValueError, match="axis 0 is out of range for an array with 0 dimensions"):
        kernels.normalize(3.0, 0)
