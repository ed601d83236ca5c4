"""What `bench gpu` says of measurements, on made-up ones whose ratios can be done in the head."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bench.gpu.verdict import any_wrong, print_verdict

CASE = "layer_norm [2048,2048] axis 1"


def row(*milliseconds: float, error: float = 1e-7, dispatches: int = 1) -> dict[str, Any]:
    """A subject's row."""
    return {
        "milliseconds": list(milliseconds),
        "dispatches": dispatches,
        "submissions": 1,
        "error": error,
    }


def page(**peers: dict[str, Any]) -> dict[str, Any]:
    """A page on which ours took 10 ms and the copy 4, each of 32 MB."""
    return {
        "rows": {"normscope": row(10, 10, 10), "copy": row(4, 4, 4), **peers},
        "idealBytes": 2**25,
        "copiedBytes": 2**25,
        "adapter": {"software": True},
    }


def said(capsys: pytest.CaptureFixture[str], *pages: dict[str, Any]) -> str:
    """The verdict on one case."""
    print_verdict({CASE: list(pages)})
    return capsys.readouterr().out


def test_a_slower_peer_is_within_the_goal(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, page(slow=row(20, 20, 20)), page(slower=row(40, 40, 40)))
    assert "Within it 1 of 1 rows." in text
    assert "slow 0.50, slower 0.25" in text


def test_a_faster_peer_is_named_with_its_ratio(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, page(fast=row(8, 8, 8), slow=row(20, 20, 20)))
    assert "Within it 0 of 1 rows." in text
    assert f"missed: {CASE}: 1.25 of fast" in text


def test_ratios_are_taken_within_rounds(capsys: pytest.CaptureFixture[str]) -> None:
    # Medians of 10 and 10 would be equal; round by round it is 2, 1 and 1/2, then 1.
    measured = page(peer=row(5, 10, 20))
    assert "peer 1.00" in said(capsys, measured)


def test_the_share_of_the_copy_and_why_it_is_low(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, page())
    assert "Within it 0 of 1 rows." in text and f"missed: {CASE}: 40%" in text
    assert "layer_norm: two reads and one write" in text


@pytest.mark.parametrize("bad", [{"error": 0.5}, {"error": float("nan")}, {"dispatches": 0}])
def test_wrong_results_and_those_of_the_cpu_do_not_count(
    capsys: pytest.CaptureFixture[str], bad: dict[str, Any]
) -> None:
    text = said(capsys, page(cheat=row(1, 1, 1, **bad)))
    assert "cheat 10" not in text and f"not counted: {CASE}, cheat" in text


def test_infinity_crosses_as_a_word() -> None:
    assert any_wrong({CASE: [{**page(), "rows": {"normscope": {**row(1), "error": "Infinity"}}}]})
    assert not any_wrong({CASE: [page()]})


def test_a_peer_that_would_take_minutes_is_estimated(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, page(endless={**row(), "estimated": 100_000.0}))
    assert "endless ~0.00" in text and "not counted" not in text
