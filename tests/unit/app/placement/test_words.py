"""The sentences say what the numbers are, and nothing that is not in them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from app.placement import words
from app.placement.head import read
from app.placement.head_words import temperature_line
from app.placement.run_words import run_line
from app.placement.runner import Runner
from app.placement.words import figures
from kernels.placements import PLACEMENTS, Placement
from kernels.residual import simulate_stack
from kernels.stack_settings import StackSettings


def lead(name: str, **options: object) -> str:
    """The lead of a placement, without its markup."""
    trace = simulate_stack(name, **{"depth": 6, "width": 32, "tokens": 4, **options})  # type: ignore[arg-type]
    settings = trace.settings
    return re.sub("<[^>]*>", "", words.lead(settings.placement, settings.norm, 6, trace))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.979, "0.979"), (1.0, "1.00"), (3.4567, "3.46"), (12.34, "12.3"), (355.2, "355"),
        (0.0272, "0.0272"), (1.234e5, "1.2e5"), (7.8e-5, "7.8e−5"), (-0.0066, "−0.00660"),
        (0.0, "0"), (0.99996, "1.00"), (9.996, "10.0"), (float("inf"), "∞"), (float("nan"), "NaN"),
    ],
)  # fmt: skip
def test_numbers_have_three_figures(value: float, text: str) -> None:
    assert figures(value) == text


def test_pre_ln_grows_by_what_was_measured() -> None:
    trace = simulate_stack("pre_ln", depth=6, width=32, tokens=4)
    ratio = trace.stream_rms[-1] / trace.stream_rms[0]
    assert lead("pre_ln") == (
        f"Pre-LN never rescales the stream itself, so it grows: ×{ratio:.1f} after 6 layers."
    )


def test_a_norm_after_the_sum_leaves_rms_1() -> None:
    assert lead("post_ln") == (
        "Post-LN rescales the stream after every sum, so it leaves every layer at RMS 1.00."
    )


def test_deep_norm_says_its_alpha() -> None:
    # α = (2·6)^(1/4) = 1.861
    assert lead("deep_norm").startswith("DeepNorm takes the stream ×1.86 into every sum")


def test_small_updates_hardly_grow() -> None:
    assert "and it hardly grows: ×1.00" in lead("pre_ln", gain=0.01)


def test_a_stream_beyond_float32_says_the_layer() -> None:
    trace = simulate_stack("none", depth=128, width=16, tokens=4, gain=4.0)
    layer = trace.first_overflow()
    assert layer is not None
    text = words.so(trace)
    assert text == f"so it leaves the range of float32 in layer {layer[0] + 1}."


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("none", "(1 + g²)^ℓ"), ("pre_ln", "√(1 + 2ℓg²)"), ("parallel", "√(1 + 2ℓg²)"),
        ("branch_output", "√(1 + 2ℓ)"), ("before_and_after", "√(1 + 2ℓ)"), ("post_ln", "1"),
        ("deep_norm", "1"),
    ],
)  # fmt: skip
def test_the_formula_of_the_dashed_curve_gives_the_kernels_numbers(name: str, formula: str) -> None:
    from kernels.growth import predicted_rms

    assert words.formula(PLACEMENTS[name].placement) == formula
    gain, layers = 0.5, np.arange(9)
    values = {
        "(1 + g²)^ℓ": (1 + gain**2) ** layers,
        "√(1 + 2ℓg²)": np.sqrt(1 + 2 * layers * gain**2),
        "√(1 + 2ℓ)": np.sqrt(1 + 2 * layers),
        "1": np.ones(9),
    }[formula]
    np.testing.assert_allclose(predicted_rms(PLACEMENTS[name].placement, 8, gain), values)


@pytest.mark.parametrize(
    "placement",
    [
        Placement(attention_sum=True),
        Placement(attention_input=True),
        Placement(parallel=True),
        replace(PLACEMENTS["deep_norm"].placement, attention_sum=False, ffn_sum=False),
    ],
)
def test_where_no_formula_fits_none_is_claimed(placement: Placement) -> None:
    assert words.formula(placement) == "the sum of squares"


def test_the_caption_says_which_assumption_fails_and_by_how_much() -> None:
    trace = simulate_stack("pre_ln", depth=24, width=64, tokens=16)
    caption = words.stream_caption(trace)
    attention, ffn = trace.growth.size_ratio
    assert f"attention adds {figures(attention, 2)}, the FFN {figures(ffn, 2)} of" in caption
    alike = simulate_stack("pre_ln", depth=24, width=64, tokens=16, shared_layers=True)
    caption = words.stream_caption(alike)
    assert "Independence fails" in caption
    assert f"×{figures(alike.growth.correlation_factor)}" in caption


def test_where_both_assumptions_hold_the_caption_says_so() -> None:
    trace = simulate_stack("pre_ln", "rms_norm", 16, 256, 1, heads=1, gain=0.5, seed=7)
    assert words.stream_caption(trace).endswith("both assumptions hold.")


def test_a_norm_after_the_sum_needs_no_assumption() -> None:
    trace = simulate_stack("post_ln", depth=4, width=16, tokens=4)
    assert "whatever the updates are" in words.stream_caption(trace)


def test_warm_up_is_spoken_of_only_where_post_lns_gradient_is_the_larger() -> None:
    options: dict = {"depth": 24, "width": 64, "tokens": 16}
    post, pre, deep = (
        simulate_stack(name, **options) for name in ("post_ln", "pre_ln_final", "deep_norm")
    )
    caption = words.w2_caption(pre, post)
    assert caption == words.w2_caption(post, pre)
    ratio = post.weight_gradient_rms[-1, 3] / pre.weight_gradient_rms[-1, 3]
    assert f"Post-LN gets ×{figures(ratio)} what Pre-LN gets" in caption
    assert "warm-up" in caption
    assert "warm-up" not in words.w2_caption(deep, pre)
    assert "still to come" in words.w2_caption(pre, None)


def test_after_rms_norm_a_temperature_gives_the_same_answer_after_layer_norm_all_but() -> None:
    options: dict = {"depth": 8, "width": 64, "tokens": 4}
    rms = simulate_stack("pre_ln_final", "rms_norm", **options)
    assert "the same answer" in temperature_line(read(rms), "rms_norm")
    layer = simulate_stack("pre_ln_final", "layer_norm", **options)
    assert "the mean, which LayerNorm takes away, stays" in temperature_line(
        read(layer), "layer_norm"
    )


def test_the_run_bar_says_what_waits_and_what_was_stopped() -> None:
    runner = Runner()
    small = StackSettings(PLACEMENTS["pre_ln"].placement, depth=2, width=16, tokens=4)
    runner.begin(small)
    for _ in runner.steps():
        pass
    assert run_line(runner) == ("", -1, "")
    runner = Runner()  # one that has not learned how fast this machine is
    runner.begin(replace(small, depth=96, width=512))
    text, percent, button = run_line(runner)
    assert re.fullmatch(
        r"Depth 96, width 512 takes about \d+ (s|min) in NumPy: it starts when you say so\.", text
    )
    assert (percent, button) == (-1, "Compute")
    runner.resume()
    text, percent, button = run_line(runner)
    assert text == "Pre-LN · 0 of 8 placements"
    assert (percent, button) == (0, "Stop")
    runner.stop()
    assert run_line(runner) == ("Stopped: 8 of 8 placements are missing.", -1, "Go on")
    runner.refuse("Too large.")
    assert run_line(runner) == ("Too large.", -1, "")


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "about 1 s"), (42.4, "about 42 s"), (260.0, "about 4 min")]
)
def test_durations_are_round(seconds: float, text: str) -> None:
    assert words.duration(seconds) == text
