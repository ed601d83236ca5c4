"""`build.py test` and `build.py bench`: set up what they need, then run it, pytest last."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterable
from pathlib import Path

from static.build import fetch, site, tools
from static.build.paths import BUILD, ROOT

Say = Callable[[str], None]

# npm packages that only tests use: the locked file, and where it is unpacked.
UNPACKED = (
    ("typescript", BUILD / "tsc" / "typescript"),
    ("webgpu-types", BUILD / "tsc" / "types" / "webgpu"),
    ("axe-core", BUILD / "axe-core"),
)


def run(rest: list[str], say: Say) -> int:
    """Run all checks, and pytest with `rest` as its arguments; 0 when everything passed.

    A check that fails does not stop the ones after it, and pytest's own summary is what is printed
    last.
    """
    environment = set_up(say)
    failed = [name for name, command in checks() if not passes(name, command, say)]
    if failed:
        say(f"\nFailed so far: {', '.join(failed)}. The tests run all the same.")
    say("pytest")
    code = subprocess.call(
        [str(tools.environment_python()), "-m", "pytest", *rest], cwd=ROOT, env=environment
    )
    return code or (1 if failed else 0)


def bench(module: str, rest: list[str], say: Say) -> int:
    """Run a benchmark, which prints its own table."""
    environment = set_up(say)
    command = [str(tools.environment_python()), "-m", module, *rest]
    return subprocess.call(command, cwd=ROOT, env=environment)


def set_up(say: Say) -> dict[str, str]:
    """Packages, Chromium, the locked files of tests and a fresh site; returns the environment."""
    say("set up what the tests need")
    tools.install_test_packages()
    chromium = tools.chromium()
    unpack_test_files(say)
    site.build("", say)
    return {**os.environ, "NORMSCOPE_CHROMIUM": str(chromium)}


def unpack_test_files(say: Say) -> None:
    """Unpack the npm packages that tests use, once for each version."""
    files = fetch.fetch("test", say)
    for name, folder in UNPACKED:
        archive = next(path for key, path in files.items() if key.startswith(name))
        mark = folder / "unpacked-from"
        if mark.is_file() and mark.read_text() == archive.name:
            continue
        shutil.rmtree(folder, ignore_errors=True)
        aside = folder.with_name(f"{folder.name}-{os.getpid()}")
        with tarfile.open(archive) as tar:
            tar.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.4
            tar.extractall(aside)
        (aside / "package").rename(folder)
        shutil.rmtree(aside)
        mark.write_text(archive.name)


def checks() -> Iterable[tuple[str, list[str]]]:
    """The checks before the tests: a name and a command each."""
    python = str(tools.environment_python())
    tsc = str(BUILD / "tsc" / "typescript" / "lib" / "tsc.js")
    return (
        ("ruff format", [python, "-m", "ruff", "format", "--check", "."]),
        ("ruff", [python, "-m", "ruff", "check", "."]),
        ("mypy", [python, "-m", "mypy"]),
        ("tsc", [*tools.node(), tsc, "--project", str(ROOT / "static")]),
    )


def passes(name: str, command: list[str], say: Say) -> bool:
    """Run one check; what it printed is shown when it fails."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    say(f"{name}: {'ok' if done.returncode == 0 else 'FAILED'}")
    if done.returncode:
        say((done.stdout + done.stderr).strip())
    return done.returncode == 0


def axe_core() -> Path:
    """axe-core's script, unpacked by `set_up`."""
    return BUILD / "axe-core" / "axe.min.js"
