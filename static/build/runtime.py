"""The pinned part of the site: Pyodide, the standard library, the packages, BokehJS.

Made once for each set of pins, which takes Pyodide some 20 s, and kept under `build/runtime/`:
`out/` is what the site gets, the rest is what the build itself runs Python with.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from static.build import bokeh_script, fetch, pack
from static.build.paths import BUILD, LOCK

CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")

# Of the wheels, what the page itself loads: scripts in this order, and Panel's own stylesheets.
SCRIPTS = (
    ("bokeh", "bokeh/server/static/js/bokeh.min.js"),
    ("bokeh", "bokeh/server/static/js/bokeh-widgets.min.js"),
    ("panel", "panel/dist/panel.min.js"),
)
PANEL_CSS = re.compile(r"^panel/dist/(css/[a-z]+\.css|bundled/theme/(default|dark|native)\.css)$")
KEPT = 3  # how many sets of pins stay under build/runtime/, for those who switch between branches


@dataclass(frozen=True)
class Runtime:
    """Where the parts of one set of pins lie."""

    folder: Path

    @property
    def name(self) -> str:
        """The site's name of it, which carries a hash of the pins and of the packing rules."""
        return f"runtime-{self.folder.name}"

    @property
    def core(self) -> Path:
        """Pyodide as it comes, for Node.js."""
        return self.folder / "core"

    @property
    def packages(self) -> Path:
        """The compiled packages."""
        return self.folder / "site"

    @property
    def library(self) -> Path:
        """The compiled standard library, a zip."""
        return self.folder / "stdlib.zip"

    @property
    def out(self) -> Path:
        """What the site gets."""
        return self.folder / "out"


def make(say: Callable[[str], None]) -> Runtime:
    """The runtime of the present pins, from an earlier build or made now."""
    rules = [LOCK, Path(pack.__file__), Path(bokeh_script.__file__), Path(__file__)]
    rules += [Path(__file__).with_name(name) for name in ("compile.mjs", "python.mjs")]
    key = hashlib.sha256(b"".join(path.read_bytes() for path in rules)).hexdigest()[:12]
    runtime = Runtime(BUILD / "runtime" / key)
    if runtime.folder.is_dir():
        runtime.folder.touch()
        return runtime
    files = fetch.fetch("browser", say)
    say("compile the standard library and the packages with Pyodide (about 20 s, once)")
    with tempfile.TemporaryDirectory(prefix="runtime-", dir=BUILD) as folder:
        work = Runtime(Path(folder) / "runtime")
        work.folder.mkdir()
        fill(work, files, Path(folder))
        runtime.folder.parent.mkdir(exist_ok=True)
        work.folder.rename(runtime.folder)
    for old in sorted(runtime.folder.parent.iterdir(), key=lambda path: path.stat().st_mtime)[
        :-KEPT
    ]:
        shutil.rmtree(old, ignore_errors=True)
    return runtime


def fill(runtime: Runtime, files: dict[str, Path], aside: Path) -> None:
    """Make every part of a runtime from the locked files."""
    library = aside / "stdlib"
    for part in (runtime.core, runtime.packages, runtime.out, library):
        part.mkdir()
    for name in CORE:
        shutil.copyfile(files[name], runtime.core / name)
    for name, path in files.items():
        if name.endswith(".whl"):
            pack.unpack_wheel(path, runtime.packages)
    pack.unpack_standard_library(files["python_stdlib.zip"], library)
    pack.compile_all(
        runtime.core,
        [
            pack.job(runtime.packages, pack.SITE_PACKAGES, optimize=2),
            pack.job(library, pack.STANDARD_LIBRARY, optimize=2),
        ],
        aside,
    )
    runtime.library.write_bytes(pack.zip_plain(library))
    out = runtime.out
    for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"):
        (out / f"{name}.gz").write_bytes(pack.squeeze(files[name].read_bytes()))
    (out / "stdlib.zip.gz").write_bytes(pack.squeeze(runtime.library.read_bytes()))
    (out / "site.tar.gz").write_bytes(pack.tar_gz(runtime.packages))
    copy_page_parts(files, out)


def wheel_of(files: dict[str, Path], package: str) -> Path:
    """The wheel of a package."""
    return next(path for name, path in files.items() if name.startswith(f"{package}-"))


def copy_page_parts(files: dict[str, Path], out: Path) -> None:
    """BokehJS, Panel's models and Panel's stylesheets, from the wheels."""
    (out / "js").mkdir()
    for package, member in SCRIPTS:
        with zipfile.ZipFile(wheel_of(files, package)) as wheel:
            script, name = wheel.read(member), Path(member).name
            if name == bokeh_script.NAME:
                script = bokeh_script.in_parts(script.decode()).encode()
            (out / "js" / name).write_bytes(script)
    panel = wheel_of(files, "panel")
    version = panel.name.split("-")[1]
    with zipfile.ZipFile(panel) as wheel:
        for member in wheel.namelist():
            if PANEL_CSS.match(member):
                target = out / "panel" / version / member.removeprefix("panel/")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(wheel.read(member))
