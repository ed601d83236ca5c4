"""The Python side: the same results as NumPy's kernels, chosen by size, with a record of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kernels
from kernels.webgpu.backend import Backend
from kernels.webgpu.choice import Choice, Timing
from kernels.webgpu.table import KERNELS
from kernels.webgpu.trial import difference
from tests.gpu.device import Device
from tests.gpu.inputs import noise
from tests.gpu.page_glue import PageGlue, run

ALLOWED = 2e-6
# Of a sum of products, beside the largest of which its rounding is to be seen.
ALLOWED_OF_PRODUCTS = 1e-5


@pytest.fixture(scope="module")
def backend(gpu_page: Any, exchange: dict[str, bytes]) -> Backend:
    """A backend over the page."""
    backend = Backend()
    glue = PageGlue(Device(gpu_page, exchange), backend._noticed)
    assert run(backend.start(glue=glue))
    return backend


ROWS = noise((6, 4, 10), 1, 3.0)
IMAGES = noise((3, 4, 5, 8), 2, 3.0)
GAIN, SHIFT = noise((10,), 3), noise((10,), 4)
CHANNEL_GAIN, CHANNEL_SHIFT = noise((4,), 5), noise((4,), 6)
RUNNING = {"running_mean": noise((4,), 7), "running_var": np.abs(noise((4,), 8)) + 0.5}

CASES: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "layer_norm over the last axis": ("layer_norm", (ROWS, 10), {}),
    "layer_norm over two axes": ("layer_norm", (ROWS, (4, 10)), {"eps": 0.1}),
    "layer_norm with weight and bias": ("layer_norm", (ROWS, 10, GAIN, SHIFT), {}),
    "rms_norm": ("rms_norm", (ROWS, 10), {}),
    "rms_norm as in Gemma": ("rms_norm", (ROWS, [10], GAIN), {"gain_offset": 1.0, "eps": 1e-6}),
    "normalize over the first axis": ("normalize", (ROWS, 0), {}),
    "normalize over all axes": ("normalize", (ROWS, None), {"center": False}),
    "normalize over no axis": ("normalize", (ROWS, ()), {}),
    "group_norm": ("group_norm", (IMAGES, 2), {}),
    "group_norm with weight": ("group_norm", (IMAGES, 2, CHANNEL_GAIN, CHANNEL_SHIFT), {}),
    "batch_norm in training": ("batch_norm", (IMAGES,), {**RUNNING, "training": True}),
    "batch_norm with weight": (
        "batch_norm",
        (IMAGES, *RUNNING.values(), CHANNEL_GAIN, CHANNEL_SHIFT, True, None),
        {"num_batches_tracked": 3, "unbiased_running_var": False},
    ),
    "batch_norm in evaluation": (
        "batch_norm",
        (IMAGES, *RUNNING.values(), CHANNEL_GAIN, CHANNEL_SHIFT),
        {},
    ),
    "batch_norm in evaluation, bare": ("batch_norm", (IMAGES, *RUNNING.values()), {}),
    "batch_norm of [B, T, d]": ("batch_norm", (ROWS,), {"channel_axis": -1, "training": True}),
    "softmax": ("softmax", (ROWS,), {}),
    "softmax over the first axis": ("softmax", (ROWS, 0), {"temperature": 0.5}),
    "attention_scores": ("attention_scores", (ROWS, ROWS), {"soft_cap": 3.0}),
    "layer_norm_backward": ("layer_norm_backward", (noise(ROWS.shape, 20), ROWS, 10, GAIN), {}),
    "rms_norm_backward": ("rms_norm_backward", (noise(ROWS.shape, 20), ROWS, 10), {"eps": 1e-6}),
    "moments": ("moments", (ROWS, 1), {}),
    "largest": ("largest", (ROWS, (0, 2)), {}),
    "sum_exp": ("sum_exp", (ROWS, 2), {}),
}


@pytest.mark.parametrize("case", CASES)
def test_both_backends_give_the_same(backend: Backend, case: str) -> None:
    name, args, kwargs = CASES[case]
    got = run(backend.run(name, *args, backend="webgpu", **kwargs))
    assert backend.last is not None
    assert (backend.last.backend, backend.last.reason) == ("webgpu", "")
    right = KERNELS[name].numpy(*args, **kwargs)
    assert type(got) is type(right)
    allowed = ALLOWED_OF_PRODUCTS if "scores" in name or "backward" in name else ALLOWED
    assert difference(got, right) <= allowed
    for mine, theirs in zip(fields(got), fields(right), strict=True):
        assert type(mine) is type(theirs)
        if isinstance(theirs, np.ndarray):
            assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
        elif theirs is not None:
            assert mine == theirs


def fields(result: Any) -> tuple[Any, ...]:
    """A record's fields, an array as the only one."""
    return result if isinstance(result, tuple) else (result,)


