"""What a build gives: the same bytes each time, without network, within its weight."""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
import re
import urllib.request
from pathlib import Path

from playwright.sync_api import Browser, expect

from static.build import site
from tests.browser.conftest import wait_until_ready
from tests.browser.hosting import Host
from tests.build.conftest import Project
from tests.build.test_bad_cases import NO_NETWORK


def digests(folder: Path) -> dict[str, str]:
    """The hash of every file below a folder."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_two_builds_from_nothing_give_the_same_bytes_and_need_no_network(tmp_path: Path) -> None:
    """Each in a folder of its own, with nothing but this user's cache of fetched files."""
    projects = []
    for name in ("one", "another-name"):
        (tmp_path / name).mkdir()
        projects.append(Project(tmp_path / name))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        done = list(pool.map(lambda project: project.build(**NO_NETWORK), projects))
    assert [one.returncode for one in done] == [0, 0], done[0].stderr + done[1].stderr
    assert "fetch " not in done[0].stdout
    one, other = (digests(project.dist) for project in projects)
    assert len(one) > 50
    assert one == other


def test_a_build_of_what_did_not_change_does_nothing(project: Project) -> None:
    project.with_runtime()
    assert "dist is ready" in project.build().stdout
    before = digests(project.dist)
    again = project.build(**NO_NETWORK)
    assert again.returncode == 0 and "dist is up to date" in again.stdout
    assert digests(project.dist) == before


def test_a_changed_input_is_built_and_only_our_own_folder_changes(project: Project) -> None:
    project.with_runtime()
    project.build()
    for file, comment in (("static/style.css", "/* new */"), ("kernels/axes.py", "# new")):
        folders = {path.name for path in project.dist.iterdir()}
        source = project.root / file
        source.write_text(source.read_text() + comment)
        done = project.build()
        assert "dist is ready" in done.stdout and "compile the standard" not in done.stdout
        new = {path.name for path in project.dist.iterdir()} - folders
        assert [name.split("-")[0] for name in new] == ["app"]


def test_a_touched_dist_is_built_anew(project: Project) -> None:
    project.with_runtime()
    project.build()
    page = next(project.dist.glob("app-*/style.css"))
    right = page.read_text()
    page.write_text("body { display: none }")
    assert "dist is ready" in project.build().stdout
    assert next(project.dist.glob("app-*/style.css")).read_text() == right


def test_the_first_visit_weighs_less_than_14_mb(dist: Path) -> None:
    assert 5_000_000 < site.first_visit_bytes(dist) < 14_000_000


def test_the_page_lists_every_file_with_its_size_and_hash(dist: Path) -> None:
    page = (dist / "index.html").read_text(encoding="utf-8")
    manifest = json.loads(re.findall(r'id="manifest">(.*?)</script>', page)[0])
    listed = [*manifest["parts"], *manifest["scripts"], *manifest["files"].values()]
    for entry in listed:
        data = (dist / entry["url"]).read_bytes()
        assert len(data) == entry["size"]
        assert hashlib.sha256(data).hexdigest() == entry["sha256"]
    code = {
        path.relative_to(dist).as_posix()
        for path in dist.rglob("*")
        if path.suffix in (".js", ".gz") or (path.suffix == ".css" and "app-" in path.as_posix())
    }
    assert code == {entry["url"] for entry in listed}


def test_dist_holds_nothing_that_only_the_build_needs(dist: Path) -> None:
    names = {path.name for path in dist.rglob("*") if path.is_file()}
    assert not names & {"lock.json", "tsconfig.json", "globals.d.ts", "first.js", "compile.mjs"}
    assert not [name for name in names if name.endswith((".py", ".pyc", ".whl", ".map"))]


def test_the_server_gives_each_file_the_type_it_needs(dist: Path) -> None:
    host = Host(dist)
    wanted = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
    try:
        for suffix, media_type in {**wanted, "json": "application/json"}.items():
            path = next(dist.glob(f"app-*/**/*.{suffix}")).relative_to(dist).as_posix()
            with urllib.request.urlopen(host.url + path) as answer:
                assert answer.headers["Content-Type"].split(";")[0] == media_type
                assert "immutable" in answer.headers["Cache-Control"]
        with urllib.request.urlopen(host.url) as answer:
            assert answer.headers["Cache-Control"] == "no-cache"
    finally:
        host.close()


def test_a_site_built_for_a_base_path_works_there(project: Project, chromium: Browser) -> None:
    project.with_runtime()
    assert project.build("build", "--base-path", "/some/repo/").returncode == 0
    host = Host(project.dist, "/some/repo/")
    page = chromium.new_page()
    try:
        page.goto(host.url)
        wait_until_ready(page)
        assert page.evaluate("document.baseURI") == host.url
        expect(page.locator("#axes-stage .cell").first).to_have_text("2")
    finally:
        page.close()
        host.close()
