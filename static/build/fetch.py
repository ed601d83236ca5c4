"""Locked files: fetched from the first source that has them, kept per user, trusted by hash alone.

A source is a convenience and never a matter of trust: whatever the source, a file counts only when
its sha256 is the one in `static/lock.json`.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from static.build import tools
from static.build.errors import BuildError
from static.build.paths import LOCK, user_cache

TIMEOUT_SECONDS = 60


@dataclass(frozen=True)
class LockedFile:
    """One row of the lock: a file, its version and hash, what it is for, and where to try."""

    name: str
    version: str
    sha256: str
    purpose: str
    sources: tuple[dict[str, str], ...]


def read_lock(path: Path = LOCK) -> list[LockedFile]:
    """The rows of the lock file, in its order."""
    rows = json.loads(path.read_text(encoding="utf-8"))["files"]
    return [LockedFile(**{**row, "sources": tuple(row["sources"])}) for row in rows]


def fetch(purposes: Iterable[str], say: Callable[[str], None]) -> dict[str, Path]:
    """Every locked file of the named purposes, by name, as a path in the user's cache."""
    wanted = [file for file in read_lock() if file.purpose in set(purposes)]
    return {file.name: fetch_one(file, say) for file in wanted}


def fetch_one(file: LockedFile, say: Callable[[str], None]) -> Path:
    """The file from the cache, or from the first of its sources whose bytes have the right hash."""
    cached = user_cache() / file.sha256[:16] / file.name
    if cached.is_file():
        if sha256_of(cached) == file.sha256:
            return cached
        cached.unlink()  # damaged on the disk: fetch it again
    tried = []
    for source in file.sources:
        say(f"fetch {file.name} {file.version} from {describe(source)}")
        with tempfile.TemporaryDirectory(prefix="normscope-") as folder:
            try:
                found = SOURCES[next(iter(source))](file, source, Path(folder))
            except (OSError, BuildError, subprocess.CalledProcessError, KeyError) as error:
                tried.append(f"{describe(source)}: {reason(error)}")
                continue
            digest = sha256_of(found)
            if digest != file.sha256:
                tried.append(f"{describe(source)}: refused, its sha256 is {digest}")
                continue
            keep(found, cached)
            return cached
    raise BuildError(
        f"{file.name} {file.version} (sha256 {file.sha256}) could not be fetched. Tried:\n"
        + "".join(f"  - {line}\n" for line in tried)
        + "Check the network and run the same command again; what was fetched so far is kept."
    )


def keep(found: Path, cached: Path) -> None:
    """Put a checked file into the cache in one step, so that a stopped build leaves no half file."""
    cached.parent.mkdir(parents=True, exist_ok=True)
    part = cached.with_name(f"{cached.name}.{os.getpid()}.part")
    try:
        shutil.copyfile(found, part)
        os.replace(part, cached)
    finally:
        part.unlink(missing_ok=True)


def sha256_of(path: Path) -> str:
    """The sha256 of a file, in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def describe(source: dict[str, str]) -> str:
    """A source as a person reads it: its kind, what is asked of it, and the member inside."""
    kind, what = next(iter(source.items()))
    inside = f", its {source['member']}" if "member" in source else ""
    return f"{kind} {what}{inside}"


def reason(error: Exception) -> str:
    """The last telling line of what went wrong."""
    if isinstance(error, subprocess.CalledProcessError):
        lines = [line.strip() for line in (error.stderr or "").splitlines() if line.strip()]
        return lines[-1] if lines else f"exit code {error.returncode}"
    return str(error) or type(error).__name__


def from_url(file: LockedFile, source: dict[str, str], folder: Path) -> Path:
    """One file by its address."""
    target = folder / file.name
    request = urllib.request.Request(source["url"], headers={"User-Agent": "normscope-build"})
    with (
        urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer,
        target.open("wb") as out,
    ):
        shutil.copyfileobj(answer, out)
    return target


def from_npm(file: LockedFile, source: dict[str, str], folder: Path) -> Path:
    """A package by npm's own client, or a member of it."""
    run([*tools.npm(), "pack", "--silent", source["npm"]], folder)
    return pick(file, source, folder, "*.tgz")


def from_pypi(file: LockedFile, source: dict[str, str], folder: Path) -> Path:
    """A wheel by pip, for the platform its file name states, or a member of it."""
    command = [str(tools.environment_python()), "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--disable-pip-version-check", "--only-binary=:all:", "--python-version", "3.14"]
    for platform in filter(None, source.get("platforms", "").split()):
        command += ["--platform", platform]
    if "python" in source:
        command[command.index("3.14")] = source["python"]
    run([*command, "--dest", str(folder), source["pypi"]], folder)
    return pick(file, source, folder, "*.whl")


def pick(file: LockedFile, source: dict[str, str], folder: Path, pattern: str) -> Path:
    """The single archive a client left in the folder, or the member asked for inside it."""
    archives = sorted(folder.glob(pattern))
    if not archives:
        raise BuildError("the client left no file")
    archive = archives[0]
    if "member" not in source:
        return archive
    target = folder / "member" / file.name
    target.parent.mkdir()
    if pattern == "*.tgz":
        with tarfile.open(archive) as tar:
            stream = tar.extractfile(source["member"])
            if stream is None:
                raise BuildError(f"no file {source['member']} inside")
            with stream, target.open("wb") as out:
                shutil.copyfileobj(stream, out)
    else:
        with zipfile.ZipFile(archive) as wheel, wheel.open(source["member"]) as stream:
            with target.open("wb") as out:
                shutil.copyfileobj(stream, out)
    return target


def run(command: list[str], folder: Path) -> None:
    """A client's command, its messages kept for the report of a failure."""
    subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=900)


SOURCES: dict[str, Callable[[LockedFile, dict[str, str], Path], Path]] = {
    "url": from_url,
    "npm": from_npm,
    "pypi": from_pypi,
}
