"""Where the build reads and writes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "static" / "lock.json"
BUILD = ROOT / "build"
DIST = ROOT / "dist"
ENVIRONMENT = BUILD / "env"


def user_cache() -> Path:
    """The folder of this user in which fetched files are kept between builds."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "normscope"
