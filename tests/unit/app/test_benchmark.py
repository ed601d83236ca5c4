"""The live benchmark: its order, its ends, and what is said of its numbers. No real clock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from app.benchmark import loop, words
from app.benchmark.backends import Array, NumpyBackend, Refused, Steps, WebgpuBackend, awaited
from app.benchmark.loop import ROW, measure, watched
from app.benchmark.result import Measured, measured, takes_over, typical
from kernels.webgpu import GpuFailed

BACKENDS = ("numpy", "webgpu")


class Clock:
    """Stands still unless it is told how long something takes."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Timed:
    """A backend on which a call takes so many seconds for each value."""

    kernels: tuple[str, ...] = ("copy", "layer", "rms", "softmax")
    most_calls = 64
    handing: float | None = None

    def __init__(self, key: str, clock: Clock, **seconds: float) -> None:
        self.key, self.clock = key, clock
        self.seconds = {"copy": 1e-9, "layer": 2e-9, "rms": 1e-9, "softmax": 4e-9, **seconds}
        self.largest: float = float("inf")
        self.size = 0
        self.log: list[tuple[str, int]] = []

    def begin(self, x: Array) -> Steps[None]:
        if x.size > self.largest:
            raise Refused("no room")
        self.size = x.size
        yield None

    def timed(self, kernel: str, calls: int) -> Steps[float]:
        self.log.append((kernel, calls))
        self.clock.now += self.seconds[kernel] * self.size * calls
        yield None
        return self.seconds[kernel] * self.size

    def result(self, kernel: str) -> Steps[Array]:
        yield None
        return np.full(3, 1.5 if self.key == "webgpu" and kernel == "rms" else 1.0)

    def end(self) -> None:
        self.size = 0


def run(backends: list[Any], exponents: range, clock: Any) -> list[Measured]:
    """All that is measured, with nothing to wait for."""
    found: list[Measured] = []
    for step in measure(backends, found.append, exponents, clock=clock):
        assert step is None
    return found


def test_medians_and_shares_of_both_backends_are_those_of_the_clock() -> None:
    clock = Clock()
    numpy, webgpu = Timed("numpy", clock), Timed("webgpu", clock, layer=1e-9, copy=5e-10)
    first, second = run([numpy, webgpu], range(8, 10), clock)
    assert (first.size, second.size) == (256, 512)
    assert first.seconds["numpy"]["layer"] == pytest.approx(256 * 2e-9)
    assert second.share == {
        "numpy": pytest.approx({"copy": 1, "layer": 0.5, "rms": 1, "softmax": 0.25}),
        "webgpu": pytest.approx({"copy": 1, "layer": 0.5, "rms": 0.5, "softmax": 0.125}),
    }
    # 4 bytes read and 4 written in 1 ns, and in half of it.
    assert first.bandwidth == pytest.approx({"numpy": 8e9, "webgpu": 16e9})
    assert first.missing == {}


def test_sizes_go_from_one_row_to_two_to_the_26() -> None:
    assert list(loop.exponents_for(256)) == list(range(8, 27))
    assert loop.exponents_for(65536)[0] == 16
    steps = loop.values(2**13, 4096)
    assert next(steps) is None
    with pytest.raises(StopIteration) as end:
        next(steps)
    assert end.value.value.shape == (2, 4096)


def test_kernels_and_backends_take_turns() -> None:
    clock = Clock()
    numpy = Timed("numpy", clock)
    run([numpy], range(12, 13), clock)
    rounds = [kernel for kernel, _ in numpy.log][-loop.RUNS * 4 :]
    assert rounds == list(numpy.kernels) * loop.RUNS


def test_calls_are_repeated_until_a_coarse_clock_sees_them_and_not_more() -> None:
    clock = Clock()
    backend = Timed("numpy", clock, copy=1e-6, layer=1e-6, rms=1e-6, softmax=1e-6)
    run([backend], range(8, 13), clock)
    slow = [calls for _, calls in backend.log[-4:]]
    assert slow == [3] * 4  # 4096 µs a call; three are the first to last 12 ms
    assert max(calls for _, calls in backend.log) <= backend.most_calls


def test_a_backend_that_refuses_a_size_leaves_the_other_alone() -> None:
    clock = Clock()
    numpy, webgpu = Timed("numpy", clock), Timed("webgpu", clock)
    webgpu.largest = 256
    first, second = run([numpy, webgpu], range(8, 10), clock)
    assert set(first.seconds) == {"numpy", "webgpu"}
    assert set(second.seconds) == {"numpy"}
    assert second.missing == {"webgpu": "no room"}


def test_a_call_that_would_take_too_long_is_not_begun() -> None:
    clock = Clock()
    slow = Timed("numpy", clock, softmax=0.02)  # 5.1 s at 2⁸, so 10.2 s at 2⁹
    first, second = run([slow], range(8, 12), clock)
    assert first.seconds["numpy"]["softmax"] == pytest.approx(0.02 * 256)
    assert second.seconds == {}
    assert second.missing == {"numpy": "one call would take about 10 s."}


