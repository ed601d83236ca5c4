"""BokehJS made to start in parts.

Its bundle is some 640 modules that one script evaluates at one go: a quarter of a second in which
the page answers nothing, on a machine whose other core is busy with Python. Here the bundle only
brings its modules; `static/page/scripts.js` evaluates them one by one, those first that need no
other, and then ends the start.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from static.build.errors import BuildError

NAME = "bokeh.min.js"

# What stands in the bundle, once each, and what takes its place. What the bundle did with its main
# module it does when `finish` is called.
CHANGES = (
    (
        "(function(root, factory) {\n  const bokeh = factory();\n",
        "(function(root, factory) {\n  factory(function(bokeh) {\n",
    ),
    (
        "  Bokeh[bokeh.version] = bokeh;\n})(this, function() {\n",
        "  Bokeh[bokeh.version] = bokeh;\n  });\n})(this, function(deliver) {\n",
    ),
    (
        "  const main = require(entry);\n",
        "  globalThis.BokehParts = {order: ORDER, require, finish: function() {\n"
        "  const main = require(entry);\n",
    ),
    ("\n  return main;\n})\n([", "\n  deliver(main);\n  }};\n})\n(["),
)


def in_parts(script: str) -> str:
    """The bundle, changed.

    Raises:
        BuildError: it is not built as we know it.
    """
    for old, new in CHANGES:
        if script.count(old) != 1:
            raise BuildError(f"{NAME} of this version of Bokeh is not built as expected: {old!r}")
        script = script.replace(old, new)
    order = leaves_first([needs(module) for module in modules_of(script)])
    return script.replace("{order: ORDER,", f"{{order: [{','.join(map(str, order))}],")


def modules_of(script: str) -> list[str]:
    """The texts of the bundle's modules, by their numbers."""
    bundle = script[script.index("})\n([\n") :]
    return re.split(r"\n(?=function _\()", bundle)[1:]


def needs(module: str) -> list[int]:
    """The numbers of the modules that one requires: by its first parameter."""
    require = re.match(r"function _\((\w*)", module)
    if require is None or not require[1]:
        return []
    return [int(number) for number in re.findall(rf"(?<![\w$.]){require[1]}\((\d+)\)", module)]


def leaves_first(needed: list[list[int]]) -> list[int]:
    """All numbers, each after those it needs: the order in which the bundle itself goes on."""
    order: dict[int, None] = {}
    walk: list[tuple[int, Iterator[int]]] = []
    begun: set[int] = set()
    for root in range(len(needed)):
        if root not in begun:
            begun.add(root)
            walk.append((root, iter(needed[root])))
        while walk:
            number, rest = walk[-1]
            child = next((one for one in rest if one not in begun and one < len(needed)), None)
            if child is None:
                order[number] = None
                walk.pop()
            else:
                begun.add(child)
                walk.append((child, iter(needed[child])))
    return list(order)
