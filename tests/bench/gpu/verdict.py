"""What the benchmark says at the end: ratios, which rows are within the goals, and why not."""

from __future__ import annotations

from typing import Any

from tests.bench.gpu.report import (
    OURS,
    counts,
    milliseconds,
    ratios,
    share_of_copy,
)

Results = dict[str, list[dict[str, Any]]]  # a case's name, and what each page measured of it

COPY_GOAL = 0.8  # of the copy kernel's bandwidth, on large tensors
LARGE = 2**22  # values
# Why the software adapter does not reach it. Found with the kernels cut down piece by piece, by the
# processor time they take: there each load and store of a thread is an instruction of its own, so
# kernels are bound by instructions where a GPU is bound by memory.
SOFTWARE_REASONS = {
    "layer_norm": "two reads and one write where the copy has one each: a group does not fit into "
    "the registers of the one thread that has it; then γ, β and the statistics of each group",
    "rms_norm": "as LayerNorm, without β",
    "softmax": "two reads and one write, and two exponentials a value, each of which takes as long "
    "as the copy of that value",
    "moments": "per value the square and the search for NaN and infinity; for short groups the "
    "work once a group: factor and five planes of statistics",
}


def print_verdict(results: Results) -> None:
    """Per case the ratio to each peer and the share of the copy bandwidth; then the goals."""
    print("\nratio of our time to the fastest peer's (≤ 1.00 is the goal), the share of the copy")
    print("kernel's bandwidth on the bytes that must move, and our dispatches; ~ is estimated from")
    print("a piece of the tensor, for peers that would take minutes")
    slower, below, large = [], {}, 0
    for name, pages in results.items():
        each = {peer: ratio for measured in pages for peer, ratio in ratios(measured).items()}
        share = max(share_of_copy(measured) for measured in pages)
        worst = max(each.values(), default=0.0)
        if worst > 1:
            slower.append(f"{name}: {worst:.2f} of {max(each, key=lambda peer: each[peer])}")
        if pages[0]["copiedBytes"] >= LARGE * 8:
            large += 1
            if share < COPY_GOAL:
                below[name] = share
        print(line(name, pages, each, share))
    print_goals(len(results), slower, large, below)
    adapters = [page["adapter"] for pages in results.values() for page in pages]
    if below and all(adapter["software"] for adapter in adapters):
        print_reasons(below)
    print_left_out(results)


def line(name: str, pages: list[dict[str, Any]], each: dict[str, float], share: float) -> str:
    """A case in a line; a peer's estimated ratio is marked."""
    estimated = {peer for page in pages for peer, row in page["rows"].items() if "estimated" in row}
    cells = (f"{peer} {'~' if peer in estimated else ''}{each[peer]:.2f}" for peer in sorted(each))
    worst = f"{max(each.values()):5.2f}" if each else "    –"
    mark = "!" if each and max(each.values()) > 1 else " "
    ours = pages[0]["rows"][OURS]
    return (
        f"{mark} {worst}  copy {share:4.0%}  {ours['dispatches']}d  "
        f"{milliseconds(ours):8.2f} ms  {name:32} {', '.join(cells)}"
    )


def print_goals(rows: int, slower: list[str], large: int, below: dict[str, float]) -> None:
    """How many rows are within each goal, and those that are not."""
    print(f"\ngoal: no slower than any peer. Within it {rows - len(slower)} of {rows} rows.")
    for miss in slower:
        print(f"  missed: {miss}")
    if large:
        print(
            f"goal: {COPY_GOAL:.0%} of the copy's bandwidth on {LARGE:,} values and more. ", end=""
        )
        print(f"Within it {large - len(below)} of {large} rows.")
    for name, share in below.items():
        print(f"  missed: {name}: {share:.0%}")


def print_reasons(below: dict[str, float]) -> None:
    """Why operations stay below the copy's bandwidth where there is no GPU."""
    print("why, on this software adapter (it says nothing about a GPU, see --real-gpu):")
    operations = {name.split(" ")[0] for name in below}
    for operation, why in SOFTWARE_REASONS.items():
        if operation in operations:
            print(f"  {operation}: {why}")


def print_left_out(results: Results) -> None:
    """Peers whose time does not count, by row: they failed, or their result is wrong."""
    for name, pages in results.items():
        for peer, row in ((peer, row) for page in pages for peer, row in page["rows"].items()):
            if row.get("failed"):
                print(f"no result: {name}, {peer}: {row['failed'][:120]}")
            elif peer != "copy" and "estimated" not in row and not counts(row):
                print(f"not counted: {name}, {peer}: error {row['error']}")


def any_wrong(results: Results) -> bool:
    """Whether one of our own results is off."""
    return any(
        not counts(page["rows"][OURS]) or float(page["rows"][OURS]["error"]) > 4e-6
        for pages in results.values()
        for page in pages
    )