def test_no_memory_ends_the_benchmark_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: object) -> np.ndarray:
        raise MemoryError

    monkeypatch.setattr(loop.np, "empty", full)
    (only,) = run([NumpyBackend(), WebgpuBackend()], range(8, 10), Clock())
    assert only.missing == dict.fromkeys(
        BACKENDS, "the values do not fit into WebAssembly’s memory."
    )
    assert only.seconds == {}


def test_the_longest_piece_of_work_is_what_an_edit_waited_for() -> None:
    clock = Clock()

    def steps() -> Steps[str]:
        clock.now += 0.5
        yield None
        clock.now += 2.0
        try:
            yield None
        except GpuFailed:
            clock.now += 1.0
        return "done"

    watching = watched(steps(), clock)
    next(watching)
    clock.now += 40.0  # the page's own time does not count
    next(watching)
    with pytest.raises(StopIteration) as end:
        watching.throw(GpuFailed("device-lost", "gone"))
    assert end.value.value == ("done", 2.0)


def test_a_device_that_fails_in_the_middle_is_left_out_of_that_size() -> None:
    """What is awaited fails from outside, as the page's background raises it at the yield."""

    class Lost(Timed):
        def timed(self, kernel: str, calls: int) -> Steps[float]:
            if kernel == "rms":
                yield from awaited(lost)
            return (yield from super().timed(kernel, calls))

    clock = Clock()
    found: list[Measured] = []
    backends = [Timed("numpy", clock), Lost("webgpu", clock)]
    steps = measure(backends, found.append, range(8, 10), clock=clock)
    step = next(steps)
    with pytest.raises(StopIteration):
        while True:
            broken = step is not None
            step = steps.throw(GpuFailed("device-lost", "Gone.")) if broken else next(steps)
    assert [set(one.seconds) for one in found] == [{"numpy"}] * 2
    assert [one.missing for one in found] == [
        {"webgpu": "the device was lost; it is being asked for again."}
    ] * 2


async def lost() -> int:
    """What a device that is gone answers."""
    raise GpuFailed("device-lost", "The device was lost.")


def test_a_failing_device_is_a_refusal_in_its_own_words() -> None:
    def drive(steps: Steps[int]) -> None:
        waiting = next(steps)
        assert isinstance(waiting, Awaitable)
        # In a thread of its own: the browser's tests leave an event loop running in this one.
        with ThreadPoolExecutor(1) as pool, pytest.raises(GpuFailed) as failure:
            pool.submit(asyncio.run, through(waiting)).result()
        steps.throw(failure.value)

    async def through(waiting: Awaitable[object]) -> None:
        await waiting

    with pytest.raises(Refused, match="the device was lost; it is being asked for again"):
        drive(awaited(lost))


def test_without_a_page_webgpu_says_why_and_numpy_is_measured() -> None:
    (one,) = run([NumpyBackend(), WebgpuBackend()], range(8, 9), time.perf_counter)
    assert set(one.seconds) == {"numpy"}
    assert set(one.seconds["numpy"]) == set(NumpyBackend.kernels)
    assert one.missing["webgpu"]
    assert one.difference is None


def test_results_of_both_are_compared() -> None:
    """1.5 where 1 is right."""
    clock = Clock()
    (one,) = run([Timed("numpy", clock), Timed("webgpu", clock)], range(8, 9), clock)
    assert one.difference == pytest.approx(0.5)


def test_the_copys_arrays_lie_half_a_page_apart() -> None:
    backend = NumpyBackend()
    x = np.arange(1024, dtype=np.float32).reshape(-1, ROW)
    list(backend.begin(x))
    target = backend.call("copy")
    np.testing.assert_array_equal(target, x)
    here, there = (array.__array_interface__["data"][0] for array in (x, target))
    assert (there - here) % 4096 == 2048


def test_the_kernels_compared_are_the_formula() -> None:
    """(x − μ)/√(σ² + ε) and x/√(mean x² + ε) in float64, on rows with an offset of 3."""
    backend = NumpyBackend()
    x = np.random.default_rng(0).standard_normal((4, ROW)).astype(np.float32) + np.float32(3)
    list(backend.begin(x))
    wide = x.astype(np.float64)
    mean, square = wide.mean(-1, keepdims=True), (wide * wide).mean(-1, keepdims=True)
    layer = (wide - mean) / np.sqrt(wide.var(-1, keepdims=True) + 1e-5)
    for kernel, right in (("layer", layer), ("rms", wide / np.sqrt(square + 1e-5))):
        for name in (kernel, f"textbook_{kernel}"):
            np.testing.assert_allclose(backend.call(name), right, rtol=2e-5, atol=2e-6)


