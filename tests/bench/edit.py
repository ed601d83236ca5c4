"""How long an edit takes: from the key to the frame that shows every view; updates while dragging.

Run by `python3 build.py bench edit`. The times come from the page's own clock: the key event's
time, and the marks the page sets when a patch is applied and when its frame is drawn.
"""

from __future__ import annotations

import os
import statistics
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, sync_playwright

from static.build.paths import DIST
from static.build.serve import make_server

SHAPES = ((2, 3, 4), (8, 8, 16), (4, 16, 64))
EDITS = 40
WARM_UP = 5
REST = 250  # milliseconds
FLAGS = ("--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync")  # fmt: skip

FOCUS = """
() => {
  const find = (node) => {
    if (node.matches?.('.cell[tabindex="0"]')) return node;
    for (const child of node.children ?? []) {
      const found = find(child) ?? (child.shadowRoot && find(child.shadowRoot));
      if (found) return found;
    }
  };
  find(document.getElementById("axes-stage")).focus();
}
"""
WATCH = """
() => {
  const note = (event) => { if (event.key === "Enter") window.pressed = event.timeStamp; };
  addEventListener("keydown", note, true);
}
"""
SHOWN = """
() => {
  const since = (mark) => mark.startTime - window.pressed;
  const times = (name) => performance.getEntriesByName(name).map(since);
  return { patched: times("normscope:patched"), shown: times("normscope:shown") };
}
"""
DRAG = """
async () => {
  const find = (node) => {
    if (node.matches?.("input[type=range]")) return node;
    for (const child of node.children ?? []) {
      const found = find(child) ?? (child.shadowRoot && find(child.shadowRoot));
      if (found) return found;
    }
  };
  const slider = find(document.getElementById("axes-controls"));
  performance.clearMarks();
  const start = performance.now();
  for (let step = 0; performance.now() - start < 2000; step++) {
    slider.value = String(step % 37);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((resolve) => setTimeout(resolve, 8));
  }
  const seconds = (performance.now() - start) / 1000;
  return performance.getEntriesByName("normscope:patched").length / seconds;
}
"""


@contextmanager
def opened() -> Iterator[Page]:
    """The built page in Chromium, ready."""
    server = make_server(DIST, 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ["NORMSCOPE_CHROMIUM"], args=list(FLAGS)
        )
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(f"http://127.0.0.1:{server.server_address[1]}/")
        page.wait_for_function("globalThis.normscope !== undefined")
        page.evaluate("normscope.ready")
        page.wait_for_timeout(3000)
        yield page
        browser.close()
    server.shutdown()


def fill(page: Page, shape: tuple[int, int, int]) -> None:
    """A tensor of a shape, its first cell focused."""
    page.evaluate(
        """([b, t, d]) => normscope.set({
            tensor: Array.from({ length: b }, (_, i) => Array.from({ length: t }, (_, j) =>
                Array.from({ length: d }, (_, k) => Math.sin(7 * i + 3.1 * j + k) * 3))),
            cell: [0, 0, 0],
        }).then(() => null)""",
        list(shape),
    )
    page.wait_for_timeout(500)
    page.evaluate(FOCUS)


def edits(page: Page) -> tuple[list[float], list[int]]:
    """Milliseconds from Enter to the frame of the first patch, and patches for each edit."""
    times, patches = [], []
    for number in range(EDITS + WARM_UP):
        page.keyboard.type(str(number + 1))
        page.evaluate("performance.clearMarks()")
        page.keyboard.press("Enter")
        for _ in range(20):  # asking again and again would keep the page busy
            page.wait_for_timeout(REST)
            seen = page.evaluate(SHOWN)
            if seen["shown"]:
                break
        times.append(seen["shown"][0])
        patches.append(len(seen["patched"]))
        page.keyboard.press("ArrowUp")
        page.wait_for_timeout(60)
    return times[WARM_UP:], patches[WARM_UP:]


def main(arguments: list[str]) -> int:
    """Measure and print a table."""
    with opened() as page:
        page.evaluate(WATCH)
        print(f"{'shape':>14} {'cells':>6} {'median ms':>10} {'95 % ms':>8} {'drags/s':>8}")
        for shape in SHAPES:
            fill(page, shape)
            times, _ = edits(page)
            drags = page.evaluate(DRAG)
            ordered = sorted(times)
            late = ordered[int(0.95 * (len(ordered) - 1))]
            cells = shape[0] * shape[1] * shape[2]
            print(
                f"{shape!s:>14} {cells:>6} {statistics.median(times):>10.1f} "
                f"{late:>8.1f} {drags:>8.0f}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
