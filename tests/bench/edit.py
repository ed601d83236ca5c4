"""How long an edit takes: from the key to the frame that shows every view; updates while dragging.

Run by `python3 build.py bench edit`, for Axes at three sizes, for Softmax, and for Placement with a
small stack. The times come from the page's own clock: the key event's time, and the marks the page
sets when a patch is applied and when all plots are painted in its frame.
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
TYPING = 100  # between two keys of who types fast
FLAGS = ("--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync")  # fmt: skip

CELL, SLIDER = '.cell[tabindex="0"]', "input[type=range]"
FOCUS = """
([selector, number]) => {
  const all = [];
  const walk = (node) => {
    if (node.matches?.(selector)) all.push(node);
    for (const child of node.children ?? []) walk(child);
    if (node.shadowRoot) walk(node.shadowRoot);
  };
  walk(document.querySelector(".scene:not([hidden])"));
  all[number].focus();
}
"""
WATCH = """
() => addEventListener("keydown", (event) => { window.pressed = event.timeStamp; }, true)
"""
SHOWN = """
() => {
  const marks = performance.getEntriesByName("normscope:shown");
  return marks.map((mark) => mark.startTime - window.pressed);
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
    page.evaluate(FOCUS, [CELL, 0])


def shown_after(page: Page, key: str) -> float:
    """Milliseconds from a key to the frame of the first patch."""
    page.evaluate("performance.clearMarks()")
    page.keyboard.press(key)
    for _ in range(20):  # asking again and again would keep the page busy
        page.wait_for_timeout(REST)
        shown = page.evaluate(SHOWN)
        if shown:
            break
    return float(shown[0])


def edits(page: Page) -> list[float]:
    """What a number takes that is typed into a cell, again and again."""
    times = []
    for number in range(EDITS + WARM_UP):
        page.keyboard.type(str(number + 1))
        page.wait_for_timeout(TYPING)
        times.append(shown_after(page, "Enter"))
        page.keyboard.press("ArrowUp")
        page.wait_for_timeout(60)
    return times[WARM_UP:]


def steps(page: Page, keys: tuple[str, ...]) -> list[float]:
    """What a step of a slider takes, with these keys in turn."""
    times = [shown_after(page, keys[n % len(keys)]) for n in range(EDITS // 2 + WARM_UP)]
    return times[WARM_UP:]


def jumps(page: Page) -> list[float]:
    """What a new gain takes that is no step of the slider, and so not computed ahead."""
    times = []
    for number in range(EDITS // 2 + WARM_UP):
        new_weights = {"placement_seed": number + 1, "placement_gain": 0.1}
        page.evaluate("patch => normscope.set(patch).then(() => null)", new_weights)
        page.wait_for_timeout(4 * REST)
        times.append(shown_after(page, "PageUp"))
    return times[WARM_UP:]


def others(page: Page) -> Iterator[tuple[str, list[float]]]:
    """The edits of Softmax and Placement."""
    page.evaluate("normscope.set({ scene: 'softmax' }).then(() => null)")
    page.wait_for_timeout(3000)
    page.evaluate(FOCUS, [CELL, 0])
    yield "Softmax, a cell", edits(page)
    page.evaluate(FOCUS, [SLIDER, 0])
    yield "Softmax, the scale", steps(page, ("ArrowRight", "ArrowLeft"))
    for depth, width in ((4, 16), (8, 32)):
        page.evaluate(
            """([depth, width]) => normscope.set({ scene: "placement", placement_depth: depth,
                placement_width: width, placement_gain: 0.1 }).then(() => null)""",
            [depth, width],
        )
        page.wait_for_timeout(3000)
        page.evaluate(FOCUS, [SLIDER, 4])
        place = f"Placement {depth}×{width}"
        yield f"{place}, the next gain", steps(page, ("ArrowRight",))
        yield f"{place}, a known one", steps(page, ("ArrowLeft", "ArrowRight"))
        yield f"{place}, any other", jumps(page)


def line(name: str, times: list[float], drags: str) -> str:
    """A row of the table."""
    ordered = sorted(times)
    late = ordered[int(0.95 * (len(ordered) - 1))]
    return f"{name:>28} {statistics.median(times):>10.1f} {late:>8.1f} {drags:>8}"


def main(arguments: list[str]) -> int:
    """Measure and print a table."""
    with opened() as page:
        page.evaluate(WATCH)
        print(f"{'':>28} {'median ms':>10} {'95 % ms':>8} {'drags/s':>8}")
        for shape in SHAPES:
            fill(page, shape)
            times = edits(page)
            cells = shape[0] * shape[1] * shape[2]
            print(line(f"Axes, {cells} cells", times, f"{page.evaluate(DRAG):.0f}"), flush=True)
        for name, times in others(page):
            print(line(name, times, ""), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
