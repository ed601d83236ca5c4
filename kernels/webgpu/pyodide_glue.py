"""The glue in Pyodide: arrays cross as views of WebAssembly's memory, copied once each way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernels.webgpu.glue import DTYPES, TYPES, Array, GpuFailed, Handle, Notice


@dataclass(frozen=True, slots=True)
class JsTensor:
    """A tensor of memory.js.

    Attributes:
        js: the JavaScript object.
        shape: its shape.
        dtype: float32 or float16.
    """

    js: Any
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


class PyodideGlue:
    """`kernels.webgpu.glue.Glue` over the object that `createGpu` of gpu.js gives."""

    def __init__(self, gpu: Any) -> None:
        """Over a JavaScript object."""
        self._gpu = gpu

    @classmethod
    async def open(
        cls,
        module: Any,
        on_notice: Callable[[Notice], None],
        base_url: str | None,
        texts: Mapping[str, str],
        options: Mapping[str, Any],
    ) -> PyodideGlue:
        """Ask for a device; where there is none, `status` says why."""
        from pyodide.ffi import create_proxy  # type: ignore[import-not-found]

        given = dict(options)
        if base_url is None:
            given["texts"] = dict(texts)
        else:
            given["baseURL"] = base_url
        given["onNotice"] = create_proxy(lambda notice: on_notice(notice.to_py()))
        return cls(await module.createGpu(_plain(given)))

    def status(self) -> dict[str, Any]:
        """See `Glue`."""
        reason, facts = self._gpu.reason, self._gpu.facts
        return {
            "available": bool(self._gpu.available),
            "reason": reason.to_py() if reason else None,
            "facts": facts.to_py() if facts else None,
        }

    def say(self, key: str, detail: str = "") -> None:
        """See `Glue`."""
        self._gpu.say(key, detail)

    async def settled(self) -> None:
        """See `Glue`."""
        await self._gpu.settled()

    async def warm_up(self) -> None:
        """See `Glue`."""
        try:
            await self._gpu.warmUp()
        except Exception as error:
            raise _failure(error) from error

    def upload(self, array: Array) -> Handle:
        """See `Glue`."""
        flat = np.ascontiguousarray(array)
        try:
            tensor = self._gpu.upload(flat.reshape(-1), _plain(array.shape), TYPES[array.dtype])
        except Exception as error:
            raise _failure(error) from error
        return JsTensor(tensor, array.shape, array.dtype)

    def call(
        self, name: str, tensors: Mapping[str, Handle | None], options: Mapping[str, Any]
    ) -> dict[str, Handle]:
        """See `Glue`."""
        given = {key: t.js for key, t in tensors.items() if isinstance(t, JsTensor)}
        try:
            results = self._gpu.call(name, _plain(given), _plain(dict(options)))
        except Exception as error:
            raise _failure(error) from error
        return {
            key: JsTensor(tensor, tuple(tensor.shape.to_py()), DTYPES[tensor.type])
            for key, tensor in results.to_py(depth=1).items()
        }

    async def read(self, handles: Sequence[Handle]) -> list[Array]:
        """See `Glue`."""
        from pyodide.ffi import create_proxy

        arrays = [np.empty(handle.shape, handle.dtype) for handle in handles]

        def take(views: Any) -> None:
            for view, array in zip(views, arrays, strict=True):
                if array.nbytes:
                    view.subarray(0, array.nbytes).assign_to(array.reshape(-1).view(np.uint8))

        proxy = create_proxy(take)
        try:
            await self._gpu.read(_plain([handle.js for handle in handles]), proxy)  # type: ignore[attr-defined]
        except Exception as error:
            raise _failure(error) from error
        finally:
            proxy.destroy()
        return arrays

    async def idle(self) -> None:
        """See `Glue`."""
        try:
            await self._gpu.idle()
        except Exception as error:
            raise _failure(error) from error

    def release(self, *handles: Handle) -> None:
        """See `Glue`."""
        self._gpu.release(*(handle.js for handle in handles if isinstance(handle, JsTensor)))


def _plain(value: Any) -> Any:
    """A JavaScript object or array with the same contents."""
    import js  # type: ignore[import-not-found]
    from pyodide.ffi import to_js

    return to_js(value, dict_converter=js.Object.fromEntries)


def _failure(error: Exception) -> Exception:
    """A `GpuError` of notices.js as `GpuFailed`; anything else is a fault of ours and stays."""
    key = getattr(error, "key", None)
    text = getattr(error, "message", None) or str(error)
    return GpuFailed(str(key), str(text)) if key else error
