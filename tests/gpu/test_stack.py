"""The deep stack on the device: the numbers of the float64 stack, under every placement."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kernels.placements import PLACEMENTS
from kernels.residual import StackTrace, simulate_stack
from kernels.stack_settings import StackSettings
from kernels.webgpu.request import NotOnGpu
from kernels.webgpu.stack import GpuStackRun
from kernels.webgpu.stack_weights import DeviceWeights
from kernels.weights import WeightStore
from tests.gpu.device import Device
from tests.gpu.page_glue import PageGlue, run

SMALL = StackSettings(
    PLACEMENTS["pre_ln_final"].placement, depth=3, width=32, tokens=9, heads=4, seed=7, gain=0.5
)

# A float32 stack is compared with the float64 one: rounding of 1e-7 a step, over some 100 steps.
CLOSE = {"rtol": 2e-4, "atol": 2e-5}


@pytest.fixture(scope="module")
def weights(gpu_page: Any, exchange: dict[str, bytes]) -> DeviceWeights:
    """Weights on the page's device."""
    glue = PageGlue(Device(gpu_page, exchange), lambda notice: None)
    return DeviceWeights(WeightStore(), glue=glue)


def finished(settings: StackSettings, weights: DeviceWeights) -> StackTrace:
    """Run to the end."""
    stack = GpuStackRun(settings, weights)
    for step in stack:
        if step is not None:
            run(step.begin())
    assert stack.fraction == 1.0
    assert stack.trace is not None
    return stack.trace


def exact(settings: StackSettings) -> StackTrace:
    """The same by NumPy in float64."""
    fields = {name: getattr(settings, name) for name in settings.__slots__}
    return simulate_stack(**{**fields, "dtype": "float64"})


def compare(got: StackTrace, right: StackTrace) -> None:
    """Every measured number."""
    for name in StackTrace.__slots__:
        mine, theirs = getattr(got, name), getattr(right, name)
        if isinstance(theirs, np.ndarray):
            scale = (np.nanmax(np.abs(theirs)) if theirs.size else 0.0) or 1.0
            np.testing.assert_allclose(
                mine / scale, theirs / scale, err_msg=name, equal_nan=True, **CLOSE
            )
    assert got.loss == pytest.approx(right.loss, rel=1e-5)


@pytest.mark.parametrize("placement", sorted(PLACEMENTS))
def test_every_placement_measures_as_the_exact_stack(
    placement: str, weights: DeviceWeights
) -> None:
    settings = replace(SMALL, placement=PLACEMENTS[placement].placement)
    compare(finished(settings, weights), exact(settings))


VARIANTS: tuple[dict[str, Any], ...] = (
    {"norm": "rms_norm"},
    {"qk_norm": "rms"},
    {"qk_norm": "layer"},
    {"qk_norm": "l2", "score_scale": 4.0},
    {"qk_norm": "rms", "qk_norm_over_heads": True},
    {"qk_norm": "l2", "qk_norm_over_heads": True},
    {"shared_layers": True},
    {"residual_scaling": True, "gain": 2.0},
    {"tokens": 1},
    {"heads": 1},
    {"width": 20, "heads": 5, "tokens": 7},
    {"placement": PLACEMENTS["deep_norm"].placement, "depth": 5},
)


@pytest.mark.parametrize("changed", VARIANTS, ids=str)
def test_every_setting_measures_as_the_exact_stack(
    changed: dict[str, Any], weights: DeviceWeights
) -> None:
    settings = replace(SMALL, **changed)
    compare(finished(settings, weights), exact(settings))


def test_placements_share_the_weights_on_the_device(weights: DeviceWeights) -> None:
    settings = replace(SMALL, seed=99)
    drawn: list[tuple[int, ...]] = []
    store = weights._store
    draw = store.layer
    store.layer = lambda *key: (drawn.append(key), draw(*key))[1]  # type: ignore[method-assign]
    try:
        for key in ("post_ln", "pre_ln", "none"):
            finished(replace(settings, placement=PLACEMENTS[key].placement), weights)
    finally:
        store.layer = draw  # type: ignore[method-assign]
    assert drawn == [(99, 32, layer) for layer in range(3)]
    assert weights.held(settings)


def test_weights_over_the_limit_give_their_place_away(
    gpu_page: Any, exchange: dict[str, bytes]
) -> None:
    glue = PageGlue(Device(gpu_page, exchange), lambda notice: None)
    layer = 4 * 12 * 32 * 32
    weights = DeviceWeights(WeightStore(), 2 * layer, glue)
    compare(finished(SMALL, weights), exact(SMALL))
    assert not weights.held(SMALL)  # three layers do not fit
    assert weights._bytes == 2 * layer


def test_what_has_no_shader_is_refused_in_words(weights: DeviceWeights) -> None:
    with pytest.raises(NotOnGpu, match="soft-cap"):
        GpuStackRun(replace(SMALL, soft_cap=20.0), weights)
    with pytest.raises(NotOnGpu, match="float64"):
        GpuStackRun(replace(SMALL, dtype="float64"), weights)


def test_a_stack_that_overflows_is_numpys(weights: DeviceWeights) -> None:
    settings = replace(SMALL, placement=PLACEMENTS["none"].placement, gain=16.0, depth=40, width=16)
    right = exact(settings)
    assert right.stream_rms[-1] > 1e38
    with pytest.raises(NotOnGpu, match="finite"):
        finished(settings, weights)
