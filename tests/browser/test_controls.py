"""Axes, ε and the theme, used as a person does."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.expected import expected
from tests.browser.hosting import Host
from tests.browser.reading import flat, normalizer, outputs
from tests.browser.test_editing import START, assert_shows


def axis(page: Page, name: str):  # type: ignore[no-untyped-def]
    """The toggle of an axis."""
    return page.locator("#axes-controls").get_by_role("button", name=name, exact=True)


def test_the_reduced_axes_can_be_toggled(page: Page) -> None:
    """LayerNorm over (T, d): 12 values of a sequence share mean and variance."""
    axis(page, "T").click()
    layer = normalizer(page, "layer_td") if has(page, "layer_td") else selected(page)
    assert layer["axes"] == [1, 2]
    values = flat(START[0])
    mean = sum(values) / 12
    variance = sum((value - mean) ** 2 for value in values) / 12
    assert flat(layer["mean"])[0] == pytest.approx(mean, rel=1e-14)
    assert flat(layer["variance"])[0] == pytest.approx(variance, rel=1e-14)
    first = (2 - mean) / (variance + 1e-5) ** 0.5
    assert layer["output"][0][0][0] == pytest.approx(first, rel=1e-12)


def has(page: Page, family: str) -> bool:
    """Whether a normalizer is on show."""
    return any(one["family"] == family for one in outputs(page)["normalizers"])


def selected(page: Page):  # type: ignore[no-untyped-def]
    """The normalizer whose numbers are explained."""
    return outputs(page)["normalizers"][page.evaluate("normscope.state()")["selected"]]


def test_no_axis_at_all_makes_each_value_its_own_group(page: Page) -> None:
    axis(page, "d").click()
    layer = selected(page)
    assert layer["axes"] == []
    assert set(flat(layer["output"])) == {0.0}
    assert len(set(flat(layer["groups"]))) == 24


def test_every_axis_makes_one_group(page: Page) -> None:
    axis(page, "T").click()
    axis(page, "B").click()
    one = selected(page)
    assert one["axes"] == [0, 1, 2]
    assert set(flat(one["groups"])) == {0.0}
    assert sum(flat(one["output"])) == pytest.approx(0, abs=1e-12)


def test_eps_follows_the_keyboard_and_the_numbers_follow_eps(page: Page) -> None:
    slider = page.get_by_role("slider", name="ε")
    slider.focus()
    page.keyboard.press("End")
    assert page.evaluate("normscope.state()")["eps"] == 1
    expect(slider).to_have_attribute("aria-valuetext", "1")
    right = expected(START, 1)
    for family in ("batch", "layer", "rms"):
        got = flat(normalizer(page, family)["output"])
        assert got == pytest.approx(flat(right[family]), rel=1e-12, abs=1e-14)
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("normscope.state()")["eps"] == 0.5
    page.keyboard.press("Home")
    assert page.evaluate("normscope.state()")["eps"] == 0
    expect(slider).to_have_attribute("aria-valuetext", "0")


def test_the_theme_button_changes_the_look_and_is_remembered(
    open_page: OpenPage, host: Host
) -> None:
    page = open_page(host.url)
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.get_by_role("button", name="Use the dark theme").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate(paper) != light
    page.reload(wait_until="commit")
    page.wait_for_selector("header")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.get_by_role("button", name="Use the light theme").click()
    assert page.evaluate(paper) == light


def test_the_theme_follows_the_system_until_a_person_chooses(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.emulate_media(color_scheme="light")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    assert_shows(page, START)
