"""Tensors that stay on the device between the steps of one computation.

    with webgpu.scope() as gpu:
        x = gpu.tensor(array)
        y = (x.normalize() @ weight + x).softmax()
        result = await y.numpy()

Nothing is waited for until `Tensor.numpy`; leaving the scope gives every tensor back. Errors of the
device come as `GpuFailed`: the caller does the whole computation again with NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from kernels.webgpu import api
from kernels.webgpu.glue import Array, Glue, Handle
from kernels.webgpu.matrices import View, parameters, product_of


@dataclass(frozen=True, eq=False)
class Tensor:
    """float32 values on the device.

    Attributes:
        scope: what gives it back.
        handle: the device's name for it.
        shape: its shape.
    """

    scope: Scope
    handle: Handle
    shape: tuple[int, ...]

    def __add__(self, other: Tensor) -> Tensor:
        """x + z, of one shape."""
        return self.plus(other)

    def __mul__(self, factor: float) -> Tensor:
        """factor · x."""
        return self.plus(self, factor, 0.0)

    def __matmul__(self, other: Tensor) -> Tensor:
        """A·B for matrices or stacks of them."""
        return self.product(other)

    def plus(self, other: Tensor, factor: float = 1.0, other_factor: float = 1.0) -> Tensor:
        """factor · x + other_factor · z, of one shape."""
        if other.shape != self.shape:
            raise ValueError(f"other: expected shape {self.shape}, got {other.shape}")
        factors = {"x_factor": factor, "z_factor": other_factor}
        return self.scope.call("add", {"x": self, "z": other}, factors)

    def product(self, other: Tensor, *, transposed: bool = False, factor: float = 1.0) -> Tensor:
        """factor · A·B, or factor · A·Bᵀ."""
        shape, params = product_of(self.shape, other.shape, transposed=transposed)
        what = {"shape": shape, "params": {**params, "factor": factor}}
        return self.scope.call("matmul", {"a": self, "b": other}, what)

    def copy(self) -> Tensor:
        """The same values elsewhere: what the device's memory can do."""
        return self.scope.call("copy", {"x": self}, {})

    def normalize(self, *, center: bool = True, eps: float = 1e-5) -> Tensor:
        """Rows of the last axis normalized, as LayerNorm or RMSNorm without γ and β."""
        options = {"axes": [len(self.shape) - 1], "center": center, "eps": eps}
        return self.scope.call("normalize", {"x": self}, options)

    def normalize_backward(
        self, gradient: Tensor, *, center: bool = True, eps: float = 1e-5
    ) -> Tensor:
        """∂L/∂x for x this tensor, from the gradient of `normalize`."""
        options = {"axes": [len(self.shape) - 1], "center": center, "eps": eps}
        given = {"x": self, "gradient": gradient}
        return self.scope.call("normalize_backward", given, options, result="x")

    def softmax(self) -> Tensor:
        """Over the last axis."""
        options = {"axes": [len(self.shape) - 1], "temperature": 1.0}
        return self.scope.call("softmax", {"x": self}, options)

    def softmax_backward(self, gradient: Tensor, factor: float = 1.0) -> Tensor:
        """factor · ∂L/∂scores, this tensor being the probabilities."""
        return self.scope.call(
            "softmax_backward", {"x": self, "gradient": gradient}, {"factor": factor}
        )

    def gelu(self) -> Tensor:
        """GELU by its tanh form."""
        return self.scope.call("gelu", {"x": self}, {})

    def gelu_backward(self, gradient: Tensor) -> Tensor:
        """∂L/∂x for x this tensor."""
        return self.scope.call("gelu_backward", {"x": self, "gradient": gradient}, {})

    def mean_square(self) -> Tensor:
        """E[x²] over all values, as the planes of kernels/webgpu/common/statistics.wgsl."""
        options = {"axes": list(range(len(self.shape)))}
        return self.scope.call("mean_square", {"x": self}, options, result="statistics")

    async def numpy(self) -> Array:
        """The values."""
        (values,) = await self.scope.read(self)
        return values


class Scope:
    """Tensors that are given back together."""

    def __init__(self, glue: Glue) -> None:
        """On a device."""
        self._glue = glue
        self._tensors: list[Tensor] = []
        self._kept_open = False

    def __enter__(self) -> Scope:
        """Itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give all tensors back, unless `keep_open` was called."""
        if kind is not None or not self._kept_open:
            self.close()

    def keep_open(self) -> None:
        """Keep the tensors beyond the ``with``, until `close`."""
        self._kept_open = True

    def close(self) -> None:
        """Give all tensors back."""
        self._glue.release(*(tensor.handle for tensor in self._tensors))
        self._tensors.clear()

    def tensor(self, array: npt.ArrayLike) -> Tensor:
        """A copy of ``array`` on the device, as float32."""
        values = np.ascontiguousarray(array, np.float32)
        return self._kept(self._glue.upload(values), values.shape)

    def call(
        self,
        name: str,
        tensors: dict[str, Tensor],
        options: dict[str, Any],
        *,
        result: str = "output",
    ) -> Tensor:
        """One of the results of an operation of static/gpu/operations.js."""
        handles = {key: tensor.handle for key, tensor in tensors.items()}
        results = self._glue.call(name, handles, options)
        kept = results.pop(result)
        self._glue.release(*results.values())
        return self._kept(kept, tuple(kept.shape))

    def multiplied(
        self,
        operands: tuple[Tensor, Tensor],
        size: tuple[int, int, int],
        views: tuple[View, View, View],
        shape: Sequence[int],
        *,
        matrices: int = 1,
        inner: int = 1,
        **fields: float,
    ) -> Tensor:
        """Products of matrices wherever they lie inside tensors; fields as matrix_params.wgsl.

        With ``causal`` or ``soft_cap`` among the fields the results are attention scores.
        """
        params = {**parameters(matrices, size, *views, inner), **fields}
        name = "attention_scores" if {"causal", "soft_cap"} & fields.keys() else "matmul"
        a, b = operands
        return self.call(name, {"a": a, "b": b}, {"shape": list(shape), "params": params})

    async def idle(self) -> None:
        """Send what was called on its way, and wait until all of it has run: for benchmarks."""
        await self._glue.idle()

    async def read(self, *tensors: Tensor) -> list[Array]:
        """The values of several tensors, with one wait."""
        values = await self._glue.read([tensor.handle for tensor in tensors])
        return [array.reshape(tensor.shape) for array, tensor in zip(values, tensors, strict=True)]

    def _kept(self, handle: Handle, shape: tuple[int, ...]) -> Tensor:
        tensor = Tensor(self, handle, shape)
        self._tensors.append(tensor)
        return tensor


@contextmanager
def scope(glue: Glue | None = None) -> Iterator[Scope]:
    """A scope on a device, that of this interpreter where none is given.

    Raises:
        GpuFailed: there is none, or it fails inside.
    """
    with Scope(glue or api.BACKEND.glue) as opened:
        yield opened
