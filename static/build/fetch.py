"""Locked files: fetched from the first source that has them, kept per user, trusted by hash alone.

A source is a convenience and never a matter of trust: whatever the source, a file counts only when
its sha256 is the one in `static/lock.json`.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from static.build.errors import BuildError
from static.build.paths import LOCK, user_cache
from static.build.sources import FAILURES, Source, Sources, describe, reason

Say = Callable[[str], None]


@dataclass(frozen=True)
class LockedFile:
    """One row of the lock: a file, its version and hash, what it is for, and where to try."""

    name: str
    version: str
    sha256: str
    purpose: str
    sources: tuple[Source, ...]


def read_lock(path: Path = LOCK) -> list[LockedFile]:
    """The rows of the lock file, in its order."""
    rows = json.loads(path.read_text(encoding="utf-8"))["files"]
    return [LockedFile(**{**row, "sources": tuple(row["sources"])}) for row in rows]


def fetch(purpose: str, say: Say) -> dict[str, Path]:
    """Every locked file of a purpose ("browser" or "test"), by name, as a path in the cache."""
    with tempfile.TemporaryDirectory(prefix="normscope-") as folder:
        sources = Sources(Path(folder))
        return {
            file.name: fetch_one(file, sources, say)
            for file in read_lock()
            if file.purpose == purpose
        }


def fetch_one(file: LockedFile, sources: Sources, say: Say) -> Path:
    """The file from the cache, or from the first of its sources whose bytes have the right hash."""
    cached = user_cache() / file.sha256[:16] / file.name
    if cached.is_file():
        if sha256_of(cached) == file.sha256:
            return cached
        cached.unlink()  # damaged on the disk: fetch it again
    tried = []
    for source in file.sources:
        say(f"fetch {file.name} {file.version} from {describe(source)}")
        try:
            found = sources.get(file.name, source)
        except FAILURES as error:
            if isinstance(error, OSError) and error.errno == errno.ENOSPC:
                raise  # no other source will help
            tried.append(f"{describe(source)}: {reason(error)}")
            continue
        digest = sha256_of(found)
        if digest == file.sha256:
            keep(found, cached)
            return cached
        tried.append(f"{describe(source)}: refused, its sha256 is {digest}")
    raise BuildError(
        f"{file.name} {file.version} (sha256 {file.sha256}) could not be fetched. Tried:\n"
        + "".join(f"  - {line}\n" for line in tried)
        + "Check the network and run the same command again; what was fetched so far is kept."
    )


def keep(found: Path, cached: Path) -> None:
    """Put a checked file into the cache in one step: a stopped build leaves no half file."""
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
