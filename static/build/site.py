"""`dist/`: everything the browser needs and nothing else, made aside and put in place in one step.

Two folders carry a hash of their content in their names, so that hosts and browsers may keep them for
ever: `runtime-…` changes with a pinned version only, `app-…` with every edit. Only `index.html` is asked
for anew.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

from static.build import fetch, pack
from static.build.errors import BuildError
from static.build.paths import BUILD, DIST, LOCK, ROOT

Say = Callable[[str], None]

# Of the wheels, what the page itself loads: scripts in this order, and Panel's own stylesheets.
SCRIPTS = (
    ("bokeh", "bokeh/server/static/js/bokeh.min.js"),
    ("bokeh", "bokeh/server/static/js/bokeh-widgets.min.js"),
    ("panel", "panel/dist/panel.min.js"),
)
PANEL_CSS = re.compile(r"^panel/dist/(css/[a-z]+\.css|bundled/theme/(default|dark|native)\.css)$")

# What of static/ is not for the browser.
NOT_SHIPPED = ("build", "lock.json", "index.html", "tsconfig.json", "globals.d.ts")


def build(base_path: str, say: Say) -> Path:
    """Write `dist/`; when anything fails, what was there before stays as it was."""
    stamp = stamp_of(base_path)
    if is_fresh(stamp):
        say("dist is up to date")
        return DIST
    BUILD.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="dist-", dir=BUILD) as folder:
        new = Path(folder) / "dist"
        new.mkdir()
        files = fetch.fetch(["browser", "build"], say)
        runtime = runtime_folder(files, say)
        runtime_name = f"runtime-{runtime.name}"
        shutil.copytree(runtime, new / runtime_name)
        app_name = app_folder(new, files, say)
        (new / "index.html").write_text(index_page(new, runtime_name, app_name, base_path))
        (new / ".nojekyll").write_text("")  # some hosts drop files whose names start with _
        put_in_place(new)
    (BUILD / "dist-stamp").write_text(stamp)
    say(f"dist is ready: {megabytes(first_visit_bytes(DIST))} on the first visit, compressed")
    return DIST


def put_in_place(new: Path) -> None:
    """Swap the new folder for the old one."""
    old = BUILD / "dist-old"
    shutil.rmtree(old, ignore_errors=True)
    if DIST.exists():
        DIST.rename(old)
    try:
        new.rename(DIST)
    except OSError:
        if old.exists():
            old.rename(DIST)
        raise
    shutil.rmtree(old, ignore_errors=True)


def stamp_of(base_path: str) -> str:
    """A hash of every input of the build."""
    digest = hashlib.sha256(base_path.encode())
    for folder in ("static", "app", "kernels"):
        for name, path in pack.files_below(ROOT / folder):
            if "__pycache__" not in name:
                digest.update(f"{folder}/{name}\0{path.stat().st_size}\0".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


def is_fresh(stamp: str) -> bool:
    """Whether `dist/` was made from these very inputs."""
    mark = BUILD / "dist-stamp"
    return (DIST / "index.html").is_file() and mark.is_file() and mark.read_text() == stamp


def runtime_folder(files: dict[str, Path], say: Say) -> Path:
    """Pyodide, the standard library, the packages, BokehJS: made once for each set of pins.

    Its name is a hash of the pins and of the rules by which they are packed.
    """
    rules = [LOCK, Path(pack.__file__), Path(pack.__file__).with_name("compile.mjs"), Path(__file__)]
    key = hashlib.sha256(b"".join(path.read_bytes() for path in rules)).hexdigest()[:12]
    done = BUILD / "runtime" / key
    if done.is_dir():
        return done
    say("compile the standard library and the packages with Pyodide (about 20 s, once)")
    with tempfile.TemporaryDirectory(prefix="runtime-", dir=BUILD) as folder:
        work = Path(folder)
        for part in ("core", "site", "stdlib", "out"):
            (work / part).mkdir()
        for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"):
            shutil.copyfile(files[name], work / "core" / name)
        shutil.copyfile(files["pyodide-lock.json"], work / "core" / "pyodide-lock.json")
        for name, path in files.items():
            if name.endswith(".whl"):
                pack.unpack_wheel(path, work / "site")
        pack.unpack_standard_library(files["python_stdlib.zip"], work / "stdlib")
        pack.compile_all(
            work / "core",
            [
                pack.job(work / "site", pack.SITE_PACKAGES, optimize=2),
                pack.job(work / "stdlib", pack.STANDARD_LIBRARY, optimize=2),
            ],
            work,
        )
        out = work / "out"
        for name in ("pyodide.mjs", "pyodide.asm.mjs"):
            shutil.copyfile(files[name], out / name)
        wasm = files["pyodide.asm.wasm"].read_bytes()
        (out / "pyodide.asm.wasm.gz").write_bytes(pack.squeeze(wasm))
        (out / "stdlib.zip.gz").write_bytes(pack.zip_gz(work / "stdlib"))
        (out / "site.tar.gz").write_bytes(pack.tar_gz(work / "site"))
        copy_page_parts(files, out)
        done.parent.mkdir(exist_ok=True)
        out.rename(done)
    return done


def wheel_of(files: dict[str, Path], package: str) -> Path:
    """The wheel of a package."""
    return next(path for name, path in files.items() if name.startswith(f"{package}-"))


def copy_page_parts(files: dict[str, Path], out: Path) -> None:
    """BokehJS, Panel's models and Panel's stylesheets, from the wheels."""
    (out / "js").mkdir()
    for package, member in SCRIPTS:
        with zipfile.ZipFile(wheel_of(files, package)) as wheel:
            (out / "js" / Path(member).name).write_bytes(wheel.read(member))
    panel = wheel_of(files, "panel")
    version = panel.name.split("-")[1]
    with zipfile.ZipFile(panel) as wheel:
        for member in wheel.namelist():
            if PANEL_CSS.match(member):
                target = out / "panel" / version / member.removeprefix("panel/")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(wheel.read(member))


def app_folder(new: Path, files: dict[str, Path], say: Say) -> str:
    """Our own part: static files as they are, and `kernels/` and `app/` compiled beside their sources."""
    say("pack the application")
    with tempfile.TemporaryDirectory(prefix="app-", dir=BUILD) as folder:
        work = Path(folder)
        for part in ("core", "modules"):
            (work / part).mkdir()
        for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"):
            shutil.copyfile(files[name], work / "core" / name)
        shutil.copyfile(files["pyodide-lock.json"], work / "core" / "pyodide-lock.json")
        pack.copy_own_modules(work / "modules")
        pack.compile_all(
            work / "core",
            [pack.job(work / "modules", pack.SITE_PACKAGES, optimize=0, beside=True)],
            work,
        )
        shutil.copytree(
            ROOT / "static",
            work / "out",
            ignore=lambda where, names: [
                name for name in names if name in NOT_SHIPPED or name == "__pycache__"
            ],
        )
        (work / "out" / "modules.tar.gz").write_bytes(pack.tar_gz(work / "modules"))
        name = f"app-{hash_of(work / 'out')}"
        (work / "out").rename(new / name)
    return name


def hash_of(folder: Path) -> str:
    """A hash of the names and contents of a folder."""
    digest = hashlib.sha256()
    for name, path in pack.files_below(folder):
        digest.update(f"{name}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def index_page(new: Path, runtime: str, app: str, base_path: str) -> str:
    """The page, with the list of what it has to fetch."""
    page = (ROOT / "static" / "index.html").read_text(encoding="utf-8")

    def entry(path: str) -> dict[str, object]:
        data = (new / path).read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        return {"url": path, "size": len(data), "sha256": digest, "gzip": path.endswith(".gz")}

    def script(member: str) -> dict[str, object]:
        path = f"{runtime}/js/{Path(member).name}"
        data = (new / path).read_bytes()
        digest = base64.b64encode(hashlib.sha384(data).digest()).decode()
        return {"url": path, "size": len(data), "integrity": f"sha384-{digest}"}

    manifest = {
        "runtime": f"{runtime}/",
        "app": f"{app}/",
        "scripts": [script(member) for _, member in SCRIPTS],
        "files": {
            "wasm": entry(f"{runtime}/pyodide.asm.wasm.gz"),
            "stdlib": entry(f"{runtime}/stdlib.zip.gz"),
            "site": entry(f"{runtime}/site.tar.gz"),
            "modules": entry(f"{app}/modules.tar.gz"),
        },
    }
    modules = [f"{app}/worker.js", f"{app}/worker/download.js", f"{app}/worker/archive.js"]
    modules += [f"{app}/page/{path.name}" for path in sorted((new / app / "page").glob("*.js"))]
    modules += [f"{runtime}/pyodide.mjs", f"{runtime}/pyodide.asm.mjs"]
    preloads = [f'<link rel="modulepreload" href="{path}">' for path in modules]
    values = {
        "base": f'<base href="{html.escape(base_path)}">' if base_path else "",
        "app": f"{app}/",
        "manifest": json.dumps(manifest),
        "preloads": "\n".join(preloads),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], page)


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
