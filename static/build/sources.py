"""The sources a locked file may come from: an address, npm, PyPI, or a member of either's archive.

Each is asked by its ordinary client, so that mirrors and proxies set up on a machine are used. An
archive that several files are taken from is downloaded once in a run, and a host that did not
answer is not asked again.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path

from static.build import tools
from static.build.errors import BuildError, raise_if_disk_is_full

Source = dict[str, str]
TIMEOUT_SECONDS = 60
CLIENT_TIMEOUT_SECONDS = 900  # the largest archive has 106 MB
FAILURES = (OSError, BuildError, subprocess.SubprocessError, KeyError)
# Of what npm and pip print, the line that says why.
TELLING = re.compile(r"failed, reason|Not Found|No matching|Could not|not found", re.IGNORECASE)


class Sources:
    """One run's downloads, kept in a folder that the caller removes."""

    def __init__(self, folder: Path) -> None:
        """An empty folder."""
        self.folder = folder
        self.archives: dict[tuple[str, str], Path | BuildError] = {}
        self.silent: dict[str, str] = {}

    def get(self, name: str, source: Source) -> Path:
        """The file as the source has it, unchecked; raises one of FAILURES when it has none."""
        kind, what = next(iter(source.items()))
        if kind == "url":
            return self.from_address(name, what)
        archive = self.archive(kind, what, source)
        return self.member(archive, source["member"], name) if "member" in source else archive

    def from_address(self, name: str, url: str) -> Path:
        """One file by its address."""
        host = urllib.parse.urlsplit(url).netloc
        if host in self.silent:
            raise BuildError(self.silent[host])
        target = self.folder / name
        request = urllib.request.Request(url, headers={"User-Agent": "normscope-build"})
        try:
            with (
                urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer,
                target.open("wb") as out,
            ):
                shutil.copyfileobj(answer, out)
        except urllib.error.HTTPError:
            raise  # this file is not there; others of the host may be
        except (urllib.error.URLError, TimeoutError) as error:
            self.silent[host] = reason(error)
            raise
        return target

    def archive(self, kind: str, what: str, source: Source) -> Path:
        """The archive of a package, from this run's folder or by its client."""
        key = (kind, what)
        if key not in self.archives:
            folder = self.folder / f"archive-{len(self.archives)}"
            folder.mkdir()
            try:
                self.archives[key] = CLIENTS[kind](source, folder)
            except FAILURES as error:
                self.archives[key] = BuildError(reason(error))
        found = self.archives[key]
        if isinstance(found, BuildError):
            raise found
        return found

    def member(self, archive: Path, member: str, name: str) -> Path:
        """One file of an archive."""
        target = archive.with_name(f"member-{name}")
        with target.open("wb") as out:
            if archive.suffix == ".whl":
                with zipfile.ZipFile(archive) as wheel, wheel.open(member) as packed:
                    shutil.copyfileobj(packed, out)
            else:
                with tarfile.open(archive) as tar:
                    stream = tar.extractfile(member)
                    if stream is None:
                        raise BuildError(f"no file {member} inside")
                    shutil.copyfileobj(stream, out)
        return target


def describe(source: Source) -> str:
    """A source as a person reads it: its kind, what is asked of it, and the member inside."""
    kind, what = next(iter(source.items()))
    inside = f", its {source['member']}" if "member" in source else ""
    return f"{kind} {what}{inside}"


def reason(error: BaseException) -> str:
    """What went wrong, in a line."""
    if isinstance(error, subprocess.CalledProcessError):
        lines = [line.strip() for line in (error.stderr or "").splitlines() if line.strip()]
        telling = [line for line in lines if TELLING.search(line)]
        return (telling or lines or [f"exit code {error.returncode}"])[-1]
    return str(error) or type(error).__name__


def by_npm(source: Source, folder: Path) -> Path:
    """A package's tarball by npm's own client."""
    run([*tools.npm(), "pack", "--loglevel=error", source["npm"]], folder)
    return only(folder, "*.tgz")


def by_pip(source: Source, folder: Path) -> Path:
    """A wheel by pip, for the Python and the platforms the source states."""
    command = [str(tools.environment_python()), "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--disable-pip-version-check", "--only-binary=:all:"]
    command += ["--python-version", source.get("python", "3.14")]
    for platform in source.get("platforms", "").split():
        command += ["--platform", platform]
    run([*command, "--dest", str(folder), source["pypi"]], folder)
    return only(folder, "*.whl")


def only(folder: Path, pattern: str) -> Path:
    """The archive a client left in the folder."""
    found = sorted(folder.glob(pattern))
    if not found:
        raise BuildError("the client left no file")
    return found[0]


def run(command: list[str], folder: Path) -> None:
    """A client's command, its messages kept for the report of a failure."""
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=CLIENT_TIMEOUT_SECONDS
    )
    if done.returncode:
        raise_if_disk_is_full(done.stderr)
        done.check_returncode()


CLIENTS: dict[str, Callable[[Source, Path], Path]] = {"npm": by_npm, "pypi": by_pip}
