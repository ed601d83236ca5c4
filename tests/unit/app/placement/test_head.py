"""What the head reads, with and without the final norm."""

from __future__ import annotations

import numpy as np
import pytest

from app.placement.head import positions_read, read
from kernels.head import read_head
from kernels.residual import simulate_stack


def test_both_answers_come_from_one_stream() -> None:
    trace = simulate_stack("pre_ln", depth=6, width=32, tokens=5)
    head = read(trace)
    without = read_head(trace.stream, trace.vocabulary.unembedding)
    assert head.positions == 5
    assert head.without.entropy == pytest.approx(float(without.entropy[-1, -1]), rel=1e-6)
    np.testing.assert_allclose(head.without.top_curve, without.top_probability.mean(axis=-1))
    assert head.without.top > head.with_norm.top


def test_the_ten_likeliest_tokens_with_the_norm_are_shown_in_both() -> None:
    head = read(simulate_stack("pre_ln", depth=6, width=32, tokens=5))
    assert len(head.tokens) == 10
    assert (np.diff(head.with_norm.probabilities) <= 0).all()
    assert (np.diff(head.with_norm.logits) <= 1e-6).all()


def test_after_rms_norm_the_temperature_undoes_its_absence_exactly() -> None:
    # N(x)·W = x·W / √(mean(x²) + ε): dividing the stream is dividing the logits.
    trace = simulate_stack("pre_ln", "rms_norm", depth=12, width=64, tokens=4)
    head = read(trace)
    root = np.sqrt(np.square(trace.stream[-1, -1], dtype=np.float64).mean() + 1e-5)
    assert head.temperature == pytest.approx(root, rel=1e-6)
    assert head.cooled_entropy == pytest.approx(head.with_norm.entropy, rel=1e-5)
    assert head.largest_difference < 1e-6


def test_a_post_ln_stack_needs_no_final_norm() -> None:
    head = read(simulate_stack("post_ln", depth=6, width=32, tokens=5))
    assert head.temperature == pytest.approx(1, rel=1e-4)
    np.testing.assert_allclose(head.without.logits, head.with_norm.logits, rtol=1e-3, atol=1e-4)


def test_a_stream_beyond_float32_still_gives_an_answer_that_says_so() -> None:
    head = read(simulate_stack("none", depth=128, width=16, tokens=4, gain=4.0))
    assert not np.isfinite(head.without.entropy)
    assert not np.isfinite(head.temperature)


def test_large_stacks_are_read_at_their_last_positions_only() -> None:
    trace = simulate_stack("pre_ln", depth=2, width=16, tokens=4)
    assert positions_read(trace) == 4
    object.__setattr__(trace, "settings", trace.settings.__class__(
        trace.settings.placement, depth=128, width=1024, tokens=64
    ))  # fmt: skip
    assert positions_read(trace) == 1