def test_every_kernel_of_the_table_is_among_the_cases() -> None:
    assert {name for name, _, _ in CASES.values()} == set(KERNELS)


def test_the_mean_of_a_spoilt_group_is_numpys(backend: Backend) -> None:
    x = noise((5, 16), 9)
    x[0, 3], x[1, 3], x[2, 3], x[3, 3:5] = np.nan, np.inf, -np.inf, (np.inf, -np.inf)
    result = run(backend.run("layer_norm", x, 16, backend="webgpu"))
    with np.errstate(invalid="ignore"):
        assert np.array_equal(result.mean[:4, 0], x[:4].mean(1), equal_nan=True)


def test_statistics_beyond_float32_come_back_in_float64(backend: Backend) -> None:
    x = noise((2, 64), 10) * np.float32(1e30)
    result = run(backend.run("layer_norm", x, 64, backend="webgpu"))
    right = kernels.layer_norm(x, 64)
    assert right.variance is not None and right.variance.max() > 1e59
    assert np.allclose(result.variance, right.variance, rtol=2e-6)


def test_float16_stays_float16(backend: Backend) -> None:
    x = noise((3, 8), 11).astype(np.float16)
    result = run(backend.run("layer_norm", x, 8, backend="webgpu"))
    right = kernels.layer_norm(x, 8)
    assert result.output.dtype == np.float16
    assert np.allclose(result.output.astype(float), right.output.astype(float), atol=2e-3)


def test_float64_is_numpys_unless_webgpu_is_asked_for(backend: Backend) -> None:
    x = ROWS.astype(np.float64)
    backend.force("webgpu")
    try:
        result = run(backend.run("layer_norm", x, 10))
    finally:
        backend.force("auto")
    assert np.array_equal(result.output, kernels.layer_norm(x, 10).output)
    assert backend.last is not None
    assert backend.last.reason == "x is float64, and a GPU computes in float32"
    rounded = run(backend.run("layer_norm", x, 10, backend="webgpu"))
    assert backend.last.backend == "webgpu" and backend.last.rounded
    assert rounded.output.dtype == np.float32


ERRORS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("layer_norm", (ROWS, 9), {}),
    ("layer_norm", (ROWS, 10, np.ones(9)), {}),
    ("layer_norm", (ROWS, 10), {"eps": -1.0}),
    ("rms_norm", (ROWS, ()), {}),
    ("normalize", (ROWS, 3), {}),
    ("normalize", (ROWS, (1, 1)), {}),
    ("normalize", (ROWS * 1j, 1), {}),
    ("group_norm", (IMAGES, 3), {}),
    ("batch_norm", (IMAGES[:1, :, :1, :1],), {"training": True}),
    ("batch_norm", (IMAGES, np.ones(4)), {}),
    ("softmax", (ROWS,), {"temperature": 0.0}),
    ("layer_norm_backward", (ROWS[:1], ROWS, 10), {}),
    ("attention_scores", (ROWS, ROWS), {"soft_cap": -1.0}),
    ("moments", (ROWS, 7), {}),
]


