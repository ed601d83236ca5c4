"""How the page starts: where it lies, its first picture, what a person does before Python is up."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, wait_until_ready
from tests.browser.hosting import Host
from tests.browser.reading import cell, outputs
from tests.browser.test_editing import START, assert_shows, start_with

# Keeps the documents that Python's worker sends.
LISTEN = """
  globalThis.documents = [];
  globalThis.Worker = class extends Worker {
    constructor(...args) {
      super(...args);
      this.addEventListener("message", ({ data }) => {
        if (data.type !== "message") return;
        const message = JSON.parse(data.json);
        if (message.type === "document") documents.push(message);
      });
    }
  };
"""


def test_the_site_works_under_a_folder(open_page: OpenPage, repo_host: Host) -> None:
    page = open_page(repo_host.url)
    cell(page, 0).click()
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    assert_shows(page, start_with(b0t0f0=5))
    assert page.evaluate("normscope.link()").startswith(f"{repo_host.url}#axes")


def test_the_folder_without_its_slash_leads_to_it(open_page: OpenPage, repo_host: Host) -> None:
    page = open_page(f"{repo_host.origin}/repo", wait=False)
    page.wait_for_url(repo_host.url)
    wait_until_ready(page)
    assert outputs(page)["x"] == START


def test_the_bar_names_steps_in_order_and_never_goes_back(open_page: OpenPage, host: Host) -> None:
    script = """
      globalThis.steps = [];
      addEventListener("DOMContentLoaded", () => {
        const box = document.getElementById("progress");
        const step = box.querySelector("[data-step]");
        const now = () => Number(box.getAttribute("aria-valuenow"));
        new MutationObserver(() => steps.push([step.textContent, now()])).observe(
          box, { attributes: true, subtree: true, childList: true });
      });
    """
    page = open_page(host.url, script=script)
    seen = page.evaluate("steps")
    values = [value for _, value in seen]
    assert values == sorted(values)
    assert len(set(values)) > 10
    names = list(dict.fromkeys(name for name, _ in seen))
    wanted = ["Fetching Python and NumPy", "Starting Python", "Unpacking", "Loading NumPy"]
    wanted += ["Loading Bokeh", "Loading Panel", "Setting up the scene"]
    assert [name for name in names if name in wanted] == wanted
    expect(page.locator("#progress")).to_be_hidden()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_first_picture_is_the_very_document_that_python_builds(
    open_page: OpenPage, host: Host, theme: str
) -> None:
    page = open_page(host.url, script=LISTEN, color_scheme=theme)
    (built,) = page.evaluate("documents")
    pictures = page.evaluate("JSON.parse(document.getElementById('manifest').textContent)")
    text = page.request.get(host.url + pictures["pictures"][theme]).text()
    for name in ("runtime", "app"):
        text = text.replace(f"{{{{{name}}}}}", host.url + pictures[name])
    shipped = json.loads(text)
    assert shipped["scene"] == built["scene"]
    assert shipped["document"] == built["document"]
    assert page.locator(".scene").count() == 1


def hold_python_back(page: Page) -> None:
    """The first picture is shown, and Python is not up."""
    page.wait_for_selector("#scene-axes .cell")
    assert page.evaluate("normscope.timings.interactive") == 0


def test_an_edit_made_before_python_is_up_is_not_lost(open_page: OpenPage, host: Host) -> None:
    page = open_page(host.url, wait=False)
    hold_python_back(page)
    cell(page, 0).click()
    page.keyboard.type("-4")
    page.keyboard.press("Enter")
    assert page.evaluate("normscope.timings.interactive") == 0
    expect(cell(page, 0)).to_have_text("-4")
    wait_until_ready(page)
    assert_shows(page, start_with(b0t0f0=-4))


def test_a_link_and_the_theme_chosen_before_python_is_up_are_not_lost(
    open_page: OpenPage, host: Host
) -> None:
    page = open_page(host.url, wait=False)
    hold_python_back(page)
    page.get_by_role("button", name="Use the dark theme").click()
    page.evaluate("location.hash = '#axes&x=B,T,d:1x1x2:1,3&eps=0'")
    assert page.evaluate("normscope.timings.interactive") == 0
    wait_until_ready(page)
    assert outputs(page)["x"] == [[[1, 3]]]
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_another_links_page_never_shows_the_default_numbers(
    open_page: OpenPage, host: Host
) -> None:
    script = """
      globalThis.firstCells = null;
      const cellsBelow = (root) => [...root.querySelectorAll("*")].flatMap((element) => [
        ...(element.matches("[role=grid] .cell") ? [element] : []),
        ...(element.shadowRoot ? cellsBelow(element.shadowRoot) : []),
      ]);
      addEventListener("DOMContentLoaded", () => {
        const look = () => {
          const cells = cellsBelow(document.body);
          if (cells.length) firstCells ??= cells.map((one) => one.textContent);
          else requestAnimationFrame(look);
        };
        look();
      });
    """
    page = open_page(f"{host.url}#axes&x=B,T,d:1x1x2:1,3&eps=0", script=script)
    assert page.evaluate("firstCells")[:2] == ["1", "3"]
    assert outputs(page)["x"] == [[[1, 3]]]


def test_what_is_rehearsed_at_rest_changes_nothing_on_the_page(
    open_page: OpenPage, host: Host
) -> None:
    script = LISTEN.replace('=== "document"', '!== "bytes"')
    page = open_page(f"{host.url}#axes", script=script)
    sent = page.evaluate("documents.length")
    page.wait_for_timeout(4000)  # rest begins after 1.2 s; 24 rehearsals take less than one
    seen = page.evaluate("(from) => documents.slice(from).map(({ type }) => type)", sent)
    assert "graphics" in seen  # rest has begun
    assert "changes" not in seen
    assert outputs(page)["x"] == START


def test_what_an_edit_changes_goes_by_the_wire_alone(open_page: OpenPage, host: Host) -> None:
    """Once everything was shown a first time, Bokeh's own patches take no part in an edit."""
    page = open_page(f"{host.url}#axes", script=LISTEN.replace('=== "document"', '=== "changes"'))
    for number in (5, 6):
        cell(page, 0).click()
        page.evaluate("normscope.state()")
        page.evaluate("documents.length = 0")
        page.keyboard.type(str(number))
        page.keyboard.press("Enter")
        assert_shows(page, start_with(b0t0f0=number))
    (change,) = page.evaluate("documents")
    assert change["patches"] == []
    sent = [array for model in change["models"] for array in model["arrays"].values()]
    assert sorted(length for _, _, length in sent) == [24] * 4  # the tensor and three outputs


