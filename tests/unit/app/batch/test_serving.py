"""A decode server and a shift of what is served: the same token, the same examples, other company.

Numbers: exact arithmetic ([1] with [3], with [3, 5], with [11]); everything else is checked against
the textbook formula, written out here.
"""

from itertools import pairwise

import numpy as np
import pytest

from app.batch.conventions import Settings
from app.batch.server import (
    KINDS,
    MOST_OTHERS,
    SCRIPT,
    STEPS,
    batch_at,
    moved,
    replay,
    requests_of,
    rows_of,
    steps_of,
)
from app.batch.shift import (
    BINS,
    LEARNING,
    Shift,
    edges_of,
    largest_change,
    learn_elsewhere,
    serve,
)


def served(shift: float, spread: float, adapted: int, settings: Settings) -> Shift:
    return serve(learn_elsewhere(7, settings), shift, spread, adapted, settings)


TOKEN = np.array([2.0, 4.0, 4.0, 6.0])


def test_the_same_1_with_three_batches() -> None:
    found = replay(SCRIPT, 0, np.array([1.0]), 0.0)
    assert found.sizes.tolist() == [2, 3, 2]
    assert found.batch_norm.ravel() == pytest.approx([-1, -1.224744871391589, -1], abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_batch_norm_moves_with_its_neighbours_and_no_other_does(kind: str) -> None:
    found = replay(kind, 7, TOKEN, 1e-5)
    assert len(found.batch_norm) == steps_of(kind)
    assert moved(found.batch_norm) > 0.1
    assert moved(found.layer) == moved(found.rms) == moved(found.running) == 0.0
    assert found.layer[0] == pytest.approx([-1.4142100269, 0, 0, 1.4142100269], abs=1e-9)


def test_the_output_at_a_step_is_the_textbooks() -> None:
    found = replay("busy", 3, TOKEN, 1e-5)
    for step in (1, 10, STEPS - 1):
        rows, others = batch_at(step, TOKEN, found.requests)
        assert len(rows) == len(others) + 1 == found.sizes[step]
        expected = (TOKEN - rows.mean(0)) / np.sqrt(rows.var(0) + 1e-5)
        assert found.batch_norm[step] == pytest.approx(expected, abs=1e-12)


def test_alone_at_the_first_step_nothing_is_left_of_the_token() -> None:
    for seed in range(5):
        found = replay("light", seed, TOKEN, 1e-5)
        assert found.sizes[0] == 1
        assert found.batch_norm[0].tolist() == [0, 0, 0, 0]


def test_a_seed_is_the_same_traffic_again() -> None:
    one, other = requests_of("busy", 11, 4), requests_of("busy", 11, 4)
    assert [(a.start, a.tokens.tolist()) for a in one] == [
        (b.start, b.tokens.tolist()) for b in other
    ]
    assert (
        replay("busy", 12, TOKEN, 1e-5).sizes.tolist()
        != replay("busy", 11, TOKEN, 1e-5).sizes.tolist()
    )


def test_sequences_come_and_go_within_the_slots() -> None:
    for seed in range(5):
        found = replay("busy", seed, TOKEN, 1e-5)
        assert found.sizes.max() <= MOST_OTHERS + 1
        lengths = {len(request.tokens) for request in found.requests}
        assert len(lengths) > 2
        assert any(request.end < STEPS for request in found.requests)


def test_evaluation_hands_the_shift_on_and_layer_norm_does_not() -> None:
    found = served(3.0, 1.0, 0, Settings(eps=0.0))
    learned = found.learned
    expected = (found.served - learned.mean) / np.sqrt(learned.variance)
    np.testing.assert_allclose(found.after["evaluation"], expected, atol=1e-12)
    change = found.after["evaluation"] - found.before["evaluation"]
    np.testing.assert_allclose(change, 3 / np.sqrt(learned.variance) * np.ones_like(change))
    assert largest_change(found.after["layer"], found.before["layer"]) < 1e-12
    assert largest_change(found.after["training"], found.before["training"]) < 1e-12
    assert largest_change(found.after["rms"], found.before["rms"]) > 0.5


def test_a_factor_leaves_layer_norm_and_rms_norm_alone() -> None:
    found = served(0.0, 5.0, 0, Settings(eps=0.0))
    for key in ("layer", "rms", "training"):
        assert largest_change(found.after[key], found.before[key]) < 1e-12
    assert found.after["evaluation"].std() > 4


def test_running_statistics_stand_still_until_they_are_trained_again() -> None:
    still = served(3.0, 1.0, 0, Settings())
    assert len(still.means) == LEARNING + 1
    assert still.running.mean == pytest.approx(still.learned.mean)
    adapted = served(3.0, 1.0, 50, Settings())
    assert len(adapted.means) == LEARNING + 51
    np.testing.assert_array_equal(adapted.learned.mean, still.learned.mean)
    assert adapted.running.mean == pytest.approx([5.0] * 4, abs=0.3)
    assert abs(adapted.after["evaluation"].mean()) < 0.2 < still.after["evaluation"].mean()


def test_requests_in_one_row_never_overlap() -> None:
    assert rows_of([(1, 5), (2, 3), (3, 9), (5, 6)]) == [1, 2, 2, 1]
    spans = [(one.start, one.end) for one in requests_of("busy", 5, 2)]
    rows = rows_of(spans)
    for row in set(rows):
        own = [span for span, at in zip(spans, rows, strict=True) if at == row]
        assert all(one[1] <= other[0] for one, other in pairwise(own))
    assert max(rows) <= MOST_OTHERS


def test_bins_hold_every_value_and_have_a_width() -> None:
    values, others = np.array([-3.0, 2.0]), np.array([7.0])
    edges = edges_of(values, others)
    assert (edges[0], edges[-1], len(edges)) == (-3, 7, BINS + 1)
    same = edges_of(np.array([1e9, 1e9]))
    assert np.all(np.diff(same) > 0)
    assert np.histogram([1e9, 1e9], same)[0].sum() == 2