@pytest.mark.parametrize("case", range(len(ERRORS)))
def test_bad_input_raises_what_numpy_raises(backend: Backend, case: int) -> None:
    name, args, kwargs = ERRORS[case]
    right = raised(lambda: KERNELS[name].numpy(*args, **kwargs))
    got = raised(lambda: run(backend.run(name, *args, backend="webgpu", **kwargs)))
    assert (type(got), str(got)) == (type(right), str(right))


def raised(call: Callable[[], object]) -> Exception:
    """What a call raises."""
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    return caught.value


NUMPYS: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "an empty tensor": ("layer_norm", (np.zeros((0, 4), np.float32), 4), {}),
    "a mask": ("batch_norm", (IMAGES,), {"training": True, "mask": np.ones((3, 5, 8), bool)}),
    "a weight with NaN": ("layer_norm", (ROWS, 10, np.full(10, np.nan)), {}),
    "a running variance of 0": (
        "batch_norm",
        (IMAGES, np.zeros(4), np.zeros(4)),
        {"eps": 0.0},
    ),
    "QK-norm": ("attention_scores", (ROWS, ROWS), {"qk_norm": "rms"}),
    "axes that alternate too often": ("normalize", (np.ones((2,) * 6, np.float32), (0, 2, 4)), {}),
}


@pytest.mark.parametrize("case", NUMPYS)
def test_numpy_answers_what_the_device_does_not(backend: Backend, case: str) -> None:
    name, args, kwargs = NUMPYS[case]
    with np.errstate(all="ignore"):
        got = run(backend.run(name, *args, backend="webgpu", **kwargs))
        right = KERNELS[name].numpy(*args, **kwargs)
    assert difference(got, right) == 0
    assert backend.last is not None
    assert backend.last.backend == "numpy" and backend.last.reason


def test_the_self_test_passes_and_says_how_far_off_the_device_is(backend: Backend) -> None:
    report = run(backend.self_test())
    assert report is not None and report.passed
    assert 0 < report.largest_difference < 4e-6
    assert {kind: len(timings) for kind, timings in report.timings.items()} == {
        "normalize": 3,
        "softmax": 3,
        "product": 3,
    }
    status = backend.status()
    assert status["available"] and status["adapter"]["software"]
    assert status["self_test"]["largest_difference"] == report.largest_difference


def test_each_call_goes_to_the_faster_backend_for_its_size(backend: Backend) -> None:
    before = backend.choice
    timings = [Timing(64, 1.0, 2.0), Timing(4096, 64.0, 4.0)]
    backend.choice = Choice({"normalize": timings})
    try:
        run(backend.run("layer_norm", noise((2, 8), 12), 8))
        assert backend.last is not None and backend.last.backend == "numpy"
        run(backend.run("layer_norm", noise((64, 64), 13), 64))
        assert backend.last.backend == "webgpu"
        run(backend.run("softmax", noise((64, 64), 13)))
        assert backend.last.backend == "numpy"  # never timed
        backend.force("numpy")
        run(backend.run("layer_norm", noise((64, 64), 13), 64))
        assert backend.last.backend == "numpy"
        backend.force("webgpu")
        run(backend.run("layer_norm", noise((2, 8), 12), 8))
        assert backend.last.backend == "webgpu"
    finally:
        backend.choice = before
        backend.force("auto")


def test_times_between_and_beyond_those_measured() -> None:
    choice = Choice({"softmax": [Timing(10, 1, 10), Timing(100, 10, 10), Timing(1000, 100, 10)]})
    sizes = {1: "numpy", 50: "numpy", 200: "webgpu", 10**7: "webgpu"}
    assert {size: choice.faster("softmax", size) for size in sizes} == sizes
    assert Choice().faster("softmax", 10**9) == "numpy"
