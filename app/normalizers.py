"""Running a normalizer of the table on a tensor with named axes, by the public kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import kernels
from app.fields.kinds import Normalizer
from app.strings import listed, say
from app.strings.axes import READS
from app.tensor import Tensor
from kernels import NormResult
from kernels.axes import LAYOUTS, NORMALIZERS, Layout, group_ids
from kernels.formula import viewed

COLOURS = {
    "batch_norm": "bn",
    "layer_norm": "ln",
    "rms_norm": "rms",
    "group_norm": "gn",
    "instance_norm": "gn",
}


@dataclass(frozen=True)
class Affine:
    """γ and β, one each for every channel; `None` as a whole means 1 and 0."""

    weight: np.ndarray
    bias: np.ndarray

    def along(self, layout: Layout) -> tuple[np.ndarray, np.ndarray]:
        """Both in a shape that broadcasts against the tensor."""
        shape = [1] * layout.ndim
        shape[layout.channel] = -1
        return self.weight.reshape(shape), self.bias.reshape(shape)


@dataclass(frozen=True)
class Normalized:
    """A normalizer applied: the kernel's result, and everything a view says about it."""

    item: Normalizer
    title: str
    colour: str
    centered: bool
    axes: tuple[int, ...]
    result: NormResult
    groups: np.ndarray
    note: str
    affine: Affine | None
    asked: KernelCall

    def statistic(self, name: str, cell: tuple[int, ...]) -> float:
        """A statistic (mean, variance, mean_square, denominator) of the group of a cell."""
        value = np.broadcast_to(getattr(self.result, name), self.result.output.shape)
        return float(value[cell])


def is_standard(item: Normalizer, layout: Layout) -> bool:
    """Whether it reduces the axes its name stands for (and not axes picked by hand)."""
    return item.axes is None or item.axes == NORMALIZERS[item.family].axes(layout)


def title_of(item: Normalizer, layout: Layout) -> str:
    """Its name in prose; picked axes keep the family's name only while it still fits."""
    row = NORMALIZERS[item.family]
    if is_standard(item, layout):
        return row.title
    return say("centred" if row.centered else "not_centred")


def over(item: Normalizer, tensor: Tensor) -> str:
    """The axes it reduces, in words: "over B, T", and the number of groups where there are some."""
    axes = item.reduced(tensor.layout)
    if not axes:
        return say("over_nothing")
    text = say("over", axes=", ".join(tensor.names[axis] for axis in axes))
    if NORMALIZERS[item.family].grouped and is_standard(item, LAYOUTS[tensor.layout]):
        text = say("over_groups", over=text, groups=groups_for(item, tensor))
    return text


def reads(item: Normalizer, tensor: Tensor) -> str:
    """What one of its statistics is taken from: "one token's own features"."""
    if NORMALIZERS[item.family].grouped and is_standard(item, LAYOUTS[tensor.layout]):
        return say("reads_group")
    names = tuple(tensor.names[axis] for axis in item.reduced(tensor.layout))
    return READS.get(names) or say("reads_along", axes=listed(list(names)))


def with_axes(item: Normalizer, axes: tuple[int, ...], layout: Layout) -> Normalizer:
    """The normalizer with other axes, by its proper name where the table has one."""
    kernel = NORMALIZERS[item.family].kernel
    for family, row in NORMALIZERS.items():
        if row.kernel == kernel and row.axes(layout) == axes:
            return Normalizer(family, None, item.groups)
    return Normalizer(item.family, axes, item.groups)


def groups_for(item: Normalizer, tensor: Tensor) -> int:
    """The number of groups: the largest up to the one asked for that divides the channels."""
    channels = tensor.values.shape[LAYOUTS[tensor.layout].channel]
    return max(number for number in range(1, item.groups + 1) if channels % number == 0)


def apply(item: Normalizer, tensor: Tensor, eps: float, affine: Affine | None = None) -> Normalized:
    """Run the kernel that the row of the table names; for axes picked by hand, `normalize`."""
    layout, row = LAYOUTS[tensor.layout], NORMALIZERS[item.family]
    axes = item.reduced(tensor.layout)
    asked = asked_of(item, tensor, eps, affine)
    result = asked.run()
    grouped = row.grouped and is_standard(item, layout)
    groups = groups_for(item, tensor)
    cut = {"num_groups": groups, "channel_axis": layout.channel} if grouped else {}
    ids = group_ids(tensor.values.shape, axes, **cut)
    alone = row.running and result.output.size == int(ids.max()) + 1
    return Normalized(
        item=item,
        title=title_of(item, layout),
        colour=COLOURS[row.kernel],
        centered=row.centered,
        axes=axes,
        result=result,
        groups=ids,
        note=say("one_value") if alone else "",
        affine=affine,
        asked=asked,
    )


