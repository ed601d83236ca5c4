"""Running a normalizer of the table on a tensor with named axes, by the public kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import kernels
from app.fields.kinds import Normalizer
from app.strings import listed, say
from app.strings.axes import READS
from app.tensor import Tensor
from kernels import NormResult
from kernels.axes import LAYOUTS, NORMALIZERS, Layout, group_ids

COLOURS = {
    "batch_norm": "bn",
    "layer_norm": "ln",
    "rms_norm": "rms",
    "group_norm": "gn",
    "instance_norm": "gn",
}


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
    """The axes it reduces, in words: "over B, T"."""
    axes = item.reduced(tensor.layout)
    if not axes:
        return say("over_nothing")
    return say("over", axes=", ".join(tensor.names[axis] for axis in axes))


def reads(item: Normalizer, tensor: Tensor) -> str:
    """What one of its statistics is taken from: "one token's own features"."""
    names = tuple(tensor.names[axis] for axis in item.reduced(tensor.layout))
    return READS.get(names) or say("reads_along", axes=listed(list(names)))


def with_axes(item: Normalizer, axes: tuple[int, ...], layout: Layout) -> Normalizer:
    """The normalizer with other axes, by its proper name where the table has one."""
    kernel = NORMALIZERS[item.family].kernel
    for family, row in NORMALIZERS.items():
        if row.kernel == kernel and row.axes(layout) == axes:
            return Normalizer(family, None, item.groups)
    return Normalizer(item.family, axes, item.groups)


def apply(item: Normalizer, tensor: Tensor, eps: float) -> Normalized:
    """Run the kernel that the row of the table names; by hand-picked axes, `normalize`."""
    layout, row = LAYOUTS[tensor.layout], NORMALIZERS[item.family]
    axes = item.reduced(tensor.layout)
    run = KERNELS[row.kernel]
    result = run(tensor.values, layout, axes, item, eps) if is_standard(item, layout) else None
    if result is None:
        result = kernels.normalize(tensor.values, axes, center=row.centered, eps=eps)
    grouped = {"num_groups": item.groups, "channel_axis": layout.channel} if row.grouped else {}
    groups = group_ids(tensor.values.shape, axes, **grouped)
    alone = row.running and result.output.size == groups.max() + 1
    return Normalized(
        item=item,
        title=title_of(item, layout),
        colour=COLOURS[row.kernel],
        centered=row.centered,
        axes=axes,
        result=result,
        groups=groups,
        note=say("one_value") if alone else "",
    )


Run = Callable[[np.ndarray, Layout, tuple[int, ...], Normalizer, float], NormResult | None]


def _batch(
    x: np.ndarray, layout: Layout, axes: tuple[int, ...], item: Normalizer, eps: float
) -> NormResult | None:
    if x.ndim < 2:
        return None
    channel = layout.channel
    return kernels.batch_norm(x, training=True, eps=eps, strict=False, channel_axis=channel)


def _trailing(x: np.ndarray, axes: tuple[int, ...]) -> tuple[int, ...] | None:
    """The normalized shape, when the axes are the last ones."""
    return x.shape[axes[0] :] if axes and axes == tuple(range(axes[0], x.ndim)) else None


def _layer(
    x: np.ndarray, layout: Layout, axes: tuple[int, ...], item: Normalizer, eps: float
) -> NormResult | None:
    shape = _trailing(x, axes)
    return None if shape is None else kernels.layer_norm(x, shape, eps=eps)


def _rms(
    x: np.ndarray, layout: Layout, axes: tuple[int, ...], item: Normalizer, eps: float
) -> NormResult | None:
    shape = _trailing(x, axes)
    return None if shape is None else kernels.rms_norm(x, shape, eps=eps)


def _any(
    x: np.ndarray, layout: Layout, axes: tuple[int, ...], item: Normalizer, eps: float
) -> NormResult | None:
    return None


KERNELS: dict[str, Run] = {
    "batch_norm": _batch,
    "layer_norm": _layer,
    "rms_norm": _rms,
    "group_norm": _any,
    "instance_norm": _any,
}
