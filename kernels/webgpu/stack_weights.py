"""The stack's weights on the device: drawn by NumPy, sent once, kept up to a limit."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import AbstractContextManager

from kernels.stack_settings import StackSettings
from kernels.webgpu.glue import Glue
from kernels.webgpu.stack_layer import DeviceLayer
from kernels.webgpu.tensors import Scope, scope
from kernels.weights import WeightStore


class DeviceWeights:
    """Layers by (seed, width, layer). The numbers are those of `WeightStore`, in float32.

    Every placement runs on the same ones, so they are drawn and sent once. What goes over the limit
    takes the place of the layers longest unused.
    """

    def __init__(
        self, store: WeightStore, limit_bytes: int = 2 * 2**30, glue: Glue | None = None
    ) -> None:
        """From a store of drawn weights, on the device of `scope`."""
        self._store = store
        self._glue = glue
        self.limit_bytes = limit_bytes
        self._layers: OrderedDict[tuple[int, int, int], tuple[Scope, DeviceLayer, int]] = (
            OrderedDict()
        )
        self._bytes = 0

    def layer(self, settings: StackSettings, index: int) -> DeviceLayer:
        """The weights of a layer of these settings."""
        key = settings.seed, settings.width, 0 if settings.shared_layers else index
        if key not in self._layers:
            self._send(key)
        self._layers.move_to_end(key)
        return self._layers[key][1]

    def open_scope(self) -> AbstractContextManager[Scope]:
        """Tensors beside the weights, for one computation."""
        return scope(self._glue)

    def held(self, settings: StackSettings) -> bool:
        """Whether the first and the last layer are there."""
        last = 0 if settings.shared_layers else settings.depth - 1
        keys = [(settings.seed, settings.width, layer) for layer in (0, last)]
        return all(key in self._layers for key in keys)

    def _send(self, key: tuple[int, int, int]) -> None:
        drawn = self._store.layer(*key)
        matrices = drawn.query_key_value, drawn.output, drawn.hidden, drawn.down
        size = sum(matrix.nbytes for matrix in matrices)
        while self._layers and self._bytes + size > self.limit_bytes:
            opened, _, freed = self._layers.popitem(last=False)[1]
            opened.close()
            self._bytes -= freed
        with scope(self._glue) as opened:
            layer = DeviceLayer(*(opened.tensor(matrix) for matrix in matrices))
            opened.keep_open()
        self._layers[key] = opened, layer, size
        self._bytes += size

    def clear(self) -> None:
        """Forget everything: the device that held it is gone, or its memory is full."""
        for opened, _, _ in self._layers.values():
            opened.close()
        self._layers.clear()
        self._bytes = 0