def asked_of(
    item: Normalizer, tensor: Tensor, eps: float, affine: Affine | None = None
) -> KernelCall:
    """Which kernel computes a normalizer, and with what."""
    layout, row = LAYOUTS[tensor.layout], NORMALIZERS[item.family]
    call = Call(
        tensor.values, layout, item.reduced(tensor.layout), eps, groups_for(item, tensor), affine
    )
    asked = CALLS[row.kernel](call) if is_standard(item, layout) else None
    return asked or _any_axes(call, row.centered)


@dataclass(frozen=True)
class KernelCall:
    """A public kernel by its name, its arguments, and what is done to its result."""

    name: str
    arguments: dict[str, Any]
    finish: Callable[[NormResult], NormResult] = lambda result: result

    def run(self) -> NormResult:
        """By NumPy."""
        return self.finish(getattr(kernels, self.name)(**self.arguments))


@dataclass(frozen=True)
class Call:
    """What a kernel needs to know."""

    x: np.ndarray
    layout: Layout
    axes: tuple[int, ...]
    eps: float
    groups: int
    affine: Affine | None

    def parameters(self, shape: tuple[int, ...]) -> dict[str, Any]:
        """γ and β as `normalized_shape` wants them: one for each element of the reduced axes."""
        if self.affine is None:
            return {}
        weight, bias = (
            np.broadcast_to(part, self.x.shape)[(0,) * (self.x.ndim - len(shape))]
            for part in self.affine.along(self.layout)
        )
        return {"weight": weight, "bias": bias}

    def per_channel(self) -> dict[str, Any]:
        """γ and β, one a channel."""
        if self.affine is None:
            return {}
        return {"weight": self.affine.weight, "bias": self.affine.bias}


def _any_axes(call: Call, center: bool) -> KernelCall:
    """`normalize` over the axes, and γ and β applied to what it gives."""
    arguments = {"x": call.x, "axes": call.axes, "center": center, "eps": call.eps}
    if call.affine is None:
        return KernelCall("normalize", arguments)
    weight, bias = call.affine.along(call.layout)
    shift = bias if center else 0.0
    return KernelCall(
        "normalize",
        arguments,
        lambda result: result._replace(output=result.normalized * weight + shift),
    )


def _batch(call: Call) -> KernelCall | None:
    if call.x.ndim < 2:
        return None
    arguments = {
        "x": call.x,
        "training": True,
        "eps": call.eps,
        "strict": False,
        "channel_axis": call.layout.channel,
    }
    return KernelCall("batch_norm", {**arguments, **call.per_channel()})


def trailing_shape(call: Call) -> tuple[int, ...] | None:
    """The normalized shape, when the axes are the last ones."""
    x, axes = call.x, call.axes
    return x.shape[axes[0] :] if axes and axes == tuple(range(axes[0], x.ndim)) else None


def _layer(call: Call) -> KernelCall | None:
    shape = trailing_shape(call)
    if shape is None:
        return None
    arguments = {"x": call.x, "normalized_shape": shape, "eps": call.eps}
    return KernelCall("layer_norm", {**arguments, **call.parameters(shape)})


def _rms(call: Call) -> KernelCall | None:
    shape = trailing_shape(call)
    if shape is None:
        return None
    weight = call.parameters(shape).get("weight")
    arguments = {"x": call.x, "normalized_shape": shape, "weight": weight, "eps": call.eps}
    return KernelCall("rms_norm", arguments)


def _channels_second(call: Call, name: str, **arguments: Any) -> KernelCall:
    """A kernel that wants [N, C, *], on a tensor whose channels are elsewhere."""
    x = call.x if call.x.ndim > 1 else call.x[None]
    channel = call.layout.channel if call.x.ndim > 1 else 1

    def back(value: np.ndarray) -> np.ndarray:
        moved = np.moveaxis(value, 1, channel)
        return moved if call.x.ndim > 1 else moved[0]

    arguments |= {"x": np.moveaxis(x, channel, 1), "eps": call.eps, "strict": False}
    return KernelCall(
        name,
        {**arguments, **call.per_channel()},
        lambda result: viewed(result, back, back, call.axes),
    )


def _group(call: Call) -> KernelCall:
    return _channels_second(call, "group_norm", num_groups=call.groups)


def _instance(call: Call) -> KernelCall | None:
    return _channels_second(call, "instance_norm") if call.axes else None


CALLS: dict[str, Callable[[Call], KernelCall | None]] = {
    "batch_norm": _batch,
    "layer_norm": _layer,
    "rms_norm": _rms,
    "group_norm": _group,
    "instance_norm": _instance,
}
