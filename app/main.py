"""The application put together: for the page's worker, and for `panel serve app/main.py`."""

from __future__ import annotations

from typing import Any

import panel as pn

from app.application import Application
from app.views.design import use_design
from app.views.figures import set_theme


def start(post: Any, fragment: str, theme: str) -> Any:
    """Start for the page: `post(json, buffers)` sends; returns what receives its messages."""
    from app.page import Page

    use_design()
    set_theme(theme)
    page = Page(Application(fragment), post)
    page.open_scene()
    page.send("started", problems=page.application.problems, **page.application.last_run())
    return page


def serve() -> None:
    """Show the first scene under `panel serve`, for development with live reload."""
    use_design()
    places = Application().scene.layout()
    pn.Row(*places.values(), sizing_mode="stretch_width").servable(title="Normscope")


if __name__.startswith("bokeh_app"):
    serve()
