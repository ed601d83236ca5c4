"""Times the normalizers and softmax against the textbook's formulas, in Pyodide under Node.js.

The browser's own interpreter and NumPy, on one thread: [4096, 768] float32, and [2, 3, 4].
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from static.build import tools
from static.build.paths import ROOT
from tests.bench.stack.run import locked

# What the issue on the kernels asks for: the share of the textbook's time on large tensors, arrays
# of the size of x beside the result, and how much slower a call on a small tensor may be.
RATIO, ARRAYS, SLOWER = 0.7, 1.0, 5e-6

# What a kernel does beside the textbook's formula, where that takes longer on a small tensor.
BESIDE = {
    "group_norm": "four statistics, written out for every channel",
    "batch_norm, evaluation": "checks and copies what it remembers, works in float64, keeps x̂",
    "log_softmax": "adds up what is left of the largest score, so that no digit cancels near 0",
}


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="build.py bench kernels", description=__doc__)
    parser.add_argument("--rounds", type=int, default=21, help="both run so many times, in turn")
    parser.add_argument(
        "--pyodide", default="", help="folder with Pyodide; default: the locked one"
    )
    parser.add_argument("--numpy", default="", help="NumPy's wheel for it; default: the locked one")
    parser.add_argument("--json", default="", help="write the numbers to this file too")
    return parser.parse_args(arguments)


def measure(pyodide: Path, numpy_wheel: Path, rounds: int = 21) -> dict[str, Any]:
    """Run `measure.py` in that Pyodide and return its numbers."""
    script = Path(__file__).with_name("run.mjs")
    command = [*tools.node(), script, pyodide, numpy_wheel, ROOT, rounds]
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(done.stdout))


def report(numbers: dict[str, Any]) -> list[str]:
    """The numbers as lines of text, goals beside them."""
    lines = [
        f"NumPy {numbers['numpy']} in Pyodide under Node.js, one thread",
        "",
        f"[4096, 768] float32; goal: {RATIO} of the textbook's time, and {ARRAYS:.0f} array of the "
        "size of x beside the result",
        f"{'':22}{'textbook':>10}{'kernel':>10}{'ratio':>7}{'at best':>9}{'passes':>8}"
        f"{'arrays':>16}{'worst ulp':>18}",
    ]
    for name, row in numbers["large"].items():
        old, new = row["textbook"], row["kernel"]
        arrays, ulps = numbers["allocated"][name], numbers["ulps"][name]
        lines.append(
            f"{name:22}{old['median'] * 1e3:7.1f} ms{new['median'] * 1e3:7.1f} ms"
            f"{new['median'] / old['median']:7.2f}{new['least'] / old['least']:9.2f}"
            f"{numbers['passes'][name] / old['least']:8.2f}"
            f"{arrays['textbook']:9.2f} → {arrays['kernel']:4.2f}"
            f"{ulps['textbook']:11.1f} → {ulps['kernel']:4.2f}"
        )
    lines += [
        "",
        "passes: the kernel's NumPy operations alone, in the cache, as a share of the textbook's "
        "time. Where it is near the ratio, what is left is NumPy's own loops.",
        "With γ or β a kernel returns x̂ beside y, the textbook y alone. In softmax exp alone takes "
        f"{numbers['passes']['exp'] / numbers['large']['softmax']['textbook']['least']:.2f}.",
        "",
        f"[2, 3, 4] float32; goal: at most {SLOWER * 1e6:.0f} µs slower",
        f"{'':22}{'textbook':>10}{'kernel':>10}{'slower by':>12}{'at best':>10}",
    ]
    for name, row in numbers["small"].items():
        old, new = row["textbook"], row["kernel"]
        lines.append(
            f"{name:22}{old['median'] * 1e6:7.1f} µs{new['median'] * 1e6:7.1f} µs"
            f"{(new['median'] - old['median']) * 1e6:9.1f} µs"
            f"{(new['least'] - old['least']) * 1e6:7.1f} µs"
            + (f"   {BESIDE[name]}" if name in BESIDE else "")
        )
    return lines


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
