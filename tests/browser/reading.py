"""What a person reads on the page, and what `normscope.outputs()` says beside it."""

from __future__ import annotations

import math
from typing import Any

from playwright.sync_api import Locator, Page


def outputs(page: Page) -> Any:
    """`normscope.outputs()`: it comes after everything a person did before."""
    return page.evaluate("normscope.outputs()")


def normalizer(page: Page, family: str) -> Any:
    """What the kernel of a normalizer on show returned."""
    return next(one for one in outputs(page)["normalizers"] if one["family"] == family)


def grid(page: Page) -> Locator:
    """The tensor that a person edits."""
    return page.locator("#scene-axes").get_by_role("grid").first


def cell(page: Page, index: int) -> Locator:
    """A cell of the tensor by its flat index."""
    return grid(page).get_by_role("gridcell").nth(index)


def card(page: Page, title: str) -> Locator:
    """The card that shows a normalizer's output."""
    return page.locator("#axes-results article").filter(has_text=title).first


def shown(locator: Locator) -> list[str]:
    """The texts of a table's cells, in reading order."""
    return locator.locator(".cell").all_inner_texts()


def flat(values: Any) -> list[float]:
    """Nested lists as one list."""
    if isinstance(values, list):
        return [number for item in values for number in flat(item)]
    return [float(values)]


def two_decimals(values: Any) -> list[str]:
    """Numbers as the cards write them: two decimals, a real minus sign, no negative zero."""
    texts = ("NaN" if math.isnan(number) else f"{number:.2f}" for number in flat(values))
    return [text.replace("-0.00", "0.00").replace("-", "−") for text in texts]


def statistics(article: Locator) -> list[str]:
    """The statistics on a card: mean, variance and denominator, or mean square and denominator."""
    return article.locator("dl dd").all_inner_texts()


def violations(page: Page, axe_script: str, part: str) -> list[str]:
    """What axe-core finds against WCAG 2.1 A and AA in a part of the page."""
    page.evaluate(axe_script)
    found: list[str] = page.evaluate(
        """async part => {
          const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
          const {violations} = await axe.run(part, {runOnly: {type: "tag", values: tags}});
          const where = one => one.nodes.map(node => node.html.slice(0, 160)).join(" | ");
          return violations.map(one => `${one.id}: ${where(one)}`);
        }""",
        part,
    )
    return found


PATIENCE_MS = 90_000  # for a loaded machine; nothing is judged by it

WAITING = """
async (patience) => {
  const met = %s;
  for (const end = performance.now() + patience; performance.now() < end; ) {
    const shown = await normscope.outputs();
    if (met(shown)) return shown;
    await new Promise((later) => setTimeout(later, 60));
  }
  throw new Error("waited in vain");
}
"""


def wait_for(page: Page, condition: str) -> Any:
    """Wait until `normscope.outputs()` meets a condition, a function in JavaScript."""
    return page.evaluate(WAITING % condition, PATIENCE_MS)
