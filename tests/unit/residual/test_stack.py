"""The deep stack as a whole: what it shows, what it refuses, and what it does not compute again."""

from dataclasses import fields, is_dataclass
from unittest.mock import patch

import numpy as np
import pytest

from kernels import stack_measures
from kernels.blocks import WIRES
from kernels.placements import PLACEMENTS, Placement
from kernels.residual import Stacks, StackTrace, simulate_stack
from kernels.stack_passes import BackwardPass, ForwardPass
from kernels.weights import draw_layer

PRE, POST = PLACEMENTS["pre_ln"].placement, PLACEMENTS["post_ln"].placement
FINAL = PLACEMENTS["pre_ln_final"].placement


def counted(stacks: Stacks, *arguments: object, **options: object) -> tuple[StackTrace, int, int]:
    """The trace, and how many layers ran forward and backward for it."""
    forward, backward = ForwardPass.step, BackwardPass.step
    with (
        patch.object(ForwardPass, "step", autospec=True, side_effect=forward) as up,
        patch.object(BackwardPass, "step", autospec=True, side_effect=backward) as down,
    ):
        trace = simulate_stack(*arguments, stacks=stacks, **options)  # type: ignore[arg-type]
    return trace, up.call_count, down.call_count


def test_a_final_norm_switched_on_runs_no_block_forward() -> None:
    stacks = Stacks()
    plain, *_ = counted(stacks, PRE, depth=6, width=16)
    normed, up, down = counted(stacks, FINAL, depth=6, width=16)
    assert (up, down) == (0, 6)
    np.testing.assert_array_equal(plain.stream, normed.stream)
    assert counted(stacks, PRE, depth=6, width=16)[1:] == (0, 0)
    assert normed.loss != plain.loss


def test_a_deeper_stack_runs_only_its_new_layers_forward() -> None:
    stacks = Stacks()
    short, *_ = counted(stacks, PRE, depth=6, width=16)
    long, up, down = counted(stacks, PRE, depth=9, width=16)
    assert (up, down) == (3, 9)
    np.testing.assert_array_equal(long.stream[:7], short.stream)
    shorter, up, down = counted(stacks, PRE, depth=4, width=16)
    assert (up, down) == (0, 4)
    fresh = simulate_stack(PRE, depth=4, width=16)
    assert shorter.loss == fresh.loss
    np.testing.assert_array_equal(shorter.gradient_rms, fresh.gradient_rms)


@pytest.mark.parametrize(
    ("placement", "options"),
    [(PRE, {"residual_scaling": True}), (PLACEMENTS["deep_norm"].placement, {})],
)
def test_where_a_scale_follows_the_depth_another_depth_is_another_stack(
    placement: Placement, options: dict
) -> None:
    stacks = Stacks()
    counted(stacks, placement, depth=6, width=16, **options)
    assert counted(stacks, placement, depth=7, width=16, **options)[1] == 7


def test_no_placement_redraws_weights() -> None:
    stacks = Stacks()
    with patch("kernels.weights.draw_layer", wraps=draw_layer) as draw:
        for published in PLACEMENTS.values():
            simulate_stack(published.placement, depth=5, width=16, stacks=stacks)
        assert draw.call_count == 5


def test_a_placement_may_be_given_by_its_name() -> None:
    assert simulate_stack("pre_ln", depth=2, width=16).settings.placement == PRE
    with pytest.raises(ValueError, match=r"placement: expected one of none, post_ln.*, got 'pre'"):
        simulate_stack("pre", depth=2, width=16)


def test_placements_share_the_stream_they_start_from() -> None:
    starts = [
        simulate_stack(published.placement, depth=1, width=16, seed=3).stream[0]
        for published in PLACEMENTS.values()
    ]
    for start in starts[1:]:
        np.testing.assert_array_equal(starts[0], start)


def test_a_run_tells_how_far_it_is_and_can_be_left() -> None:
    stacks = Stacks()
    run = stacks.run(PRE, depth=5, width=16)
    fractions = []
    for fraction in run:
        fractions.append(fraction)
        if len(fractions) == 3:
            break
    assert run.trace is None
    np.testing.assert_allclose(fractions, [0.1, 0.2, 0.3])
    again = stacks.run(PRE, depth=5, width=16)
    assert next(iter(again)) == pytest.approx(1 / 7)  # 2 layers forward, 5 backward are left
    trace = again.finish()
    assert trace.loss == simulate_stack(PRE, depth=5, width=16).loss
    assert list(stacks.run(PRE, depth=5, width=16)) == []


def test_post_ln_holds_the_stream_at_1_and_pre_ln_lets_it_grow() -> None:
    post = simulate_stack(POST, depth=24, width=64)
    pre = simulate_stack(PRE, depth=24, width=64)
    np.testing.assert_allclose(post.stream_rms[1:], 1.0, atol=1e-4)
    assert 4 < pre.stream_rms[-1] < 7.0  # √(1 + 2·24) = 7 were every update of RMS 1


