"""Times the deep stack under every placement, its matrix products, and the tiny model's training.

All in Pyodide under Node.js: the browser's own interpreter and NumPy, on one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from static.build import fetch, tools
from static.build.paths import ROOT

PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")

# What the issue on the Placement scene asks for, in seconds.
GOALS = {
    ("depth 24, width 64", "one placement"): 0.100,
    ("depth 24, width 64", "table"): 0.600,
    ("depth 24, width 256", "table"): 3.0,
}


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="build.py bench stack", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="each number is a median of so many")
    parser.add_argument(
        "--pyodide", default="", help="folder with Pyodide; default: the locked one"
    )
    parser.add_argument("--numpy", default="", help="NumPy's wheel for it; default: the locked one")
    parser.add_argument("--json", default="", help="write the numbers to this file too")
    return parser.parse_args(arguments)


def measure(pyodide: Path, numpy_wheel: Path, rounds: int = 5) -> dict[str, Any]:
    """Run `measure.py` in that Pyodide and return its numbers."""
    script = Path(__file__).with_name("run.mjs")
    command = [*tools.node(), script, pyodide, numpy_wheel, ROOT, rounds]
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(done.stdout))


def locked(folder: Path) -> tuple[Path, Path]:
    """The Pyodide and the NumPy of the lock file, the first copied into one folder."""
    files = fetch.fetch("browser", print)
    for name in PYODIDE_FILES:
        shutil.copy(files[name], folder / name)
    return folder, next(path for name, path in files.items() if name.startswith("numpy-"))


def report(numbers: dict[str, Any]) -> list[str]:
    """The numbers as lines of text, goals beside them."""
    lines = [f"NumPy {numbers['numpy']} in Pyodide under Node.js, one thread, medians"]
    for name, stack in numbers["stacks"].items():
        lines.append(f"\n{name}, 16 tokens, forward and backward")
        slowest = max(stack["placements"].values())
        for placement, taken in stack["placements"].items():
            lines.append(f"  {placement:<22}{taken * 1e3:8.1f} ms")
        lines.append(_against(name, "one placement", slowest, "slowest placement"))
        lines.append(_against(name, "table", stack["table"], "all placements"))
        others = ("final norm switched", "head at every depth", "weights")
        lines += [f"  {key:<22}{stack[key] * 1e3:8.1f} ms" for key in others]
    lines.append("\nmatrix products, GFLOP/s        einsum  matmul  back: einsum  matmul")
    for name, ways in numbers["products"].items():
        rows, inner, outer = map(int, name.split(","))
        rates = (2e-9 * rows * inner * outer / taken for taken in ways.values())
        shapes = f"{rows}×{inner} by {inner}×{outer}"
        lines.append(f"  {shapes:<30}" + "".join(f"{rate:8.2f}" for rate in rates))
    lines.append("\ntiny model")
    for name, run in numbers["training"].items():
        lines.append(f"  {name:<22}{run['seconds']:8.2f} s   loss at the end {run['loss']:.2f}")
    return lines


def _against(stack: str, goal: str, taken: float, label: str) -> str:
    line = f"  {label:<22}{taken * 1e3:8.1f} ms"
    limit = GOALS.get((stack, goal))
    return (
        line if limit is None else f"{line}   goal {limit * 1e3:.0f} ms: {taken / limit:.2f} of it"
    )


def main(argv: Sequence[str] = ()) -> int:
    """Measure and print."""
    options = parse(argv)
    with tempfile.TemporaryDirectory(prefix="normscope-") as folder:
        given = options.pyodide and options.numpy
        pyodide, wheel = (
            (Path(options.pyodide).resolve(), Path(options.numpy).resolve())
            if given
            else locked(Path(folder))
        )
        numbers = measure(pyodide, wheel, options.rounds)
    print("\n".join(report(numbers)))
    if hasattr(os, "getloadavg"):
        load = os.getloadavg()[0]
        print(f"\nload of the machine over the last minute: {load:.1f}, of which 1 is this")
    if options.json:
        Path(options.json).write_text(json.dumps(numbers, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
