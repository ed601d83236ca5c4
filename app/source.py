"""The source of a kernel with all it needs from `kernels`, as one script that runs by itself."""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
from dataclasses import dataclass, field
from functools import cache

PACKAGE = "kernels"


@dataclass
class Module:
    """What a module defines at its top level, and what it imports, by name."""

    definitions: dict[str, str] = field(default_factory=dict)
    used: dict[str, set[str]] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)  # name -> import statement
    own: dict[str, tuple[str, str]] = field(default_factory=dict)  # name -> (module, name there)


@cache
def read_module(name: str) -> Module:
    """A module of ours, read from its source."""
    source = inspect.getsource(importlib.import_module(name))
    module = Module()
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
            for alias in node.names:
                module.own[alias.asname or alias.name] = (node.module or "", alias.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                shown = alias.asname or alias.name.split(".")[0]
                renamed = f" as {alias.asname}" if alias.asname else ""
                start = f"from {node.module} " if isinstance(node, ast.ImportFrom) else ""
                module.imports[shown] = f"{start}import {alias.name}{renamed}"
        else:
            text = _segment(source, node)
            used = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
            for defined in _names_of(node):
                module.definitions[defined] = text
                module.used[defined] = used
    return module


def _segment(source: str, node: ast.stmt) -> str:
    """The lines of a definition, with its decorators and the comment above it."""
    lines = source.splitlines()
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)]) - 1
    while first > 0 and lines[first - 1].startswith("#"):
        first -= 1
    return "\n".join(lines[first : node.end_lineno])


def _names_of(node: ast.stmt) -> list[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    names = []
    for target in targets:
        names += (
            [inner.id for inner in ast.walk(target) if isinstance(inner, ast.Name)]
            if target
            else []
        )
    return names


def script_of(function: str) -> str:
    """A public kernel's source, and before it all that it uses, so that it runs as it is copied."""
    module = inspect.getmodule(getattr(importlib.import_module(PACKAGE), function))
    imports: dict[str, str] = {}
    parts: dict[str, str] = {}
    _collect(module.__name__ if module else PACKAGE, function, imports, parts, set())
    imports.pop("annotations", None)
    # Types may name what is defined further down: with this line Python 3.11 does not look.
    head = "\n".join(["from __future__ import annotations", "", *sorted(set(imports.values()))])
    return head + "\n\n\n" + "\n\n\n".join(parts.values()) + "\n"


def _collect(
    module: str,
    name: str,
    imports: dict[str, str],
    parts: dict[str, str],
    seen: set[tuple[str, str]],
) -> None:
    if (module, name) in seen:
        return
    seen.add((module, name))
    content = read_module(module)
    if name in content.own:
        _collect(*content.own[name], imports, parts, seen)
    elif name in content.definitions:
        for used in sorted(content.used[name] - {name}):
            if not hasattr(builtins, used):
                _collect(module, used, imports, parts, seen)
        text = content.definitions[name]
        if text not in parts.values():
            parts[f"{module}.{name}"] = text
    elif name in content.imports:
        imports[name] = content.imports[name]
