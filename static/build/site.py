"""`dist/`: everything the browser needs and nothing else, made aside and put in place in one step.

Two folders carry a hash of their content in their names, so that hosts and browsers may keep them
for ever: `runtime-…` changes with a pinned version only, `app-…` with every edit. Only `index.html`
is asked for anew.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

from static.build import application, pack, page, runtime
from static.build.errors import BuildError
from static.build.paths import BUILD, DIST, ROOT

Say = Callable[[str], None]
MARK = BUILD / "dist-stamp"  # what dist/ was made from, and what it then looked like


def build(base_path: str, say: Say) -> Path:
    """Write `dist/`; when anything fails, what was there before stays as it was."""
    inputs = inputs_of(base_path)
    if is_fresh(inputs):
        say("dist is up to date")
        return DIST
    BUILD.mkdir(exist_ok=True)
    made = runtime.make(say)
    with tempfile.TemporaryDirectory(prefix="dist-", dir=BUILD) as folder:
        new = Path(folder) / "dist"
        new.mkdir()
        shutil.copytree(made.out, new / made.name)
        app = application.make(new, made, say)
        page.write(new, made, app, base_path)
        (new / ".nojekyll").write_text("")  # some hosts drop files whose names start with _
        put_in_place(new)
    MARK.write_text(json.dumps({"inputs": inputs, "dist": look_of(DIST)}))
    say(f"dist is ready: {megabytes(first_visit_bytes(DIST))} on the first visit, compressed")
    return DIST


def put_in_place(new: Path) -> None:
    """Swap the new folder for the old one; stopped in between, the old one comes back."""
    old = BUILD / "dist-old"
    shutil.rmtree(old, ignore_errors=True)
    try:
        if DIST.exists():
            DIST.rename(old)
        new.rename(DIST)
    except BaseException:
        if old.exists() and not DIST.exists():
            old.rename(DIST)
        raise
    shutil.rmtree(old, ignore_errors=True)


def inputs_of(base_path: str) -> str:
    """A hash of every input of the build, the machine's part in the result included."""
    python = f"{sys.version_info[:2]} {zlib.ZLIB_RUNTIME_VERSION}"
    digest = hashlib.sha256(f"{base_path}\0{python}\0".encode())
    for folder in ("static", "app", "kernels"):
        for name, path in pack.files_below(ROOT / folder):
            if "__pycache__" not in name:
                digest.update(f"{folder}/{name}\0{path.stat().st_size}\0".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


def look_of(folder: Path) -> str:
    """A hash of the names, sizes and times below a folder: whether anything in it was touched."""
    digest = hashlib.sha256()
    for name, path in pack.files_below(folder):
        state = path.stat()
        digest.update(f"{name}\0{state.st_size}\0{state.st_mtime_ns}\0".encode())
    return digest.hexdigest()


def is_fresh(inputs: str) -> bool:
    """Whether `dist/` was made from these very inputs and is as it was then."""
    try:
        return json.loads(MARK.read_text()) == {"inputs": inputs, "dist": look_of(DIST)}
    except (OSError, ValueError):
        return False


def first_visit_bytes(dist: Path) -> int:
    """What a first visit transfers, text squeezed as any host does."""
    return sum(transferred(name, path) for name, path in pack.files_below(dist))


def transferred(name: str, path: Path) -> int:
    """The bytes of one file on the line."""
    data = path.read_bytes()
    return len(data) if name.endswith(".gz") else len(pack.squeeze(data))


def megabytes(count: int) -> str:
    """12.3 MB."""
    return f"{count / 1e6:.1f} MB"


def check_base_path(base_path: str) -> str:
    """A base path as given by a person, checked: "" or "/repo/"."""
    if base_path in ("", "/"):
        return ""
    if not re.fullmatch(r"/([A-Za-z0-9._~-]+/)+", base_path):
        raise BuildError(
            f"--base-path must start and end with a slash, such as /repo/, got {base_path!r}"
        )
    return base_path


def report(dist: Path) -> Iterable[str]:
    """What the page weighs, a line for each large part."""
    sizes = sorted(
        ((transferred(name, path), name) for name, path in pack.files_below(dist)), reverse=True
    )
    for size, name in sizes[:12]:
        yield f"{megabytes(size):>9}  {name}"
