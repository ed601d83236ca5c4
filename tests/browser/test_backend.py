"""The chip and what is behind it: which backend computes, why, and the switch between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, OpenPage
from tests.browser.hosting import Host
from tests.browser.placement import through
from tests.browser.worker_faults import LOSABLE, NO_ADAPTER, NO_WEBGPU, WRONG_NUMBERS, in_worker

TESTED_MS = 60_000


def open_panel(page: Page) -> None:
    """Click the chip."""
    page.locator("#chip").click()
    expect(page.locator("#backend")).to_be_visible()


def wait_until_tested(page: Page) -> None:
    """Until the self-test's table stands in the panel."""
    page.wait_for_function(
        "document.querySelectorAll('#backend tbody tr').length > 0", timeout=TESTED_MS
    )


def wait_until_known(page: Page, text: str) -> None:
    """Until the panel says why."""
    expect(page.locator("#backend [data-why]")).to_contain_text(text, timeout=TESTED_MS)


@pytest.fixture
def tested(page: Page) -> Iterator[Page]:
    """The live page after the self-test, with its panel closed again in the end."""
    wait_until_tested(page)
    yield page
    if page.locator("#backend").is_visible():
        page.keyboard.press("Escape")


ROW = "{x: new Float32Array([1, 3, 5, 7]), normalized_shape: [4], eps: 0}"


def test_a_kernel_answers_by_webgpu_and_the_chip_says_so(tested: Page) -> None:
    answer = tested.evaluate(f"normscope.kernel('layer_norm', {ROW}, {{backend: 'webgpu'}})")
    # (x − 4)/√5.
    right = [-3 / 5**0.5, -1 / 5**0.5, 1 / 5**0.5, 3 / 5**0.5]
    assert answer["output"] == pytest.approx(right, rel=2e-6)
    assert answer["mean"] == [4]
    expect(tested.locator("#chip")).to_contain_text("WebGPU · ")
    open_panel(tested)
    expect(tested.locator("#backend [data-last]")).to_contain_text(
        "The last kernel with a compute shader, layer_norm, was answered by WebGPU in"
    )


def test_auto_takes_the_faster_one_for_the_size(tested: Page) -> None:
    # On the processor's own adapter, where CI runs, no four values are faster by WebGPU.
    answer = tested.evaluate(f"normscope.kernel('rms_norm', {ROW}, {{backend: 'auto'}})")
    assert answer["mean_square"] == [21]
    expect(tested.locator("#chip")).to_contain_text("NumPy · ")


@pytest.mark.parametrize(
    ("name", "backend", "message"),
    [
        ("rms_norm", "abacus", "ValueError: kernel: no backend 'abacus'; there are auto, numpy"),
        ("entropy", "webgpu", "ValueError: kernel: 'entropy' has no backend 'webgpu'; these have"),
    ],
)
def test_what_webgpu_has_not_is_said(tested: Page, name: str, backend: str, message: str) -> None:
    error = tested.evaluate(
        "([name, backend]) => normscope.kernel(name, {p: [1]}, {backend}).catch(String)",
        [name, backend],
    )
    assert message in error


def test_the_panel_shows_times_difference_and_adapter(tested: Page) -> None:
    open_panel(tested)
    rows = tested.locator("#backend tbody tr")
    assert rows.count() == 9
    expect(rows.first.locator("th")).to_have_text("LayerNorm, 210")
    for text in rows.locator("td").all_inner_texts():
        assert float(text.replace(",", "")) > 0
    assert tested.locator("#backend .faster").count() == 9
    facts = dict(
        zip(
            tested.locator("#backend dt").all_inner_texts(),
            tested.locator("#backend dd").all_inner_texts(),
            strict=True,
        )
    )
    assert 0 < float(facts["largest difference"]) < 4e-6
    assert "swiftshader" in facts["adapter"]
    assert facts["adapter"].endswith("software")
    assert int(facts["largest tensor"].split()[0].replace(",", "")) >= 2**25
    expect(tested.locator("#backend li")).to_contain_text("software adapter")


def test_the_switch_is_one_radio_group_moved_by_the_arrow_keys(tested: Page) -> None:
    tested.locator("#chip").focus()
    tested.keyboard.press("Enter")
    radio = tested.get_by_role("radiogroup", name="Compute with").get_by_role("radio")
    expect(radio.nth(0)).to_be_focused()
    tested.keyboard.press("ArrowRight")
    expect(radio.nth(1)).to_have_attribute("aria-checked", "true")
    assert tested.evaluate("normscope.state().then(({backend}) => backend)") == "numpy"
    expect(tested.locator("#backend [data-why]")).to_contain_text("NumPy computes everything")
    tested.keyboard.press("ArrowRight")
    expect(radio.nth(2)).to_have_attribute("aria-checked", "true")
    assert tested.evaluate("normscope.state().then(({backend}) => backend)") == "webgpu"
    assert "backend=webgpu" in tested.evaluate("normscope.link()")
    tested.keyboard.press("Escape")
    expect(tested.locator("#backend")).to_be_hidden()
    expect(tested.locator("#chip")).to_be_focused()


def test_the_panel_fits_a_phone(tested: Page) -> None:
    tested.set_viewport_size(PHONE)
    open_panel(tested)
    box = tested.locator("#backend").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    assert box["y"] + box["height"] <= PHONE["height"]


AXES = """normscope.set({backend: %s, tensor: {layout: "[B,T,d]", values: [[[1, 3, 5, 7]]]}, eps: 0,
  compare: [{family: "layer"}, {family: "rms"}, {family: "batch"}], cell: [0, 0, 0]})"""


