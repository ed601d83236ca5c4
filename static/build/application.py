"""Our own part of the site: static files as they are, `kernels/` and `app/` compiled."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from static.build import pack, tools
from static.build.errors import BuildError, raise_if_disk_is_full
from static.build.paths import BUILD, ROOT
from static.build.runtime import Runtime

# What of static/ is not for the browser, or is written into index.html.
NOT_SHIPPED = ("build", "lock.json", "index.html", "first.js", "tsconfig.json", "globals.d.ts")
THEMES = ("light", "dark")


def make(site: Path, runtime: Runtime, say: Callable[[str], None]) -> str:
    """Write the folder into the site; its name carries a hash of its content, and is returned."""
    say("pack the application")
    with tempfile.TemporaryDirectory(prefix="app-", dir=BUILD) as folder:
        out, modules = Path(folder) / "out", Path(folder) / "modules"
        shutil.copytree(
            ROOT / "static",
            out,
            ignore=lambda where, names: [
                name for name in names if name in NOT_SHIPPED or name == "__pycache__"
            ],
        )
        pack.copy_own_modules(modules)
        draw_pictures(runtime, modules, out)
        jobs = [
            # The page shows the kernels' sources and docstrings; nobody asks for the application's.
            pack.job(modules / "kernels", f"{pack.SITE_PACKAGES}/kernels", optimize=0, beside=True),
            pack.job(modules / "app", f"{pack.SITE_PACKAGES}/app", optimize=2),
        ]
        pack.compile_all(runtime.core, jobs, Path(folder))
        (out / "modules.tar.gz").write_bytes(pack.tar_gz(modules))
        name = f"app-{hash_of(out)}"
        out.rename(site / name)
    return name


def draw_pictures(runtime: Runtime, modules: Path, out: Path) -> None:
    """The first scene's document in each theme, by the Python that the browser will run."""
    script = Path(__file__).with_name("picture.mjs")
    parts = (runtime.core, runtime.library, runtime.packages, modules, out)
    done = subprocess.run(
        [*tools.node(), str(script), *map(str, parts)], capture_output=True, text=True
    )
    if done.returncode:
        raise_if_disk_is_full(done.stderr)
        raise BuildError(f"The first scene could not be built:\n{done.stderr.strip()}")


def hash_of(folder: Path) -> str:
    """A hash of the names and contents of a folder."""
    digest = hashlib.sha256()
    for name, path in pack.files_below(folder):
        digest.update(f"{name}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