# words --------------------------------------------------------------------------------------------


def made(size: int, **seconds: dict[str, float]) -> Measured:
    """A size with the given seconds a call; a kernel that is not named took 1."""
    samples = {
        backend: {
            kernel: [numbers.get(kernel, 1.0)]
            for kernel in ("copy", "layer", "rms", "softmax", "textbook_layer", "textbook_rms")
        }
        for backend, numbers in seconds.items()
    }
    return measured(size, samples, {}, held=0.25, handing=1e-4, difference=3e-7)


def test_rms_norm_is_called_cheaper_only_where_it_was() -> None:
    cheap = {"copy": 0.1, "layer": 1.0, "rms": 0.6}
    bound = {"copy": 0.9, "layer": 1.0, "rms": 0.98}
    other = {"copy": 0.1, "layer": 1.0, "rms": 1.02}
    all_measured = [made(2**26, numpy=cheap, webgpu=bound)]
    assert words.lead(all_measured) == (
        "Of LayerNorm’s time at 2²⁶ values, RMSNorm takes 60% in NumPy and 98% on WebGPU."
    )
    numpy, webgpu = words.why(all_measured)
    assert "cheaper, with one statistic" in numpy
    assert "17% of the copy’s bandwidth, LayerNorm 10%" in numpy
    assert "not cheaper. LayerNorm already comes near the copy, at 90% of its bandwidth" in webgpu
    assert "(RMSNorm 92%)" in webgpu
    (slow,) = words.why([made(2**20, numpy=other)])
    assert "not for want of bandwidth" in slow


def test_sizes_at_which_it_is_not_cheaper_are_named() -> None:
    same, cheap = {"copy": 0.1, "layer": 1.0, "rms": 0.97}, {"copy": 0.1, "layer": 1.0, "rms": 0.5}
    sizes = [made(2**8, numpy=same), made(2**9, numpy=same)]
    sizes += [made(2**power, numpy=cheap) for power in range(10, 16)]
    (said,) = words.why(sizes)
    assert "Up to 2⁹ values it is at least 97%" in said
    assert words.lead(sizes) == (
        "Of LayerNorm’s time at 2¹¹ to 2¹⁵ values, RMSNorm takes 50% in NumPy."
    )


def test_one_busy_moment_does_not_turn_the_verdict() -> None:
    cheap, busy = {"copy": 0.1, "layer": 1.0, "rms": 0.5}, {"copy": 0.1, "layer": 1.0, "rms": 3.0}
    sizes = [made(2**power, numpy=busy if power == 26 else cheap) for power in range(22, 27)]
    found = typical(sizes, "numpy")
    assert found is not None
    assert found.ratio == 0.5
    assert found.bandwidth == pytest.approx(8 * 2**24 / 0.1)


def test_webgpu_takes_over_where_it_stays_the_faster() -> None:
    def layer(numpy: float, webgpu: float) -> dict[str, dict[str, float]]:
        return {"numpy": {"layer": numpy}, "webgpu": {"layer": webgpu}}

    sizes = [made(2**8, **layer(1, 9)), made(2**9, **layer(5, 4)), made(2**10, **layer(5, 6))]
    assert takes_over(sizes, "layer") is None
    assert words.faster(sizes)[0] == "LayerNorm in NumPy is the faster at 2¹⁰ values."
    sizes += [made(2**11, **layer(9, 3)), made(2**12, **layer(9, 2))]
    assert takes_over(sizes, "layer") == 2**11
    assert words.faster(sizes)[0] == "LayerNorm on WebGPU is the faster from 2¹¹ values on."


def test_a_missing_backend_is_told_once_from_which_size_on() -> None:
    one = made(2**25, numpy={})
    gone = [one._replace(missing={"webgpu": "a <b>"}, size=2**power) for power in (25, 26)]
    assert words.missing([made(2**24, numpy={}, webgpu={}), *gone]) == [
        "WebGPU from 2²⁵ values on: a &lt;b&gt;"
    ]
    assert words.missing(gone[:1]) == ["WebGPU at 2²⁵ values: a &lt;b&gt;"]


def test_before_anything_is_measured_the_bytes_are_what_is_known() -> None:
    assert "Nothing is measured yet" in words.lead([])
    assert "75%" in words.why([])[0]
    assert words.faster([]) == words.missing([]) == words.held([]) == []


def test_the_device_and_what_is_not_in_the_times_are_told() -> None:
    adapter = {"software": True, "description": "", "vendor": "google", "architecture": "x<y"}
    said = " ".join(words.device([made(2**16, numpy={}, webgpu={})], adapter))
    assert "emulated here by the processor (google x&lt;y)" in said
    assert "0.1 ms in which Python hands a call over" in said
    assert "Results compared up to 2¹⁶ values: they differ by 3.0e-07." in said
    assert "2²⁶ values" in " ".join(words.held([made(2**26, numpy={})]))