def test_post_lns_last_gradients_are_larger_than_pre_lns() -> None:
    # Xiong et al. 2020, theorem 1: the last layer's FFN gradient is smaller by √L under Pre-LN.
    post = simulate_stack(POST, depth=24, width=64)
    pre = simulate_stack(FINAL, depth=24, width=64)
    ratio = post.weight_gradient_rms[-1, 3] / pre.weight_gradient_rms[-1, 3]
    assert np.sqrt(24) / 2 < ratio < 2 * np.sqrt(24)


def test_theory_holds_where_its_assumptions_do() -> None:
    # One token attends to itself alone, so attention averages nothing away: size holds too.
    trace = simulate_stack(PRE, "rms_norm", depth=16, width=256, tokens=1, heads=1, gain=0.5)
    np.testing.assert_allclose(trace.stream_rms, trace.predicted_rms, rtol=0.1)
    assert trace.predicted_rms[-1] == pytest.approx(np.hypot(trace.stream_rms[0], np.sqrt(8.0)))


def test_attention_over_many_tokens_fails_the_assumption_of_size() -> None:
    growth = simulate_stack(PRE, depth=24, width=64, tokens=16).growth
    assert "size" in growth.failing
    assert growth.size_ratio[0] < 0.8 < growth.size_ratio[1] < 1.2


def test_one_layer_repeated_fails_independence_and_grows_faster() -> None:
    alike = simulate_stack(PRE, depth=24, width=64, shared_layers=True)
    apart = simulate_stack(PRE, depth=24, width=64)
    assert "independence" in alike.growth.failing
    assert alike.growth.correlation_factor > 1.5
    assert alike.stream_rms[-1] > 2 * apart.stream_rms[-1]
    assert np.mean(alike.layer_cosine) > 0.5 > np.mean(np.abs(apart.layer_cosine))


def test_residual_scaling_keeps_the_stream_within_root_2() -> None:
    trace = simulate_stack(PRE, depth=48, width=64, residual_scaling=True)
    assert trace.predicted_rms[-1] / trace.stream_rms[0] == pytest.approx(np.sqrt(2), rel=0.05)
    assert trace.stream_rms[-1] < 1.5


def test_gain_changes_nothing_behind_a_norm_on_the_branch() -> None:
    placement = PLACEMENTS["branch_output"].placement
    weak, strong = (
        simulate_stack(placement, "rms_norm", depth=6, width=32, gain=g, eps=0.0, dtype="float64")
        for g in (0.5, 4.0)
    )
    np.testing.assert_allclose(weak.stream, strong.stream, rtol=1e-9)


def test_measures_agree_with_the_stored_stream() -> None:
    trace = simulate_stack(PRE, depth=7, width=32, dtype="float64")
    np.testing.assert_allclose(
        trace.stream_rms, np.sqrt(np.square(trace.stream).mean(axis=(1, 2))), rtol=1e-12
    )
    added = np.diff(trace.stream, axis=0).reshape(7, -1)
    unit = added / np.linalg.norm(added, axis=1, keepdims=True)
    np.testing.assert_allclose(trace.layer_cosine, (unit[1:] * unit[:-1]).sum(1), rtol=1e-9)
    squares = np.square(trace.update_rms).sum(1)
    gained = np.diff(np.square(trace.stream_rms))
    streams = np.column_stack([trace.wire_rms[:, 0], trace.wire_rms[:, WIRES.index("middle")]])
    cross = 2 * (trace.stream_cosine * trace.update_rms * streams).sum(1)
    np.testing.assert_allclose(gained, squares + cross, rtol=1e-9)
    assert trace.update_cosine.shape == (13,)


def test_head_reads_every_depth_from_the_stored_stream() -> None:
    trace = simulate_stack(PRE, depth=12, width=64)
    without, with_norm = trace.read_head(), trace.read_head(final_norm=True)
    assert without.logits.shape == (13, 16, 64)
    # Without a final norm the logits grow with the stream; with it they keep their size.
    spread = without.logits.std(axis=-1).mean(axis=-1)
    assert spread[-1] / spread[0] == pytest.approx(
        trace.stream_rms[-1] / trace.stream_rms[0], rel=0.2
    )
    assert without.entropy[-1].mean() < 0.5 * with_norm.entropy[-1].mean()
    assert without.top_probability[-1].mean() > with_norm.top_probability[-1].mean()
    undone = trace.read_head(temperature=trace.undoing_temperature())
    np.testing.assert_allclose(undone.entropy, with_norm.entropy, rtol=0.15)


def test_overflow_is_a_result_with_its_first_wire() -> None:
    trace = simulate_stack(PLACEMENTS["none"].placement, depth=128, width=16, gain=4.0)
    assert trace.first_overflow() is not None
    layer, wire = trace.first_overflow() or (0, "")
    assert 0 < layer < 128
    assert wire in WIRES
    assert np.isfinite(trace.wire_rms[:layer]).all()
    assert simulate_stack(PRE, depth=2, width=16).first_overflow() is None
    parallel = PLACEMENTS["parallel"].placement
    assert simulate_stack(parallel, depth=2, width=16).first_overflow() is None


