"""State and link: a patch is checked whole, what is written reads back, bad links do no harm."""

import base64
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from app.fields import FIELDS
from app.link import LONGEST, fragment_of, is_whole, open_fragment
from app.state import Store
from app.tensor import Tensor


def opened(fragment: str) -> tuple[Store, list[str]]:
    store = Store()
    return store, open_fragment(store, fragment)


def test_the_default_state_is_the_scene_alone() -> None:
    assert fragment_of(Store()) == "axes"


@settings(max_examples=60, deadline=None)
@given(
    values=hnp.arrays(np.float64, hnp.array_shapes(min_dims=3, max_dims=3, max_side=6)),
    eps=st.floats(0, 1),
)
def test_a_link_restores_every_bit_of_the_tensor(values: np.ndarray, eps: float) -> None:
    store = Store()
    store.update({"tensor": Tensor("[B,T,d]", values.copy()), "eps": eps})
    again, problems = opened(fragment_of(store))
    assert problems == []
    restored = again["tensor"].values
    assert np.array_equal(restored, values, equal_nan=True)
    assert np.array_equal(np.signbit(restored), np.signbit(values)) or np.isnan(values).any()
    assert again["eps"] == eps


def test_every_field_survives_a_link() -> None:
    store = Store()
    store.update(
        {
            "tensor": {"layout": "[N,C]", "values": [[1, 2, 3, 4], [5, 6, 7, 8]]},
            "compare": [{"family": "group", "groups": 4}, {"family": "rms", "axes": [0]}],
            "selected": 1,
            "cell": [1, 2],
            "affine": [[0.5, 0.5, 2, 2], [1, 1, 0, 0]],
            "fill_seed": 11,
            "probe_add": -3.5,
        }
    )
    again, problems = opened(fragment_of(store))
    assert problems == []
    assert again.as_json() == store.as_json()


def test_a_link_names_the_whole_state_so_what_it_leaves_out_is_the_default() -> None:
    store, _ = opened("axes&eps=0.5")
    open_fragment(store, "axes")
    assert store["eps"] == FIELDS["eps"].default


@pytest.mark.parametrize(
    "fragment",
    [
        "axes&x=B,T,d:2x2x2:1,2",
        "axes&x=B,T,d:99999x99999x9:1",
        "axes&x=Q:1:1",
        "axes&x=B,T,d:1x1x1:~AAAA",
        "axes&eps=nan",
        "axes&eps=7",
        "axes&n=batch,batch,batch,batch",
        "axes&n=<script>",
        "axes&what=1",
        "nowhere",
        "axes&gb=1;2;3",
        "axes&x=" + "9" * (LONGEST + 1),
    ],
)
def test_a_hostile_link_is_told_and_leaves_a_good_state(fragment: str) -> None:
    store, problems = opened(fragment)
    assert len(problems) == 1
    assert store.as_json() == Store().as_json()


def test_a_packed_tensor_cannot_unpack_to_more_than_its_shape_says() -> None:
    bomb = base64.urlsafe_b64encode(zlib.compress(bytes(50_000_000), 9)).decode()
    store, problems = opened(f"axes&x=B,T,d:1x1x100:~{bomb}")
    assert len(problems) == 1
    assert store["tensor"] == FIELDS["tensor"].default


def test_a_tensor_too_large_for_a_link_is_left_out_and_that_is_known() -> None:
    store = Store()
    store.update({"tensor": Tensor("[N,C]", np.ones((128, 128)))})
    assert not is_whole(store)
    assert fragment_of(store) == "axes&cell=0.0"


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        ({"eps": -1}, "eps: expected a number from 0 to 1, got -1"),
        ({"eps": float("nan")}, "eps"),
        ({"scene": "moon"}, "scene: expected one of"),
        ({"nothing": 1}, "no field 'nothing'"),
        ({"compare": []}, "compare: expected a list of 1 to 3"),
        ({"compare": ["batch_norm"]}, "expected a family"),
        ({"compare": [{"family": "rms", "axes": [7]}]}, "too many for layout"),
        ({"cell": [1]}, "cell: expected 3 indices"),
        ({"affine": [[1, 2], [3]]}, "affine"),
        ({"tensor": [[1, 2], [3]]}, "tensor"),
    ],
)
def test_a_bad_patch_changes_nothing_and_says_what_was_expected(
    patch: dict[str, object], reason: str
) -> None:
    store = Store()
    before = store.as_json()
    with pytest.raises(ValueError, match=reason.replace("[", r"\[")):
        store.update({"fill_seed": 99, **patch})
    assert store.as_json() == before


def test_of_a_drag_only_the_first_change_is_a_step() -> None:
    store = Store()
    steps = []
    for eps in (0.1, 0.2, 0.3):
        store.update({"eps": eps})
        steps.append(store.steps.take())
    assert steps == [True, False, False]


def test_each_edit_of_the_tensor_is_a_step_and_moving_the_cursor_is_none() -> None:
    store = Store()
    store.update({"tensor": store["tensor"].replaced({0: 1.0})})
    assert store.steps.take()
    store.update({"tensor": store["tensor"].replaced({0: 2.0})})
    assert store.steps.take()
    store.update({"cell": [0, 0, 0]})
    assert not store.steps.take()
