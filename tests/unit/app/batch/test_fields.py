"""The state of the Batch scene: what it takes, what it refuses, and its links."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.batch.forwards import Run
from app.batch.momenta import MOMENTA, nearest_momentum
from app.batch.presets import BATCHES, column
from app.link import fragment_of, open_fragment
from app.state import Store

runs = st.lists(
    st.builds(
        Run,
        st.sampled_from([column(0, 2), column(1.5, -3), BATCHES["four"].tensor]),
        st.booleans(),
        st.booleans(),
        st.integers(1, 9),
    ),
    max_size=4,
)


@given(runs, st.sampled_from(["train", "server"]), st.floats(0, 1), st.booleans())
def test_a_link_restores_every_forward(
    forwards: list[Run], story: str, momentum: float, no_grad: bool
) -> None:
    store, other = Store(), Store()
    store.update(
        {
            "scene": "batch",
            "batch_story": story,
            "batch_forwards": forwards,
            "batch_momentum": momentum,
            "batch_no_grad": no_grad,
        }
    )
    assert open_fragment(other, fragment_of(store)) == []
    assert other.as_json() == store.as_json()


def test_plain_json_goes_in_as_it_came_out() -> None:
    store, other = Store(), Store()
    store.update({"batch_forwards": [{"tensor": [[0], [2]], "count": 2}], "batch_lengths": [1, 5]})
    other.update(store.as_json())
    assert other.as_json() == store.as_json()
    assert other["batch_forwards"] == (Run(column(0, 2), count=2),)


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        ({"batch_no_grad": 1}, "batch_no_grad: expected true or false"),
        ({"batch_tensor": [1, 2]}, "batch_tensor:"),
        ({"batch_tensor": [["a"]]}, "batch_tensor: expected nested lists of numbers"),
        ({"batch_parts": [[[1], [2]]]}, "batch_parts: layout [N,C] has 2 axes"),
        ({"batch_parts": {"layout": "[d]", "values": [1]}}, "expected a layout among [N,C]"),
        ({"batch_tensor": np.zeros((65, 64)).tolist()}, "at most 4096 values, got [65, 64]"),
        ({"batch_token": [[1], [2]]}, "batch_token: expected one token"),
        ({"batch_token": [[0] * 17]}, "batch_token: expected at most 16 values"),
        ({"batch_sequences": [[[1, 2]]]}, "tokens of one feature"),
        ({"batch_forwards": [{"tensor": [[1, 2]]}]}, "expected tensors of 1 channels"),
        ({"batch_forwards": [{"tensor": [[1]], "count": 201}]}, "from 1 to 200"),
        ({"batch_forwards": [{"tensor": [[1]], "mode": 1}]}, "unknown 'mode'"),
        ({"batch_forwards": 3}, "expected a list of forwards"),
        ({"batch_momentum": 1.5}, "batch_momentum: expected a number from 0 to 1"),
        ({"batch_story": "all"}, "batch_story: expected one of train"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_changes(patch: dict[str, Any], reason: str) -> None:
    store = Store()
    before = store.as_json()
    with pytest.raises(ValueError) as error:
        store.update(patch)
    assert reason in str(error.value)
    assert store.as_json() == before


def test_other_channels_start_a_new_history() -> None:
    store = Store()
    store.update({"batch_forwards": [{"tensor": [[0], [2]]}]})
    store.update({"batch_tensor": [[3], [4]]})
    assert len(store["batch_forwards"]) == 1
    store.update({"batch_tensor": [[3, 4], [5, 6]]})
    assert store["batch_forwards"] == ()


def test_fields_that_speak_of_a_tensor_follow_it() -> None:
    store = Store()
    store.update({"batch_micro": 4, "batch_cuts": [2, 4], "batch_lengths": [5, 5]})
    store.update({"batch_tensor": [[1], [2]], "batch_parts": [[1], [2], [3]]})
    store.update({"batch_sequences": [[[1], [2]], [[3], [4]], [[5], [6]]]})
    assert store["batch_micro"] == 2
    assert store["batch_cuts"] == (2,)
    assert store["batch_lengths"] == (2, 2, 1)
    store.update({"batch_padded_to": 1})
    assert store["batch_padded_to"] == 2
    store.update({"batch_traffic": "script", "batch_step": 20})
    assert store["batch_step"] == 2


def test_momentum_has_a_step_for_each_default_of_a_framework() -> None:
    for momentum in (0.1, 0.9, 0.99, 0.999, 0.01, 0.0, 1.0):
        assert MOMENTA[nearest_momentum(momentum)] == momentum
    assert MOMENTA[nearest_momentum(0.104)] == 0.1
