"""Bringing Python up in the browser, in steps that the page's progress bar can name."""

from __future__ import annotations

import importlib.machinery
import sys
import types


def import_numpy() -> None:
    """NumPy, and with it what the kernels need."""
    import kernels  # noqa: F401


def import_bokeh() -> None:
    """Bokeh's models."""
    import bokeh.models
    import bokeh.plotting  # noqa: F401


def import_panel() -> None:
    """Panel, whose Pyodide module wants pandas at hand only to patch two of its readers."""
    stand_in = types.ModuleType("pandas")
    stand_in.__spec__ = importlib.machinery.ModuleSpec("pandas", None)
    stand_in.read_csv = stand_in.read_json = lambda *args, **kwargs: None  # type: ignore[attr-defined]
    sys.modules["pandas"] = stand_in
    try:
        import panel  # noqa: F401
    finally:
        del sys.modules["pandas"]


STEPS = (
    ("numpy", import_numpy),
    ("bokeh", import_bokeh),
    ("panel", import_panel),
)


def run(step: str) -> None:
    """Run one of the steps by name."""
    dict(STEPS)[step]()
