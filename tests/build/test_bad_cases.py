"""What a person meets when a build cannot go on: exit code 1, a clear message, dist/ as it was."""

from __future__ import annotations

import ast
import errno
import json
import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from static.build import paths
from static.build.errors import raise_if_disk_is_full
from tests.build.conftest import Project

# Every way out of the machine leads to a port where nobody listens.
NOWHERE = "http://127.0.0.1:9"
NO_NETWORK = {
    **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), NOWHERE),
    **dict.fromkeys(("no_proxy", "NO_PROXY", "PIP_FIND_LINKS"), ""),
    "npm_config_fetch_retries": "0",
    "PIP_RETRIES": "0",
    "PIP_NO_INDEX": "1",
}


def empty_caches(folder: Path) -> dict[str, str]:
    """A user who has never built anything; npm keeps what it fetched, too."""
    return {"XDG_CACHE_HOME": str(folder / "cache"), "npm_config_cache": str(folder / "npm")}


def lock_of(project: Project) -> tuple[Path, Any]:
    """The lock file of a checkout, and what is in it."""
    path = project.root / "static" / "lock.json"
    return path, json.loads(path.read_text())


def test_without_network_and_cache_the_file_and_the_sources_are_named(
    project: Project, tmp_path: Path
) -> None:
    project.mark_dist()
    done = project.build(**empty_caches(tmp_path), **NO_NETWORK)
    assert done.returncode == 1
    first = lock_of(project)[1]["files"][0]
    assert f"{first['name']} {first['version']} (sha256 {first['sha256']})" in done.stderr
    assert "could not be fetched. Tried:" in done.stderr
    for source in first["sources"]:
        kind, what = next(iter(source.items()))
        assert f"  - {kind} {what}" in done.stderr
    assert "Check the network" in done.stderr
    assert "Traceback" not in done.stderr
    project.assert_untouched()


def test_a_file_with_another_hash_is_refused_whatever_its_source(
    project: Project, tmp_path: Path
) -> None:
    project.mark_dist()
    forged = tmp_path / "forged.mjs"
    forged.write_text("export const loadPyodide = () => 'not what was locked';")
    path, lock = lock_of(project)
    lock["files"][0]["sources"] = [{"url": forged.as_uri()}]
    path.write_text(json.dumps(lock))
    done = project.build(**empty_caches(tmp_path), **NO_NETWORK)
    assert done.returncode == 1
    assert f"url {forged.as_uri()}: refused, its sha256 is" in done.stderr
    assert not list((tmp_path / "cache").rglob("*.mjs"))
    project.assert_untouched()


def test_a_file_damaged_in_the_cache_is_not_used(project: Project, tmp_path: Path) -> None:
    first = lock_of(project)[1]["files"][0]
    cached = tmp_path / "cache" / "normscope" / first["sha256"][:16] / first["name"]
    cached.parent.mkdir(parents=True)
    cached.write_text("damaged")
    done = project.build(**empty_caches(tmp_path), **NO_NETWORK)
    assert done.returncode == 1
    assert first["name"] in done.stderr and "could not be fetched" in done.stderr
    assert not cached.exists()


def test_a_port_that_is_taken_is_told(project: Project) -> None:
    project.with_runtime()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = project.build("serve", "--no-open", "--port", str(port))
    assert done.returncode == 1
    assert f"Port {port} is taken" in done.stderr
    assert "--port" in done.stderr and "Traceback" not in done.stderr


def test_a_full_disk_is_told(project: Project) -> None:
    """Copying one of the larger files meets the kernel's own error, from a device that is full."""
    project.with_runtime().mark_dist()
    done = project.run_main(
        "import shutil\n"
        "real = shutil.copy2\n"
        "def copy(source, target, **rest):\n"
        "    if str(target).endswith('stdlib.zip.gz'): return real(source, '/dev/full', **rest)\n"
        "    return real(source, target, **rest)\n"
        "shutil.copy2 = copy\n"
        "shutil.copytree.__kwdefaults__ = None\n"
        "shutil.copytree.__defaults__ = (False, None, copy, False, False)\n"
    )
    assert done.returncode == 1
    assert "The disk is full" in done.stderr and "free some room" in done.stderr
    assert "Traceback" not in done.stderr
    project.assert_untouched()


@pytest.mark.parametrize(
    "message",
    [
        "Error: ENOSPC: no space left on device, write",
        "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
    ],
)
def test_a_client_that_meets_a_full_disk_is_understood(message: str) -> None:
    with pytest.raises(OSError) as told:
        raise_if_disk_is_full(f"some line\n{message}\n")
    assert told.value.errno == errno.ENOSPC
    raise_if_disk_is_full("npm error 404 Not Found\n" + "x=ENOSPC;" * 1000)  # a quoted source


def test_an_old_python_is_told_so(project: Project) -> None:
    done = project.run_main(
        "import sys; sys.version_info = (3, 10, 4, 'final', 0); sys.version = '3.10.4 (main)'"
    )
    assert done.returncode == 1
    assert "needs Python 3.11 or newer; this is 3.10.4" in done.stderr
    assert not project.dist.exists()


def test_old_pythons_can_read_build_py() -> None:
    source = (paths.ROOT / "build.py").read_text(encoding="utf-8")
    tree = ast.parse(source, feature_version=(3, 6))
    early = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    names = {alias.name for node in early for alias in node.names}
    assert names == {"argparse", "errno", "sys"}  # what is imported before the check


def test_ctrl_c_leaves_dist_as_it_was(project: Project) -> None:
    project.with_runtime().mark_dist()
    running = subprocess.Popen(
        project.command("build"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert running.stdout is not None
    assert any("pack the application" in line for line in running.stdout)
    time.sleep(0.3)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does: the clients hear it too
    _, messages = running.communicate(timeout=60)
    assert running.returncode == 1
    assert "Stopped. Nothing half-written is left in dist/." in messages
    assert "Traceback" not in messages
    project.assert_untouched()


def test_a_base_path_without_slashes_is_refused(project: Project) -> None:
    done = project.build("build", "--base-path", "repo")
    assert done.returncode == 1
    assert "--base-path must start and end with a slash" in done.stderr


def test_python_sources_that_do_not_compile_are_told(project: Project) -> None:
    project.with_runtime().mark_dist()
    (project.root / "app" / "probes.py").write_text("def start(:\n")
    done = project.build()
    assert done.returncode == 1
    assert "SyntaxError" in done.stderr and "probes.py" in done.stderr
    project.assert_untouched()
