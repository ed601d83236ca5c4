"""Every kind of file missing, cut, damaged, replaced, mistyped: the page names it; Retry works."""

from __future__ import annotations

import dataclasses
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import hosting
from tests.browser.conftest import OpenPage, wait_until_ready
from tests.browser.hosting import Fault, Host
from tests.browser.reading import outputs

# A broken file makes the browser print and fail in many words; that nothing is asked elsewhere
# holds all the same.
EXPECTED = r"^(?!foreign request)"
WORDS = {
    "missing": "is missing: the server answers 404",
    "cut": "is damaged|could not be fetched",
    "broken off": "is damaged|could not be fetched",
    "damaged": "is damaged",
    "replaced by a page": "is damaged|comes as “text/html”",
    "wrong type": "comes as “application/octet-stream”",
}
FAULTS = {
    "missing": hosting.MISSING,
    "cut": hosting.TRUNCATED,
    "broken off": hosting.BROKEN_OFF,
    "damaged": hosting.FLIPPED,
    "replaced by a page": hosting.REPLACED,
    "wrong type": hosting.WRONG_TYPE,
}
CONTENT = ("missing", "cut", "broken off", "damaged", "replaced by a page")
SCRIPT = (*CONTENT, "wrong type")

# What Python's worker fetches; our modules, of the page and of the worker; BokehJS.
FETCHED = (
    "pyodide.asm.wasm.gz",
    "pyodide.asm.mjs.gz",
    "pyodide.mjs.gz",
    "stdlib.zip.gz",
    "site.tar.gz",
    "modules.tar.gz",
)
CASES = [
    *((file, kind) for file in FETCHED for kind in ("missing", "damaged")),
    *(("site.tar.gz", kind) for kind in ("cut", "broken off", "replaced by a page")),
    *(("main.js", kind) for kind in SCRIPT),
    *(("documents.js", kind) for kind in ("missing", "damaged")),
    *(("worker.js", kind) for kind in ("missing", "replaced by a page", "wrong type")),
    *(("download.js", kind) for kind in ("missing", "cut")),
    *(
        ("bokeh.min.js", kind)
        for kind in ("missing", "broken off", "damaged", "replaced by a page")
    ),
    *(("tensor_grid.js", kind) for kind in ("missing", "damaged", "wrong type")),
    ("style.css", "missing"),
]


def assert_says(page: Page, file: str, words: str) -> None:
    """The page names the file, what is wrong with it and what to do, and offers to try again."""
    failure = page.locator("#failure")
    expect(failure).to_be_visible(timeout=60_000)
    expect(failure.locator("[data-what]")).to_have_text(re.compile(f"{re.escape(file)} ({words})"))
    expect(failure.locator("[data-detail]")).not_to_be_empty()
    expect(failure.get_by_role("button", name="Retry")).to_be_focused()
    expect(page.locator("#progress")).to_be_hidden()


@pytest.mark.parametrize(("file", "kind"), CASES)
def test_a_broken_file_is_named(
    open_page: OpenPage, faulty_host: Host, file: str, kind: str
) -> None:
    faulty_host.faults[file] = FAULTS[kind]
    page = open_page(faulty_host.url, wait=False)
    page.watch.allow(EXPECTED)  # type: ignore[attr-defined]
    assert_says(page, file, WORDS[kind])


@pytest.mark.parametrize("file", ["site.tar.gz", "bokeh.min.js", "main.js"])
def test_retry_works_once_the_file_is_whole_again(
    open_page: OpenPage, faulty_host: Host, file: str
) -> None:
    """Also where the browser kept the broken file for good, as hashed folders allow."""
    faulty_host.faults[file] = dataclasses.replace(hosting.FLIPPED)
    page = open_page(faulty_host.url, wait=False)
    page.watch.allow(EXPECTED)  # type: ignore[attr-defined]
    assert_says(page, file, WORDS["damaged"])
    del faulty_host.faults[file]
    page.get_by_role("button", name="Retry").click()
    page.wait_for_selector(".place .cell", timeout=60_000)
    wait_until_ready(page)
    expect(page.locator("#failure")).to_be_hidden()
    assert outputs(page)["x"][0][0] == [2, 4, 4, 6]


@pytest.mark.parametrize("file", ["main.js", "worker.js", "bokeh.min.js", "stdlib.zip.gz"])
def test_a_line_that_falls_silent_is_told(
    open_page: OpenPage, faulty_host: Host, file: str
) -> None:
    """The limit stands in the page's list of files; here the site was built with a short one."""
    faulty_host.faults[file] = hosting.STALLED
    faulty_host.faults["index.html"] = Fault(
        change=lambda page: page.replace(b'"quiet_seconds": 45', b'"quiet_seconds": 6')
    )
    page = open_page(faulty_host.url, wait=False)
    page.watch.allow(EXPECTED)  # type: ignore[attr-defined]
    assert_says(page, file, "stopped arriving|could not be fetched")
    expect(page.locator("#failure [data-detail]")).to_contain_text("6 seconds")
    faulty_host.release()


@pytest.mark.parametrize(
    ("file", "kind"),
    [("components.css", "missing"), ("widgets.css", "missing"), ("style.css", "wrong type")],
)
def test_a_stylesheet_without_which_python_runs_is_told_in_a_notice(
    open_page: OpenPage, faulty_host: Host, file: str, kind: str
) -> None:
    faulty_host.faults[file] = FAULTS[kind]
    page = open_page(faulty_host.url)
    page.watch.allow(EXPECTED)  # type: ignore[attr-defined]
    notice = page.locator("#notice")
    expect(notice).to_contain_text(re.compile(f"The file {re.escape(file)} ({WORDS[kind]})"))
    assert outputs(page)["x"][0][0] == [2, 4, 4, 6]


def test_without_webassembly_the_page_says_so(open_page: OpenPage, host: Host) -> None:
    script = "delete globalThis.WebAssembly;"
    faults = Fault(change=lambda worker: script.encode() + worker)
    host.faults["worker.js"] = faults
    try:
        page = open_page(host.url, wait=False, script=script)
        expect(page.locator("#failure [data-what]")).to_contain_text("no WebAssembly")
        expect(page.locator("#failure [data-detail]")).to_contain_text("Any current browser has it")
    finally:
        del host.faults["worker.js"]


def test_without_javascript_the_page_says_so(open_page: OpenPage, host: Host) -> None:
    page = open_page(host.url, wait=False, java_script_enabled=False)
    page.watch.allow(r"\(csp\)")  # type: ignore[attr-defined]  # preloads of scripts
    expect(page.get_by_role("heading", name="Normscope needs JavaScript")).to_be_visible()
    expect(page.locator("#progress")).to_be_hidden()
