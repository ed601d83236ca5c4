"""How fast the page starts, against a bare `loadPyodide()` of the stock files in the same Chromium.

Each round loads, in browser contexts with empty caches, the page, the stock Pyodide on the main
thread, and the stock Pyodide in a worker; medians over the rounds, and the ratio within each round.
Then, on a live page, one edit of a cell: from the key event to the frame that shows the outputs.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from static.build import runtime, site, tools
from static.build.paths import DIST
from tests.bench.edit import CELL, FOCUS, WATCH, edits
from tests.browser.conftest import DESKTOP, wait_until_ready
from tests.browser.hosting import Host
from tests.conftest import ARGUMENTS

ABI = {
    "abi_version": "2026_0",
    "arch": "wasm32",
    "platform": "emscripten_5_0_3",
    "python": "3.14.0",
}
BARE_PAGE = """<!doctype html><meta charset="utf-8"><title>Bare</title><script type="module">
import { loadPyodide } from "./pyodide.mjs";
const python = await loadPyodide({ indexURL: new URL("./", location.href).href });
python.runPython("1 + 1");
globalThis.took = performance.now();
</script>"""
BARE_WORKER_PAGE = """<!doctype html><meta charset="utf-8"><title>Bare</title><script>
const worker = new Worker("worker.js", { type: "module" });
worker.onmessage = () => (globalThis.took = performance.now());
</script>"""
BARE_WORKER = """import { loadPyodide } from "./pyodide.mjs";
const python = await loadPyodide({ indexURL: new URL("./", location.href).href });
python.runPython("1 + 1");
postMessage("up");
"""
LONG_TASKS = """
  globalThis.longest = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) longest = Math.max(longest, entry.duration);
  }).observe({ type: "longtask", buffered: true });
"""


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(prog="build.py bench start", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        bare = Host(stock_pyodide(Path(folder)))
        ours = Host(DIST)
        path = os.environ.get("NORMSCOPE_CHROMIUM") or tools.chromium()
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        rounds = [one_round(browser, ours, bare) for _ in range(options.rounds)]
        shown = measure_edits(browser, ours)
        browser.close()
    print_table(rounds, shown)


def stock_pyodide(folder: Path) -> Path:
    """Pyodide's files as they come, and pages that start it."""
    core = runtime.make(print).core
    for path in core.iterdir():
        shutil.copyfile(path, folder / path.name)
    (folder / "pyodide-lock.json").write_text(json.dumps({"info": ABI, "packages": {}}))
    (folder / "main.html").write_text(BARE_PAGE)
    (folder / "in-worker.html").write_text(BARE_WORKER_PAGE)
    (folder / "worker.js").write_text(BARE_WORKER)
    return folder


def in_new_context(browser: Browser, url: str, look: Callable[[Page], Any]) -> Any:
    """Open an address with an empty cache, and what `look` finds there."""
    context = browser.new_context(viewport=DESKTOP)
    page = context.new_page()
    page.add_init_script(LONG_TASKS)
    try:
        page.goto(url)
        return look(page)
    finally:
        context.close()


def one_round(browser: Browser, ours: Host, bare: Host) -> dict[str, float]:
    """One start of each kind, in ms."""

    def of_page(page: Page) -> dict[str, float]:
        wait_until_ready(page)
        return {**page.evaluate("normscope.timings"), "longest task": page.evaluate("longest")}

    def of_bare(page: Page) -> float:
        page.wait_for_function("globalThis.took !== undefined", timeout=120_000)
        return float(page.evaluate("took"))

    times = in_new_context(browser, ours.url, of_page)
    main_thread = in_new_context(browser, f"{bare.url}main.html", of_bare)
    worker = in_new_context(browser, f"{bare.url}in-worker.html", of_bare)
    times |= {"bare, main thread": main_thread, "bare, worker": worker}
    times["interactive / bare, main thread"] = times["interactive"] / main_thread
    times["interactive / bare, worker"] = times["interactive"] / worker
    return times


def measure_edits(browser: Browser, ours: Host) -> list[float]:
    """One edit after the other on a live page, in ms each, as `bench edit` measures them."""

    def look(page: Page) -> list[float]:
        wait_until_ready(page)
        page.wait_for_timeout(3000)
        page.evaluate(WATCH)
        page.bring_to_front()
        page.evaluate(FOCUS, [CELL, 0])
        return edits(page)

    return list(in_new_context(browser, ours.url, look))


def print_table(rounds: list[dict[str, float]], edits: list[float]) -> None:
    """Medians, and the extremes beside them."""
    weight = site.first_visit_bytes(DIST)
    print(f"first visit, compressed: {weight:,} bytes".replace(",", " "))
    print(f"median of {len(rounds)} starts with empty caches (least … most)")
    for name in rounds[0]:
        values = sorted(one[name] for one in rounds)
        digits, unit = (2, "") if "/" in name else (0, " ms")
        middle = statistics.median(values)
        print(
            f"  {name:34}{middle:8.{digits}f}{unit}"
            f"   ({values[0]:.{digits}f} … {values[-1]:.{digits}f})"
        )
    edits = sorted(edits)
    print(f"one edit until the outputs show it, {len(edits)} edits")
    middle, late = statistics.median(edits), edits[-1 - len(edits) // 20]
    print(f"  median {middle:.1f} ms, 95th percentile {late:.1f} ms")


if __name__ == "__main__":
    main()
