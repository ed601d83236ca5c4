"""`index.html`: the page with the list of everything it has to fetch."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from pathlib import Path
from typing import Any

from static.build import application
from static.build.paths import ROOT
from static.build.runtime import SCRIPTS, Runtime

QUIET_SECONDS = 45  # when no byte comes for so long, the page counts the line as dead

# What Python's worker fetches: the name it knows the file by, the folder, the file.
FILES = {
    "wasm": ("runtime", "pyodide.asm.wasm.gz"),
    "engine": ("runtime", "pyodide.asm.mjs.gz"),
    "loader": ("runtime", "pyodide.mjs.gz"),
    "stdlib": ("runtime", "stdlib.zip.gz"),
    "site": ("runtime", "site.tar.gz"),
    "modules": ("app", "modules.tar.gz"),
}


def write(site: Path, runtime: Runtime, app: str, base_path: str) -> None:
    """Write the page for a site whose folders are in place."""
    manifest: Any = manifest_of(site, runtime.name, app)
    preloads = [
        f'<link rel="modulepreload" href="{part["url"]}" integrity="{part["integrity"]}">'
        for part in manifest["parts"]
        if re.search(r"/(main|manifest|page/\w+|components/\w+)\.js$", part["url"])
    ]
    values = {
        "base": f'<base href="{html.escape(base_path)}">' if base_path else "",
        "app": f"{app}/",
        "manifest": json.dumps(manifest),
        "first": (ROOT / "static" / "first.js").read_text(encoding="utf-8"),
        "preloads": "\n".join(preloads),
    }
    page = (ROOT / "static" / "index.html").read_text(encoding="utf-8")
    page = re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], page)
    (site / "index.html").write_text(page, encoding="utf-8")


def manifest_of(site: Path, runtime: str, app: str) -> dict[str, object]:
    """What `static/manifest.js` describes."""
    folders = {"runtime": runtime, "app": app}
    parts = [
        path.relative_to(site).as_posix()
        for path in sorted((site / app).rglob("*"))
        if path.suffix in (".js", ".css")
    ]
    return {
        "runtime": f"{runtime}/",
        "app": f"{app}/",
        "quiet_seconds": QUIET_SECONDS,
        "scripts": [part(site, f"{runtime}/js/{Path(member).name}") for _, member in SCRIPTS],
        "parts": [part(site, path) for path in parts],
        "components": [
            path for path in parts if path.startswith(f"{app}/components/") and path.endswith(".js")
        ],
        "files": {
            name: entry(site, f"{folders[folder]}/{file}") for name, (folder, file) in FILES.items()
        },
        "pictures": {theme: f"{app}/picture-{theme}.json" for theme in application.THEMES},
    }


def part(site: Path, path: str) -> dict[str, object]:
    """A file that the browser loads by itself."""
    data = (site / path).read_bytes()
    digest = hashlib.sha256(data)
    integrity = f"sha256-{base64.b64encode(digest.digest()).decode()}"
    return {"url": path, "size": len(data), "sha256": digest.hexdigest(), "integrity": integrity}


def entry(site: Path, path: str) -> dict[str, object]:
    """A file that Python's worker fetches."""
    data = (site / path).read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    return {"url": path, "size": len(data), "sha256": digest, "gzip": path.endswith(".gz")}
