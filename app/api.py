"""What `globalThis.normscope` can ask for: a table of functions, all in plain JSON."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import kernels
from app.tensor import plain

if TYPE_CHECKING:
    from app.page import Page


def state(page: Page) -> dict[str, Any]:
    """The whole state."""
    return page.application.store.as_json()


def set_state(page: Page, patch: dict[str, Any]) -> dict[str, Any]:
    """Take a patch of the state, show it, and answer with the new state."""
    page.application.store.update(patch)
    return state(page)


def outputs(page: Page) -> dict[str, Any]:
    """The numbers that the scene on show displays."""
    return plain(page.application.scene.outputs())


def kernel(page: Page, name: str, arguments: dict[str, Any], options: dict[str, Any]) -> Any:
    """Call a public kernel with named arguments; arrays come as nested lists.

    The option `backend` is "numpy", "webgpu" or "auto"; with the last two the answer is awaited.
    """
    if name not in kernels.__all__ or not inspect.isfunction(getattr(kernels, name)):
        known = [key for key in kernels.__all__ if inspect.isfunction(getattr(kernels, key))]
        raise ValueError(f"kernel: no kernel {name!r}; there are {', '.join(sorted(known))}")
    backend = options.get("backend", "numpy")
    given = {key: from_json(value) for key, value in arguments.items()}
    if backend == "numpy":
        return to_json(getattr(kernels, name)(**given))
    return on_graphics(page, name, backend, given)


async def on_graphics(page: Page, name: str, backend: str, given: dict[str, Any]) -> Any:
    """The same call where a graphics processor may answer it."""
    return to_json(await page.graphics.run(name, backend, given))


def from_json(value: Any) -> Any:
    """Nested lists as an array, NaN, Infinity and -Infinity as numbers, the rest as it is."""
    if isinstance(value, dict) and "typed" in value:
        return np.array(value["values"], dtype=value["typed"])
    plain_numbers = words_as_numbers(value)
    is_array = isinstance(value, list) and isinstance(flat_first(plain_numbers), (int, float))
    return np.array(plain_numbers) if is_array else plain_numbers


def words_as_numbers(value: Any) -> Any:
    """The same lists with the numbers that JSON lacks."""
    if isinstance(value, list):
        return [words_as_numbers(item) for item in value]
    return float(value) if value in ("NaN", "Infinity", "-Infinity") else value


def flat_first(value: Any) -> Any:
    """The first number of nested lists."""
    while isinstance(value, list) and value:
        value = value[0]
    return value


def to_json(value: Any) -> Any:
    """A kernel's result as plain JSON, a result record as an object with the same field names."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: to_json(getattr(value, field.name)) for field in dataclasses.fields(value)
        }
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {key: to_json(item) for key, item in value._asdict().items()}
    return plain(value)


METHODS: dict[str, Callable[..., Any]] = {
    "state": state,
    "set": set_state,
    "outputs": outputs,
    "kernel": kernel,
}


def call(page: Page, method: str, arguments: list[Any]) -> Any:
    """One call from the page by its name."""
    return METHODS[method](page, *arguments)
