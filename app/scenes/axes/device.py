"""The normalizers by the graphics processor, where the switch behind the chip asks for it.

The tensors of this scene are small and in float64, so NumPy is the faster and the more exact one,
and `auto` never comes here. Forced, the device's float32 results take the place of NumPy's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from app.normalizers import Normalized
from kernels import webgpu
from kernels.webgpu.later import Later

if TYPE_CHECKING:
    from app.scenes.axes.scene import AxesScene

# What the scene shows anew when results are others: all that follows from a change of ε.
RESULTS = frozenset({"eps"})


def on_device(scene: AxesScene) -> Iterator[Later]:
    """Work for the background: each normalizer that has a shader, then all shown at once.

    Where the device cannot, NumPy answers in its place, in float64, and the chip says so.
    """
    milliseconds, answered = 0.0, set()
    for place, one in enumerate(scene.normalized):
        if one.asked.name not in webgpu.KERNELS:
            continue
        yield Later(partial(_answer, scene, place, one))
        run = webgpu.last_run()
        if run is not None:
            milliseconds += run.milliseconds
            answered.add(run.backend)
    if answered:
        backend = "WebGPU" if "webgpu" in answered else "NumPy"
        scene.application.ran(backend, milliseconds)
        scene.show(RESULTS)


async def _answer(scene: AxesScene, place: int, one: Normalized) -> None:
    asked = one.asked
    result = await webgpu.run(asked.name, backend="webgpu", **asked.arguments)
    if scene.normalized[place] is one:
        scene.normalized[place] = replace(one, result=asked.finish(result))
