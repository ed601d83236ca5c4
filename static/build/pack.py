"""What the browser's Python gets: slimmed packages, the standard library, and our own modules.

Sources are compiled by Pyodide itself (`compile.mjs`), since a `.pyc` fits one version of Python
only and a page that had to compile would start seconds later. The archives are plain tar and zip,
squeezed as a whole with gzip: a browser unpacks that by itself, beside everything else it does at
start-up.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from static.build import tools
from static.build.errors import BuildError, raise_if_disk_is_full
from static.build.paths import ROOT

SITE_PACKAGES = "/lib/python3.14/site-packages"
STANDARD_LIBRARY = "/lib/python314.zip"

# Left out of every wheel. A list of what to drop, not of what was seen in use: modules imported
# late (panel.io.browser, numpy.ma) would be missed by the latter.
DROPPED = re.compile(
    r"""
      (^|/)(tests?|testing|_pyinstaller|distutils|sampledata|benchmarks)/
    | \.(pyi|pxd|pyx|h|a|c|cpp|map|so\.dSYM|md|rst|ts|tsbuildinfo|typed)$
    | \.dist-info/(?!METADATA$)
    | ^numpy/(f2py|_core/(include|lib)|random/(_examples|lib))/
    | ^panel/(dist|examples|_compile|template/[a-z_]+/.*\.(css|js|html)$)
    | ^panel/(command|lint)/
    | ^bokeh/(server/static|command)/
    | ^pyviz_comms/labextension/static/
    | ^narwhals/(_polars|_dask|_duckdb|_ibis|_spark_like|_sql|_arrow|_pandas_like|_interchange)/
    | ^numbergen/
    | ^bokeh/(sphinxext|_testing)/ | ^bokeh/_sri/(?!3\.10\.2\.json)
    | ^panel/io/(server|django|fastapi|convert|jupyter_[a-z_]+)\.py$
    | ^numpy/(fft|polynomial|ctypeslib)/ | ^numpy/linalg/lapack_lite
    | ^(share|etc|bin|[^/]+\.data)/
    """,
    re.VERBOSE,
)
KEPT_ANYWAY = re.compile(
    r"^numpy/(testing/__init__|testing/_private/__init__|_core/tests/_natype)\.py$"
    r"|^numpy/.*\.cpython-314.*\.so$"
)

# Of the standard library: what talks to servers, debuggers, terminals and old file formats, what
# has a compiled twin, and the code pages of other decades.
DROPPED_FROM_LIBRARY = re.compile(
    r"""
      ^(_pyrepl|multiprocessing|pydoc_data|xml|xmlrpc|wsgiref|tomllib|ensurepip|idlelib|sqlite3|curses|dbm|venv|lib2to3|tkinter|turtledemo)/
    | ^(pdb|bdb|pydoc|doctest|mailbox|imaplib|smtplib|poplib|ftplib|plistlib|trace|telnetlib
       |turtle|_pydatetime|_pyio|_pydecimal|optparse|netrc|nturl2path|crypt|cgi|cgitb|chunk
       |pickletools|modulefinder|zipapp|py_compile|compileall|tabnanny|pyclbr|filecmp|fileinput
       |antigravity|this)\.py$
    | ^encodings/(cp(?!437|1252)\w+|iso8859_\w+|iso2022_\w+|mac_\w+|koi8_\w+|big5\w*|euc_\w+
       |gb\w+|hz|johab|shift_\w+|kz1048|ptcp154|palmos|tis_620|hp_roman8)\.py$
    """,
    re.VERBOSE,
)
NATIVE_OF_OTHERS = re.compile(r"\.so$")  # PyYAML's and MarkupSafe's, built for other machines


def unpack_wheel(wheel: Path, target: Path) -> None:
    """The part of a wheel that the browser uses."""
    for_wasm = "wasm32" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            native = NATIVE_OF_OTHERS.search(name) and not for_wasm
            dropped = DROPPED.search(name) and not KEPT_ANYWAY.search(name)
            if name.endswith("/") or native or dropped:
                continue
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.read(name))


def unpack_standard_library(archive: Path, target: Path) -> None:
    """The standard library as Pyodide ships it, less what no page needs."""
    with zipfile.ZipFile(archive) as stdlib:
        stdlib.extractall(
            target, [name for name in stdlib.namelist() if not DROPPED_FROM_LIBRARY.search(name)]
        )


def copy_own_modules(target: Path) -> None:
    """`kernels/` and `app/` with their sources, since the page shows the code that runs."""
    for package in ("kernels", "app"):
        shutil.copytree(
            ROOT / package,
            target / package,
            ignore=shutil.ignore_patterns("__pycache__", "*.pyc", ".*"),
        )


def compile_all(pyodide: Path, jobs: list[dict[str, object]], folder: Path) -> None:
    """Compile every source of the jobs by Pyodide under Node.js."""
    jobs_file = folder / "jobs.json"
    jobs_file.write_text(json.dumps(jobs))
    script = Path(__file__).with_name("compile.mjs")
    done = subprocess.run(
        [*tools.node(), str(script), str(pyodide), str(jobs_file)], capture_output=True, text=True
    )
    jobs_file.unlink()
    if done.returncode:
        raise_if_disk_is_full(done.stderr)
        raise BuildError(f"Pyodide could not compile the Python sources:\n{done.stderr.strip()}")


def files_below(folder: Path) -> Iterable[tuple[str, Path]]:
    """Every file below a folder with its name in an archive, in one fixed order."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path


def tar_gz(folder: Path) -> bytes:
    """A folder as a gzipped tar; the same files always give the same bytes."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, path in files_below(folder):
            entry = tarfile.TarInfo(name)
            entry.size = path.stat().st_size
            with path.open("rb") as stream:
                archive.addfile(entry, stream)
    return squeeze(plain.getvalue())


def zip_plain(folder: Path) -> bytes:
    """A folder as a zip without compression: importable where it lies."""
    plain = io.BytesIO()
    with zipfile.ZipFile(plain, "w", zipfile.ZIP_STORED) as archive:
        for name, path in files_below(folder):
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), path.read_bytes())
    return plain.getvalue()


def squeeze(data: bytes) -> bytes:
    """gzip without a time stamp."""
    return gzip.compress(data, compresslevel=9, mtime=0)


def job(root: Path, shown: str, optimize: int, beside: bool = False) -> dict[str, object]:
    """One folder to compile: `shown` is where its files will be when they run."""
    return {"root": str(root), "shown": shown, "optimize": optimize, "beside": beside}
