"""The seam between Python and static/gpu: tensors on the device, operations, reading them back.

In the page a worker registers the JavaScript module as ``normscope_gpu``. Elsewhere there is none,
and everything says so. Nothing outside this module knows of JavaScript.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Notice = dict[str, str]

# The types a device holds, by what NumPy calls them.
TYPES: dict[np.dtype[Any], str] = {np.dtype(np.float32): "f32", np.dtype(np.float16): "f16"}
DTYPES = {name: dtype for dtype, name in TYPES.items()}

MODULE = "normscope_gpu"


class GpuFailed(Exception):
    """The device did not answer. NumPy does then.

    Attributes:
        key: which notice of static/gpu/notices.js says it, such as ``device-lost``.
    """

    def __init__(self, key: str, text: str) -> None:
        """The key and the words."""
        super().__init__(text)
        self.key = key


class Handle(Protocol):
    """A tensor on the device."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or float16."""


class Glue(Protocol):
    """What the device can do. Every method may raise `GpuFailed`."""

    def status(self) -> dict[str, Any]:
        """``available``, ``reason`` (key and text, or None) and ``facts`` about the adapter."""

    def say(self, key: str, detail: str = "") -> None:
        """Tell a notice, unless it was told before."""

    async def settled(self) -> None:
        """Wait until a device that was lost has been asked for again."""

    async def warm_up(self) -> None:
        """Compile what the first calls need."""

    def upload(self, array: Array) -> Handle:
        """A C-contiguous float32 or float16 array as a tensor."""

    def call(
        self, name: str, tensors: Mapping[str, Handle | None], options: Mapping[str, Any]
    ) -> dict[str, Handle]:
        """Run an operation of static/gpu/operations.js; nothing is waited for."""

    async def read(self, handles: Sequence[Handle]) -> list[Array]:
        """The values of tensors, with one wait."""

    async def idle(self) -> None:
        """Send what was called on its way, and wait until all of it has run."""

    def release(self, *handles: Handle) -> None:
        """Give tensors back."""


async def open_glue(
    on_notice: Callable[[Notice], None], base_url: str | None = None, **options: Any
) -> Glue:
    """The glue of this page, with the shaders that lie beside this file, or below ``base_url``.

    Raises:
        GpuFailed: this is no page, or its worker registered no ``normscope_gpu``.
    """
    try:
        module = importlib.import_module(MODULE)
    except ImportError:
        raise GpuFailed(
            "no-webgpu", "WebGPU is the browser's: there is none outside a page."
        ) from None
    from kernels.webgpu.pyodide_glue import PyodideGlue

    return await PyodideGlue.open(module, on_notice, base_url, shader_texts(), options)


def shader_texts() -> dict[str, str]:
    """The .wgsl files beside this module by their path; empty where they were not shipped so."""
    folder = Path(__file__).parent
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*.wgsl"))
    }