def test_forced_webgpu_computes_the_normalizers_of_axes_in_float32(tested: Page) -> None:
    exact = -3 / 5**0.5
    tested.evaluate(AXES % "'webgpu'")
    expect(tested.locator("#chip")).to_contain_text("WebGPU · ")
    first = tested.evaluate("normscope.outputs()")["normalizers"][0]["output"][0][0][0]
    assert first == pytest.approx(exact, rel=2e-6)
    assert first == np.float32(first) != exact
    tested.evaluate(AXES % "'auto'")
    expect(tested.locator("#chip")).to_contain_text("NumPy · ")
    first = tested.evaluate("normscope.outputs()")["normalizers"][0]["output"][0][0][0]
    assert first == pytest.approx(exact, rel=1e-15)


SMALL = "{placement_depth: 3, placement_width: 32, placement_tokens: 8}"


def stack(page: Page, backend: str) -> dict[str, Any]:
    """A small stack under every placement, once all are through."""
    page.evaluate(f"normscope.set({{scene: 'placement', backend: '{backend}', ...{SMALL}}})")
    through(page)
    outputs: dict[str, Any] = page.evaluate("normscope.outputs()")
    return outputs


def test_a_stack_has_the_same_numbers_on_either_backend(tested: Page) -> None:
    tested.evaluate("normscope.set({scene: 'placement', backend: 'webgpu', placement_width: 32})")
    through(tested)
    work = tested.evaluate("normscope.outputs()")["work"]
    on_gpu = stack(tested, "webgpu")
    expect(tested.locator("#chip")).to_contain_text("WebGPU · ")
    by_numpy = stack(tested, "numpy")
    expect(tested.locator("#chip")).to_contain_text("NumPy · ")
    assert on_gpu["placements"].keys() == by_numpy["placements"].keys()
    assert on_gpu["work"] == work  # NumPy ran no layer of these
    assert by_numpy["work"]["backward_layers"] == work["backward_layers"] + 8 * 3
    for key, right in by_numpy["placements"].items():
        for name in ("stream_rms", "gradient_rms"):
            assert on_gpu["placements"][key][name] == pytest.approx(right[name], rel=1e-4), key


def test_a_stack_that_has_no_shader_is_numpys_and_says_why(tested: Page) -> None:
    stack(tested, "webgpu")
    tested.evaluate("normscope.set({placement_soft_cap: 20})")
    through(tested)
    expect(tested.locator("#placement-stage")).to_contain_text(
        "NumPy computed this stack: the gradient of a soft-cap has no compute shader."
    )
    expect(tested.locator("#chip")).to_contain_text("NumPy · ")


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (NO_WEBGPU, "This browser offers no WebGPU here, so NumPy computes everything."),
        (NO_ADAPTER, "WebGPU found no graphics adapter, so NumPy computes everything."),
    ],
)
def test_without_webgpu_numpy_answers_and_it_is_said_once_where_it_matters(
    open_page: OpenPage, faulty_host: Host, fault: str, words: str
) -> None:
    faulty_host.faults["worker.js"] = in_worker(fault)
    page = open_page(faulty_host.url)
    wait_until_known(page, words)
    expect(page.locator("#notice")).to_be_hidden()  # nothing here would use it
    page.get_by_role("link", name="Placement").click()
    expect(page.locator("#notice")).to_contain_text(words)
    page.locator("#notice button").click()
    answer = page.evaluate(f"normscope.kernel('layer_norm', {ROW}, {{backend: 'webgpu'}})")
    assert answer["output"][3] == pytest.approx(3 / 5**0.5, rel=1e-6)
    expect(page.locator("#chip")).to_contain_text("NumPy · ")
    by_numpy = stack(page, "webgpu")
    assert len(by_numpy["placements"]) == 8
    expect(page.locator("#notice")).to_be_hidden()


def test_a_device_that_computes_wrongly_is_not_used(open_page: OpenPage, faulty_host: Host) -> None:
    faulty_host.faults["worker.js"] = in_worker(WRONG_NUMBERS)
    page = open_page(faulty_host.url)
    wait_until_known(page, "it failed the self-test (LayerNorm of rows: off by")
    expect(page.locator("#notice")).to_contain_text("gave wrong numbers in the self-test")
    answer = page.evaluate(f"normscope.kernel('layer_norm', {ROW}, {{backend: 'webgpu'}})")
    assert answer["output"][3] == pytest.approx(3 / 5**0.5, rel=1e-6)
    expect(page.locator("#chip")).to_contain_text("NumPy · ")


def test_a_device_lost_in_the_middle_of_a_stack(open_page: OpenPage, faulty_host: Host) -> None:
    faulty_host.faults["worker.js"] = in_worker(LOSABLE)
    page = open_page(f"{faulty_host.url}#placement&backend=webgpu")
    wait_until_tested(page)
    page.evaluate(f"normscope.set({{placement_seed: 5, ...{SMALL}, placement_depth: 12}})")
    page.evaluate("new BroadcastChannel('lose').postMessage(1)")
    through(page)
    expect(page.locator("#backend ul")).to_contain_text("The graphics device was lost.")
    expect(page.locator("#backend ul")).to_contain_text(
        "The graphics device is back.", timeout=30_000
    )
    lost = page.evaluate("normscope.outputs()")
    by_numpy = page.evaluate("normscope.set({backend: 'numpy'})")
    assert by_numpy["backend"] == "numpy"
    through(page)
    right = page.evaluate("normscope.outputs()")
    assert len(right["placements"]) == 8
    for key, mine in right["placements"].items():
        assert lost["placements"][key]["stream_rms"] == pytest.approx(
            mine["stream_rms"], rel=1e-4
        ), key
