"""`globalThis.normscope`, as README documents it."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Error, Page

from tests.browser.reading import outputs


def kernel(page: Page, name: str, arguments: dict[str, Any]) -> Any:
    """Call a kernel by name."""
    return page.evaluate("([name, args]) => normscope.kernel(name, args)", [name, arguments])


def test_ready_is_a_promise_and_timings_are_in_order(page: Page) -> None:
    assert page.evaluate("normscope.ready instanceof Promise")
    timings = page.evaluate("normscope.timings")
    assert 0 < timings["shell"] <= timings["picture"] <= timings["interactive"]


def test_set_takes_a_patch_and_resolves_when_the_views_show_it(page: Page) -> None:
    state = page.evaluate("normscope.set({tensor: [[[1, 3]]], eps: 0, cell: [0, 0, 0]})")
    assert state["tensor"] == {"layout": "[B,T,d]", "values": [[[1, 3]]]}
    assert page.locator("#axes-stage [role=grid]").first.locator(".cell").all_inner_texts() == [
        "1",
        "3",
    ]
    assert outputs(page)["normalizers"][1]["output"] == [[[-1, 1]]]


def test_what_state_gives_set_takes_back(page: Page) -> None:
    before = page.evaluate("normscope.state()")
    page.evaluate("normscope.set({tensor: [[[5]]], eps: 0.25, cell: [0, 0, 0]})")
    assert page.evaluate("state => normscope.set(state)", before) == before


REFUSED = (
    ("{eps: -1}", "ValueError: eps: expected a number from 0 to 1, got -1"),
    ("{eps: '1'}", "ValueError: eps: expected a number from 0 to 1, got '1'"),
    ("{colour: 1}", "ValueError: state: no field 'colour'"),
    ("{tensor: [[1, 2], [3]]}", "ValueError: tensor: expected nested lists of numbers"),
    ("{tensor: [['x']]}", "ValueError: tensor: expected nested lists of numbers"),
    ("{scene: 'nowhere'}", "ValueError: scene: expected one of"),
    ("7", "ValueError: state: expected an object of fields, got int"),
)


@pytest.mark.parametrize(("patch", "message"), REFUSED)
def test_set_rejects_with_the_reason_and_changes_nothing(
    page: Page, patch: str, message: str
) -> None:
    before = page.evaluate("normscope.state()")
    with pytest.raises(Error) as refused:
        page.evaluate(f"normscope.set({patch})")
    assert message in refused.value.message
    assert page.evaluate("normscope.state()") == before


def test_link_is_the_address_of_the_state(page: Page) -> None:
    page.evaluate("normscope.set({tensor: [[[1, 3]]], eps: 0, cell: [0, 0, 0]})")
    link = page.evaluate("normscope.link()")
    assert "x=B,T,d:1x1x2:1,3" in link and "eps=0" in link
    page.wait_for_url(link)


def test_a_kernel_answers_with_every_field_of_its_result(page: Page) -> None:
    got = kernel(page, "layer_norm", {"x": [1, 3], "normalized_shape": [2], "eps": 0})
    assert got["output"] == got["normalized"] == [-1, 1]
    assert got["mean"] == [2] and got["variance"] == [1] and got["denominator"] == [1]
    assert got["axes"] == [0]


def test_a_kernel_takes_typed_arrays_and_keeps_their_type(page: Page) -> None:
    got = page.evaluate(
        "normscope.kernel('rms_norm', {x: Float32Array.of(1, 3), normalized_shape: [2], eps: 0})"
    )
    # float32 of 1/√5 and 3/√5, exactly
    assert got["output"] == [0.4472135901451111, 1.341640830039978]


def test_a_kernel_takes_and_gives_nan_and_infinity(page: Page) -> None:
    got = page.evaluate(
        "normscope.kernel('layer_norm', {x: [[NaN, 1], [1, 3]], normalized_shape: [2], eps: 0})"
    )
    assert got["output"] == [["NaN", "NaN"], [-1, 1]]
    got = page.evaluate("normscope.kernel('softmax', {x: Float64Array.of(-Infinity, 0)})")
    assert (got["output"] if isinstance(got, dict) else got) == [0, 1]


WRONG_CALLS = (
    ("layer_norm", {"x": [1, 3], "normalized_shape": [3]}, "normalized_shape"),
    ("layer_norm", {"x": [1, 3]}, "normalized_shape"),
    ("no_such_kernel", {}, "no kernel 'no_such_kernel'"),
    ("batch_norm", {"x": [[1, 2]], "training": True}, "1 value per channel"),
)


@pytest.mark.parametrize(("name", "arguments", "message"), WRONG_CALLS)
def test_a_kernel_rejects_with_pythons_own_message(
    page: Page, name: str, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(Error) as refused:
        kernel(page, name, arguments)
    assert message in refused.value.message


def test_an_unknown_backend_is_refused(page: Page) -> None:
    with pytest.raises(Error, match="backend"):
        page.evaluate(
            "normscope.kernel('rms_norm', {x: [1], normalized_shape: [1]}, {backend: 'abacus'})"
        )


def test_calls_are_answered_each_with_its_own_value(page: Page) -> None:
    got = page.evaluate(
        """Promise.all([1, 2, 3].map((n) => normscope.kernel(
             'layer_norm', {x: [0, 2 * n], normalized_shape: [2], eps: 0})))"""
    )
    assert [one["mean"] for one in got] == [[1], [2], [3]]