def test_a_plot_is_painted_without_asking_for_styles(open_page: OpenPage, host: Host) -> None:
    """Bokeh 3.10 by itself asks 129 times for one step of this slider."""
    page = open_page(f"{host.url}#softmax")
    slider = page.get_by_role("slider", name="Scale of the projections")
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(500)
    page.evaluate(
        """() => {
          globalThis.asked = 0;
          const ask = globalThis.getComputedStyle;
          globalThis.getComputedStyle = (...of) => { asked += 1; return ask(...of); };
        }"""
    )
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(500)
    assert page.evaluate("asked") < 20


COUNT = """
() => {
  globalThis.counted = { painted: [], prepared: 0, laid_out: 0 };
  const count = (module, name, method, note) => {
    const prototype = Bokeh.require(module)[name].prototype;
    const own = prototype[method];
    prototype[method] = function (...values) { note(this); return own.apply(this, values); };
  };
  const plots = ["models/plots/plot_canvas", "PlotView"];
  count(...plots, "repaint", ({ model }) => { counted.painted.push(model.id); });
  count(...plots, "_after_layout", () => { counted.laid_out += 1; });
  count("models/glyphs/glyph", "GlyphView", "set_visuals", () => { counted.prepared += 1; });
}
"""


def test_an_edit_paints_each_plot_once_and_prepares_each_glyph_once(
    open_page: OpenPage, host: Host
) -> None:
    """Left alone, Bokeh 3.10 prepared glyphs 75 times, five views of each of 15."""
    page = open_page(f"{host.url}#softmax")
    page.wait_for_timeout(4000)  # what is rehearsed at rest paints nothing, but takes its time
    page.evaluate(COUNT)
    page.locator("#softmax-stage").get_by_role("gridcell").first.click()
    page.keyboard.type("3")
    page.wait_for_timeout(300)
    page.evaluate("Object.assign(counted, { painted: [], prepared: 0 })")
    page.keyboard.press("Enter")
    page.wait_for_function("normscope.outputs().then(({ query }) => query[0] === 3)")
    page.wait_for_timeout(500)
    counted = page.evaluate("counted")
    assert len(counted["painted"]) == len(set(counted["painted"])) == 3
    assert counted["prepared"] <= 6  # the curves and the dots of three figures
    assert counted["laid_out"] == 0


def test_nothing_but_files_of_the_site_is_asked_for(open_page: OpenPage, host: Host) -> None:
    """Foreign requests fail every test; here the page's own are looked at too."""
    asked: list[str] = []
    page = open_page("about:blank", wait=False)
    page.watch.origin = host.origin  # type: ignore[attr-defined]
    page.on("request", lambda request: asked.append(request.url))
    page.goto(host.url)
    wait_until_ready(page)
    own = [url for url in asked if url.startswith(host.url)]
    assert len(own) > 20
    folders = ("/app-", "/runtime-")
    assert all("?" not in url and (url == host.url or any(map(url.count, folders))) for url in own)
    rest = {url.split(":")[0] for url in asked if not url.startswith(host.url)}
    assert rest <= {"blob", "data"}
