"""What the benchmark prints: one line a case, and the ratios at the end."""

from __future__ import annotations

from statistics import median
from typing import Any

WRONG = 1e-3  # of the largest value: beyond this a result does not count as one
OURS = "normscope"


def name_of(case: dict[str, Any]) -> str:
    """A case's name: operation, shape and axis."""
    rows, columns = case["shape"]
    return f"{case['operation']} [{rows},{columns}] axis {case['axis']}"


def print_setting(running: str, setting: dict[str, Any]) -> None:
    """What runs the page, on which adapter, and who takes part."""
    facts = setting["facts"]
    kind = "software adapter: ratios count, times are CPU emulation" if facts["software"] else "GPU"
    print(f"\nrunning in {running}")
    print(f"adapter: {facts['vendor']} {facts['architecture']} {facts['description']} ({kind})")
    print("subjects:", ", ".join(setting["versions"]))
    for failure in setting["failures"]:
        print("could not open", failure)


def milliseconds(row: dict[str, Any]) -> float:
    """A row's median time."""
    return median(row["milliseconds"])


def error_of(row: dict[str, Any]) -> float:
    """A row's largest error; NaN and infinity come as words from engines that speak JSON."""
    return float(row["error"])


def counts(row: dict[str, Any]) -> bool:
    """Whether a row's time is that of a right result computed on the device."""
    return bool(row["milliseconds"]) and row["dispatches"] > 0 and error_of(row) <= WRONG


def ratios(measured: dict[str, Any]) -> dict[str, float]:
    """Our time by each peer's, round by round, as the median: drift cancels within a round."""
    rows = measured["rows"]
    ours = rows[OURS]["milliseconds"]
    return {
        name: median(a / b for a, b in zip(ours, row["milliseconds"], strict=False))
        for name, row in rows.items()
        if name not in (OURS, "copy") and counts(row)
    }


def share_of_copy(measured: dict[str, Any]) -> float:
    """The bandwidth our kernel reaches on the bytes that must move, by the copy kernel's."""
    rows = measured["rows"]
    values = measured["idealBytes"]
    copied = measured["copiedBytes"]
    return (values / milliseconds(rows[OURS])) / (copied / milliseconds(rows["copy"]))


def print_case(name: str, measured: dict[str, Any]) -> None:
    """One line: times, dispatches, errors."""
    cells = []
    for subject, row in measured["rows"].items():
        if row.get("failed"):
            cells.append(f"{subject} failed: {row['failed'][:80]}")
        elif row["milliseconds"]:
            note = "" if counts(row) or subject == "copy" else " NOT COUNTED"
            cells.append(
                f"{subject} {milliseconds(row):.2f} ms "
                f"({row['dispatches']}d/{row['submissions']}s, {error_of(row):.0e}{note})"
            )
    print(f"{name}: " + " · ".join(cells), flush=True)


def print_summary(results: dict[str, list[dict[str, Any]]]) -> None:
    """Per case: the ratio to the fastest peer, to each, and the share of the copy bandwidth."""
    print("\nratio of our time to the fastest peer's (≤ 1.00 is the goal), and the share of the")
    print("copy kernel's bandwidth on the bytes that must move")
    for name, pages in results.items():
        each = {peer: ratio for measured in pages for peer, ratio in ratios(measured).items()}
        if not each:
            continue
        fastest = max(each.values())
        share = max(share_of_copy(measured) for measured in pages)
        detail = ", ".join(f"{peer} {ratio:.2f}" for peer, ratio in sorted(each.items()))
        mark = " " if fastest <= 1 else "!"
        print(f"{mark} {fastest:5.2f}  copy {share:4.0%}  {name:34} {detail}")


def any_wrong(results: dict[str, list[dict[str, Any]]]) -> bool:
    """Whether one of our own results is off."""
    return any(
        not counts(measured["rows"][OURS]) or error_of(measured["rows"][OURS]) > 4e-6
        for pages in results.values()
        for measured in pages
    )