def test_float32_stream_beyond_1e19_is_still_measured() -> None:
    # Its squares overflow float32. QK-norm, since plain scores overflow before the stream does.
    placement = PLACEMENTS["none"].placement
    trace = simulate_stack(placement, depth=76, width=16, gain=1.0, qk_norm="rms")
    assert 1e19 < trace.stream_rms[-1] < 1e35
    assert np.isfinite(trace.gradient_rms).all()


def held_arrays(value: object, found: dict[int, int]) -> None:
    """The bytes of every array below a value, each buffer once."""
    if isinstance(value, np.ndarray):
        while isinstance(value.base, np.ndarray):
            value = value.base
        found[id(value)] = value.nbytes
    elif is_dataclass(value):
        held_arrays([getattr(value, one.name) for one in fields(value)], found)
    elif isinstance(value, dict):
        held_arrays(list(value.values()), found)
    elif isinstance(value, list | tuple):
        for one in value:
            held_arrays(one, found)


@pytest.mark.parametrize("name", PLACEMENTS)
@pytest.mark.parametrize("options", [{}, {"tokens": 64}, {"qk_norm": "rms", "soft_cap": 5.0}])
def test_memory_of_a_pass_is_what_it_says(name: str, options: dict) -> None:
    stacks = Stacks()
    trace = simulate_stack(PLACEMENTS[name].placement, depth=4, stacks=stacks, **options)
    forward = stacks.forward(trace.settings)
    found: dict[int, int] = {}
    held_arrays([forward.stream, forward.saved], found)
    assert 0.75 < sum(found.values()) / forward.reserved_bytes < 1.25


def test_what_is_forgotten_is_the_oldest() -> None:
    stacks = Stacks(limit_bytes=500_000)  # one pass of 4 layers holds 426 kB
    older, newer = (
        simulate_stack(PRE, depth=4, gain=gain, stacks=stacks).settings for gain in (0.5, 1.0)
    )
    assert stacks.forward(newer).depth == 4
    assert stacks.forward(older).depth == 0
    assert stacks.forward(newer).depth == 0  # what was asked for since took its place
    assert stacks.finished(newer) is not None  # a trace is small


@pytest.mark.parametrize("name", PLACEMENTS)
def test_layers_measured_together_are_those_measured_one_by_one(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def trace() -> StackTrace:
        return simulate_stack(PLACEMENTS[name].placement, depth=5, width=16)

    together = trace()
    monkeypatch.setattr(stack_measures, "TOGETHER_BYTES", 3 * 8 * 13 * 16 * 16)
    in_threes = trace()
    monkeypatch.setattr(stack_measures, "TOGETHER_BYTES", 1)
    alone = trace()
    for field in fields(StackTrace):
        one = getattr(alone, field.name)
        if isinstance(one, np.ndarray):
            for many in (together, in_threes):
                np.testing.assert_allclose(getattr(many, field.name), one, rtol=1e-6)


def test_small_memory_gives_the_same_numbers() -> None:
    tight = Stacks(limit_bytes=0)
    for placement in (PRE, POST, PRE):
        assert (
            simulate_stack(placement, depth=3, width=16, stacks=tight).loss
            == simulate_stack(placement, depth=3, width=16).loss
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depth": 0}, "depth: expected 1 to 128, got 0"),
        ({"depth": 129}, "depth: expected 1 to 128, got 129"),
        ({"width": 8}, "width: expected 16 to 1024, got 8"),
        ({"depth": 2.0}, "depth: expected a whole number, got 2.0"),
        ({"heads": 5}, "heads: width must be divisible by heads, but 64 is not by 5"),
        ({"norm": "batch_norm"}, "norm: expected one of layer_norm, rms_norm, got 'batch_norm'"),
        ({"qk_norm": "l1"}, "qk_norm: expected one of rms, layer, l2, got 'l1'"),
        ({"gain": -1.0}, "gain: expected a finite number 0 or above, got -1.0"),
        ({"gain": float("nan")}, "gain: expected a finite number 0 or above, got nan"),
        ({"soft_cap": 0.0}, "soft_cap: expected a finite number above 0, got 0.0"),
        ({"seed": -1}, "seed: expected 0 to 4294967295, got -1"),
        (
            {"depth": 128, "width": 1024, "tokens": 100},
            "tokens: 100 of width 1024 in 128 layers would hold 1219 MiB, expected at most 1024",
        ),
        ({"dtype": "float16"}, "dtype: expected one of float32, float64, got 'float16'"),
    ],
)
def test_settings_out_of_range_are_refused_by_name(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        simulate_stack(PRE, **options)
