"""Our look for Panel's widgets: a Panel design that brings one stylesheet to each of them."""

from __future__ import annotations

import os
from typing import Any, ClassVar

import panel as pn
from panel.theme.base import Design, Inherit
from panel.viewable import Viewable

# Where the page's own files are, set by the worker; under `panel serve` they are served beside it.
ASSETS = os.environ.get("NORMSCOPE_ASSETS", "assets/")


class NormscopeDesign(Design):
    """Every widget gets `widgets.css`; colours come from the page's custom properties."""

    modifiers: ClassVar[dict[type[Viewable], dict[str, Any]]] = {
        Viewable: {"stylesheets": [Inherit, f"{ASSETS}widgets.css"]},
    }


def use_design() -> None:
    """Make it the design of all that is built from now on."""
    pn.config.design = NormscopeDesign
