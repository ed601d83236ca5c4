"""What the benchmark prints as it goes: the adapter, and one line a case."""

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
    each = {}
    for name, row in rows.items():
        if "estimated" in row:
            each[name] = milliseconds(rows[OURS]) / row["estimated"]
        elif name not in (OURS, "copy") and counts(row):
            each[name] = median(a / b for a, b in zip(ours, row["milliseconds"], strict=False))
    return each


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
        elif "estimated" in row:
            cells.append(f"{subject} would take {row['estimated'] / 1e3:.0f} s, not run")
        elif row["milliseconds"]:
            note = "" if counts(row) or subject == "copy" else " NOT COUNTED"
            cells.append(
                f"{subject} {milliseconds(row):.2f} ms "
                f"({row['dispatches']}d/{row['submissions']}s, {error_of(row):.0e}{note})"
            )
    print(f"{name}: " + " · ".join(cells), flush=True)
