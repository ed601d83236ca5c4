"""Every preset shows the numbers of the texts it comes from, in the outputs and in the cells."""

from __future__ import annotations

import math

import pytest
from playwright.sync_api import Page, expect

from app.presets import PRESETS
from tests.browser.reading import card, flat, normalizer, shown, statistics, two_decimals

TITLES = {"batch": "BatchNorm", "layer": "LayerNorm", "rms": "RMSNorm"}
NAN = math.nan

# preset, ε, normalizer: the output, and the statistics of its first cell as the card writes them.
# The outputs are those of the texts, in exact arithmetic to ten digits; 0/0 is NaN.
CLAIMS = (
    ("pair", 0, "layer", [-1, 1], ["2", "1", "1"]),
    ("pair", 0, "rms", [0.4472135955, 1.3416407865], ["5", "2.2361"]),
    ("pair", 0, "batch", [NAN, NAN], ["1", "0", "0"]),
    ("pair", 1e-5, "batch", [0, 0], ["1", "0", "0.0032"]),
    ("shifted", 0, "layer", [-1, 1], ["12", "1", "1"]),
    ("shifted", 0, "rms", [0.9135002784, 1.0795912381], ["145", "12.0416"]),
    ("token", 1e-5, "layer", [-1.4142100269, 0, 0, 1.4142100269], ["4", "2", "1.4142"]),
    ("token", 1, "layer", [-1.1547005384, 0, 0, 1.1547005384], ["4", "2", "1.7321"]),
    (
        "token",
        1e-5,
        "rms",
        [0.4714043898, 0.9428087797, 0.9428087797, 1.4142131695],
        ["18", "4.2426"],
    ),
    ("token", 1e-5, "batch", [0, 0, 0, 0], ["2", "0", "0.0032"]),
    ("token", 0, "batch", [NAN, NAN, NAN, NAN], ["2", "0", "0"]),
    (
        "batch",
        1e-5,
        "batch",
        [-1.1766966, -0.7844644, 0.7844644, 1.1766966],
        ["6", "26", "5.099"],
    ),
    ("batch", 0, "rms", [NAN, 1, 1, 1], ["0", "0"]),
    ("batch", 1e-5, "layer", [0, 0, 0, 0], ["0", "0", "0.0032"]),
)


def choose(page: Page, preset: str, eps: float) -> None:
    """Choose a preset in the menu as a person does, then set ε."""
    menu = page.locator("#scene-axes").get_by_label("Tensor", exact=True)
    title = PRESETS[preset].title
    label = menu.locator("option").filter(has_text=title).first.inner_text()
    menu.select_option(label=label)
    page.evaluate("eps => normscope.set({eps, cell: [0, 0, 0]})", eps)


@pytest.mark.parametrize(("preset", "eps", "family", "output", "numbers"), CLAIMS)
def test_preset_shows_the_numbers_of_the_texts(
    page: Page, preset: str, eps: float, family: str, output: list[float], numbers: list[str]
) -> None:
    choose(page, preset, eps)
    got = flat(normalizer(page, family)["output"])
    assert got == pytest.approx(output, rel=1e-7, abs=1e-12, nan_ok=True)
    assert shown(card(page, TITLES[family])) == two_decimals(output)
    assert statistics(card(page, TITLES[family])) == numbers


def test_the_page_opens_with_two_sequences_of_three_tokens(page: Page) -> None:
    x = [
        [[2, 4, 4, 6], [1, 3, -2, 0.5], [0, 1, 7, 2]],
        [[11, 13, 12, 9], [-1, -3, 2, 1], [3, 3, 3, 5]],
    ]
    assert page.evaluate("normscope.outputs()")["x"] == x
    # The first token is the texts' [2, 4, 4, 6].
    first = flat(normalizer(page, "layer")["output"][0][0])
    assert first == pytest.approx([-1.4142100269, 0, 0, 1.4142100269], rel=1e-9, abs=1e-12)
    # Feature 0 over all six tokens: mean 16/6, mean square 136/6.
    mean, square = 16 / 6, (4 + 1 + 0 + 121 + 1 + 9) / 6
    deviation = math.sqrt(square - mean**2 + 1e-5)
    column = [row[0] for sequence in x for row in sequence]
    got = [row[0] for sequence in normalizer(page, "batch")["output"] for row in sequence]
    assert got == pytest.approx([(value - mean) / deviation for value in column], rel=1e-12)


def test_every_preset_is_in_the_menu_with_its_shape(page: Page) -> None:
    options = page.get_by_label("Tensor", exact=True).locator("option")
    for preset in PRESETS.values():
        shape = ", ".join(map(str, preset.tensor.values.shape))
        expect(options.filter(has_text=f"{preset.title} · [{shape}]")).to_have_count(1)
