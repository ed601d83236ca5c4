"""A copy of the project in which a test may build, break and interrupt."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from static.build import paths, runtime

SOURCES = ("build.py", "pyproject.toml", "static", "app", "kernels")


class Project:
    """A checkout of its own, with the user's cache and environment of the one under test."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.dist = root / "dist"
        for name in SOURCES:
            source = paths.ROOT / name
            if source.is_dir():
                shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, root / name)
        (root / "build").mkdir()
        (root / "build" / "env").symlink_to(paths.ENVIRONMENT)

    def with_runtime(self) -> Project:
        """Take over the packed runtime, so that only the application is built."""
        made = runtime.make(print)
        (self.root / "build" / "runtime").mkdir()
        (self.root / "build" / "runtime" / made.folder.name).symlink_to(made.folder)
        return self

    def command(self, *arguments: str) -> list[str]:
        """build.py of this checkout."""
        return [sys.executable, str(self.root / "build.py"), *arguments]

    def build(self, *arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
        """Run build.py to its end, with changes of the environment."""
        return subprocess.run(
            self.command(*(arguments or ("build",))),
            env={**os.environ, **changes},
            capture_output=True,
            text=True,
            timeout=600,
        )

    def run_main(self, preparation: str) -> subprocess.CompletedProcess[str]:
        """Run `build.py build` after some lines of Python that change what it meets."""
        script = f"{preparation}\nimport sys; sys.path.insert(0, '.')\n"
        script += "import build; sys.exit(build.main(['build']))"
        return subprocess.run(
            [sys.executable, "-c", script], cwd=self.root, capture_output=True, text=True
        )

    def mark_dist(self) -> None:
        """Put something into dist/ that a failed build must leave alone."""
        self.dist.mkdir()
        (self.dist / "index.html").write_text("what was there before")

    def assert_untouched(self) -> None:
        """dist/ is as `mark_dist` left it, and nothing half-written lies about."""
        assert [path.name for path in self.dist.iterdir()] == ["index.html"]
        assert (self.dist / "index.html").read_text() == "what was there before"
        left = {path.name for path in (self.root / "build").iterdir()}
        assert left <= {"env", "runtime"}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A checkout that a test may spoil."""
    root = tmp_path / "project"
    root.mkdir()
    return Project(root)
