"""Runs the GPU benchmark case by case and prints what it measured."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from typing import Any

from static.build.paths import ROOT
from tests.bench.gpu import browser, dawn, report, verdict
from tests.bench.gpu.models import write_models
from tests.bench.gpu.peers import FOLDER, PEERS, fetch_packages
from tests.gpu.chromium import served

# onnxruntime's two builds cannot share a page; each is measured beside all others there.
PAGES = (("ort-native", "tfjs", "jax-js"), ("ort-jsep",))
ENGINES = {"chromium": browser.opened, "node": dawn.opened}


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="build.py bench gpu", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="samples of each subject a case")
    parser.add_argument(
        "--only", default="", help="cases whose name contains this, such as softmax"
    )
    parser.add_argument(
        "--every-axis", action="store_true", help="all operations over the first axis too: slow"
    )
    parser.add_argument("--peers", default="", help="only these, separated by commas, or none")
    parser.add_argument("--real-gpu", action="store_true", help="the machine's own adapter")
    parser.add_argument(
        "--engine",
        choices=sorted(ENGINES),
        help="what runs the page; default: Chromium where one is installed, else Dawn in Node.js",
    )
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
        "peers": fetch_packages(PEERS, print),
        "models": FOLDER / "models",
    }
    write_models(folders["models"])
    results: dict[str, Any] = {}
    with served(folders, {}) as address:
        for wanted in pages(options.peers):
            for name, measured in measured_cases(address, wanted, options):
                results.setdefault(name, []).append(measured)
    verdict.print_verdict(results)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file)
    return 1 if verdict.any_wrong(results) else 0


def pages(wanted: str) -> list[list[str]]:
    """The peers of each page."""
    if wanted == "none":
        return [[]]
    names = wanted.split(",") if wanted else [peer for page in PAGES for peer in page]
    chosen = [[peer for peer in page if peer in names] for page in PAGES]
    return [page for page in chosen if page]


def measured_cases(
    address: str, peers: list[str], options: argparse.Namespace
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each case's name and its rows, in one page with all of ``peers``."""
    tuning = {"tuning": options.tuning} if options.tuning else {}
    engine = options.engine or ("chromium" if browser.installed_chromium() else "node")
    with ENGINES[engine](address, software=not options.real_gpu) as (running, call):
        setting = call("open", peers, tuning)
        report.print_setting(running, setting)
        for case in call("cases", options.every_axis):
            name = report.name_of(case)
            if options.only in name:
                measured = call("run", case, options.rounds)
                report.print_case(name, measured)
                yield name, {**measured, "running": running, "adapter": setting["facts"]}
