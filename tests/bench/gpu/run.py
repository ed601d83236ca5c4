"""Runs the GPU benchmark case by case and prints what it measured."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from typing import Any

from static.build.paths import ROOT
from tests.bench.gpu import report
from tests.bench.gpu.browser import opened
from tests.bench.gpu.models import write_models
from tests.bench.gpu.peers import FOLDER, fetch_peers
from tests.gpu.chromium import served

# onnxruntime's two builds cannot share a page; each is measured beside all others there.
PAGES = (("ort-native", "tfjs", "jax-js"), ("ort-jsep",))


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="build.py bench gpu", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="samples of each subject a case")
    parser.add_argument(
        "--only", default="", help="cases whose name contains this, such as softmax"
    )
    parser.add_argument("--peers", default="", help="only these, separated by commas")
    parser.add_argument("--real-gpu", action="store_true", help="the machine's own adapter")
    parser.add_argument("--tuning", choices=("software", "hardware"), help="force our plan")
    parser.add_argument("--json", default="", help="write the raw samples to this file")
    return parser.parse_args(arguments)


def main(argv: Sequence[str] = ()) -> int:
    """Measure and report; the exit code is 1 where one of our results is wrong."""
    options = parse(argv)
    folders = {
        "static": ROOT / "static",
        "kernels": ROOT / "kernels",
        "bench": ROOT / "tests" / "bench" / "gpu" / "page",
        "peers": fetch_peers(print),
        "models": FOLDER / "models",
    }
    write_models(folders["models"])
    results: dict[str, Any] = {}
    with served(folders, {}) as address:
        for peers in PAGES:
            wanted = [peer for peer in peers if not options.peers or peer in options.peers]
            if not wanted:
                continue
            for name, measured in measured_cases(address, wanted, options):
                results.setdefault(name, []).append(measured)
    report.print_summary(results)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file)
    return 1 if report.any_wrong(results) else 0


def measured_cases(
    address: str, peers: list[str], options: argparse.Namespace
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each case's name and its rows, in one page with all of ``peers``."""
    tuning = {"tuning": options.tuning} if options.tuning else {}
    with opened(address, software=not options.real_gpu) as page:
        setting = page.evaluate("([names, options]) => bench.open(names, options)", [peers, tuning])
        report.print_setting(setting)
        for case in page.evaluate("bench.cases()"):
            name = report.name_of(case)
            if options.only in name:
                measured = page.evaluate(
                    "([what, rounds]) => bench.run(what, rounds)", [case, options.rounds]
                )
                report.print_case(name, measured)
                yield name, measured
