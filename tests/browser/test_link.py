"""The whole state is the link: reload, Back, links by hand, and links that mean harm."""

from __future__ import annotations

import base64
import zlib

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, wait_until_ready
from tests.browser.hosting import Host
from tests.browser.reading import cell, outputs, wait_for
from tests.browser.test_editing import START, assert_shows, start_with


def type_into(page: Page, index: int, text: str) -> None:
    """Type a number into a cell."""
    cell(page, index).click()
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def test_a_reload_keeps_the_state(open_page: OpenPage, host: Host) -> None:
    page = open_page(host.url)
    type_into(page, 0, "8.125")
    page.get_by_role("slider", name="ε").focus()
    page.keyboard.press("ArrowRight")
    before = page.evaluate("normscope.state()")
    assert before["eps"] == 2e-5
    link = page.evaluate("normscope.link()")
    expect(page).to_have_url(link)  # a little later than the state
    page.reload()
    wait_until_ready(page)
    assert page.evaluate("normscope.state()") == before
    assert outputs(page)["x"] == start_with(b0t0f0=8.125)


def test_back_takes_back_a_deliberate_step_and_forward_does_it_again(page: Page) -> None:
    type_into(page, 0, "8")
    assert_shows(page, start_with(b0t0f0=8))
    type_into(page, 1, "9")
    assert_shows(page, start_with(b0t0f0=8, b0t0f1=9))
    page.wait_for_function("location.hash.includes('x=')")
    page.go_back()
    assert_shows(page, start_with(b0t0f0=8))
    page.go_back()
    assert_shows(page, START)
    page.go_forward()
    assert_shows(page, start_with(b0t0f0=8))


def test_a_whole_move_of_the_slider_is_one_step_that_back_takes_back(page: Page) -> None:
    type_into(page, 0, "8")
    assert outputs(page)["x"] == start_with(b0t0f0=8)
    page.get_by_role("slider", name="ε").focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
        page.evaluate("normscope.state()")
    assert page.evaluate("normscope.state()")["eps"] == pytest.approx(5e-4)
    expect(page).to_have_url(page.evaluate("normscope.link()"))
    page.go_back()
    assert_shows(page, start_with(b0t0f0=8))
    assert page.evaluate("normscope.state()")["eps"] == 1e-5
    page.go_back()
    assert_shows(page, START)


def test_another_link_opened_in_the_page_sets_the_whole_state(page: Page) -> None:
    type_into(page, 0, "8")
    page.evaluate("location.hash = '#axes&x=B,T,d:1x1x2:1,3&eps=0'")
    wait_for(page, "o => o.x[0][0].length === 2")
    got = outputs(page)
    assert got["x"] == [[[1, 3]]]
    layer = next(one for one in got["normalizers"] if one["family"] == "layer")
    assert layer["output"] == [[[-1, 1]]]
    page.evaluate("location.hash = '#axes'")
    wait_for(page, "o => o.x[0][0].length === 4")
    assert_shows(page, START)


def bomb(size: int) -> str:
    """A packed tensor that unpacks to far more than its shape says."""
    packed = base64.urlsafe_b64encode(zlib.compress(bytes(size), 9)).decode().rstrip("=")
    return f"x=B,T,d:1x1x65:~{packed}"


HOSTILE = {
    "garbage": "%%%%&&&=&x=%00%ff;;;",
    "not a tensor": "axes&x=hello",
    "not numbers": "axes&x=B,T,d:1x1x2:one,two",
    "wrong count": "axes&x=B,T,d:1x1x3:1,2",
    "huge shape": "axes&x=B,T,d:99999999x99999999x99999999:1",
    "negative shape": "axes&x=B,T,d:-1x1x-2:1,2",
    "zip bomb": f"axes&{bomb(400_000_000)}",
    "not packed": "axes&x=B,T,d:1x1x65:~AAAA",
    "unknown keys": "axes&__proto__=1&constructor=2",
    "unknown scene": "nowhere",
    "eps out of range": "axes&eps=-1",
    "markup": "axes&eps=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E",
    "very long": "axes&x=B,T,d:1x1x2:" + "1," * 150_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_link_gives_a_notice_and_the_default_state(page: Page, name: str) -> None:
    page.evaluate("fragment => { location.hash = fragment }", HOSTILE[name])
    notice = page.locator("#notice")
    expect(notice).to_be_visible()
    expect(notice).to_contain_text("could not be read")
    assert_shows(page, START)
    assert page.evaluate("normscope.state()")["eps"] == 1e-5
    assert page.locator("#notice img").count() == 0


def test_a_page_opened_by_a_hostile_link_starts_all_the_same(
    open_page: OpenPage, host: Host
) -> None:
    page = open_page(f"{host.url}#{HOSTILE['zip bomb']}")
    expect(page.locator("#notice")).to_contain_text("could not be read")
    assert_shows(page, START)


def test_a_link_with_a_large_tensor_restores_it_bit_for_bit(page: Page) -> None:
    values = [[[(i * 37 % 101) / 7 + j * 1e-9 for j in range(16)] for i in range(8)]]
    page.evaluate("tensor => normscope.set({tensor, cell: [0, 0, 0]})", values)
    link = page.evaluate("normscope.link()")
    page.evaluate("location.hash = '#axes'")
    wait_for(page, "o => o.x[0][0].length === 4")
    page.evaluate("link => { location.href = link }", link)
    wait_for(page, "o => o.x[0][0].length === 16")
    assert outputs(page)["x"] == values
