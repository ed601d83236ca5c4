"""Which elements share a statistic: axes, groups, named layouts and the table of normalizers.

Everything here is data. A normalizer is a row that says which *roles* of a layout it reduces over,
and `group_ids` turns axes into an array of group numbers: whoever draws or explains a normalizer
reads these and knows nothing else about it.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from kernels.arguments import as_index


@dataclass(frozen=True)
class Layout:
    """A named order of axes, as papers and frameworks write it.

    Attributes:
        name: the notation, such as ``[B,T,d]``.
        axis_names: one name an axis.
        batch: axes along which samples are independent of each other.
        channel: the axis along which BatchNorm keeps one statistic each.
        spatial: the remaining axes: time, length, height, width.
    """

    name: str
    axis_names: tuple[str, ...]
    batch: tuple[int, ...]
    channel: int
    spatial: tuple[int, ...]

    @property
    def ndim(self) -> int:
        """The rank of a tensor in this layout."""
        return len(self.axis_names)

    def axes_of(self, roles: Iterable[str]) -> tuple[int, ...]:
        """The axes, ascending, that play one of ``roles`` (``batch``, ``spatial``, ``channel``)."""
        by_role = {"batch": self.batch, "spatial": self.spatial, "channel": (self.channel,)}
        return tuple(sorted(axis for role in roles for axis in by_role[role]))


LAYOUTS: dict[str, Layout] = {
    layout.name: layout
    for layout in (
        Layout("[d]", ("d",), batch=(), channel=0, spatial=()),
        Layout("[B,T,d]", ("B", "T", "d"), batch=(0,), channel=2, spatial=(1,)),
        Layout("[N,C]", ("N", "C"), batch=(0,), channel=1, spatial=()),
        Layout("[N,C,L]", ("N", "C", "L"), batch=(0,), channel=1, spatial=(2,)),
        Layout("[N,C,H,W]", ("N", "C", "H", "W"), batch=(0,), channel=1, spatial=(2, 3)),
    )
}


@dataclass(frozen=True)
class Normalizer:
    """One row of the family: the single place where the members differ.

    Attributes:
        kernel: the function in `kernels` that computes it.
        title: its name in prose.
        reduces: the roles over which one statistic is taken.
        centered: whether the mean is subtracted (RMSNorm does not).
        affine: where γ and β lie: ``"channel"`` (one pair a channel) or ``"reduced"`` (one pair
            for each element of the reduced axes, as ``normalized_shape`` says).
        grouped: whether the channel axis is cut into ``num_groups`` parts first.
        running: whether running statistics are kept for evaluation.
    """

    kernel: str
    title: str
    reduces: frozenset[str]
    centered: bool
    affine: str
    grouped: bool = False
    running: bool = False

    def axes(self, layout: Layout) -> tuple[int, ...]:
        """The axes of ``layout`` over which this normalizer takes one statistic."""
        return layout.axes_of(self.reduces)


_TOKEN = frozenset({"channel"})
_SAMPLE = frozenset({"spatial", "channel"})
_CHANNEL = frozenset({"batch", "spatial"})
_INSTANCE = frozenset({"spatial"})

NORMALIZERS: dict[str, Normalizer] = {
    "batch": Normalizer("batch_norm", "BatchNorm", _CHANNEL, True, "channel", running=True),
    "layer": Normalizer("layer_norm", "LayerNorm", _TOKEN, True, "reduced"),
    "layer_sample": Normalizer("layer_norm", "LayerNorm", _SAMPLE, True, "reduced"),
    "rms": Normalizer("rms_norm", "RMSNorm", _TOKEN, False, "reduced"),
    "rms_sample": Normalizer("rms_norm", "RMSNorm", _SAMPLE, False, "reduced"),
    "group": Normalizer("group_norm", "GroupNorm", _SAMPLE, True, "channel", grouped=True),
    "instance": Normalizer(
        "instance_norm", "InstanceNorm", _INSTANCE, True, "channel", running=True
    ),
}


def resolve_axes(
    axes: SupportsIndex | Iterable[SupportsIndex] | None, ndim: int, name: str = "axes"
) -> tuple[int, ...]:
    """Ascending, non-negative axes from one axis, several, or ``None`` for all of them.

    Raises:
        TypeError: an axis is not an integer.
        ValueError: an axis is out of range or given twice (``-1`` and ``ndim - 1`` are the same).
    """
    if type(axes) is int and -ndim <= axes < ndim:
        return (axes % ndim,)
    if axes is None:
        return tuple(range(ndim))
    given = tuple(axes) if isinstance(axes, Iterable) else (axes,)
    resolved: dict[int, SupportsIndex] = {}
    for axis in given:
        index = as_index(name, axis)
        if not -ndim <= index < ndim:
            allowed = f"{-ndim} to {ndim - 1}" if ndim else "none, since it is a scalar"
            raise ValueError(
                f"{name}: axis {index} is out of range for an array with {ndim} dimensions "
                f"(allowed: {allowed})"
            )
        positive = index % ndim
        if positive in resolved:
            raise ValueError(
                f"{name}: duplicate axis {positive}, given as {resolved[positive]} and as {axis}"
            )
        resolved[positive] = axis
    return tuple(sorted(resolved))


@lru_cache(maxsize=64)
def trailing_axes(ndim: int, count: int) -> tuple[int, ...]:
    """The last ``count`` of ``ndim`` axes."""
    return tuple(range(ndim - count, ndim))


def check_groups(num_channels: int, num_groups: SupportsIndex) -> int:
    """``num_groups`` as an int, when it divides the number of channels.

    Raises:
        ValueError: ``num_groups`` is below 1, or the channels are not divisible by it.
    """
    groups = as_index("num_groups", num_groups)
    if groups < 1:
        raise ValueError(f"num_groups: expected a positive number, got {groups}")
    if num_channels % groups:
        raise ValueError(
            f"num_groups: the number of channels must be divisible by num_groups, but "
            f"{num_channels} channels are not divisible by {groups} groups"
        )
    return groups


def group_ids(
    shape: tuple[int, ...],
    axes: SupportsIndex | Iterable[SupportsIndex] | None,
    *,
    num_groups: SupportsIndex | None = None,
    channel_axis: SupportsIndex | None = None,
) -> npt.NDArray[np.intp]:
    """An array of ``shape`` in which equal numbers share a statistic.

    Args:
        shape: the tensor's shape.
        axes: the axes reduced over.
        num_groups: GroupNorm: cut ``channel_axis`` into this many groups. The channel axis
            must be among ``axes``.
        channel_axis: the axis that ``num_groups`` cuts; 1 when not given, as in ``[N,C,*]``.

    Returns:
        Integers from 0, numbered in the order in which a reader meets them.

    Raises:
        ValueError: a bad axis, or groups that do not divide the channels.
    """
    ndim = len(shape)
    reduced = resolve_axes(axes, ndim)
    # What tells one group from the next: the index along each axis kept, and the group's number.
    index_along = [np.arange(size) for size in shape]
    if num_groups is not None:
        channel = resolve_axes(1 if channel_axis is None else channel_axis, ndim, "channel_axis")[0]
        if channel not in reduced:
            raise ValueError(f"axes: must include the channel axis {channel} that num_groups cuts")
        groups = check_groups(shape[channel], num_groups)
        index_along[channel] //= max(shape[channel] // groups, 1)
        reduced = tuple(axis for axis in reduced if axis != channel)
    ids = np.zeros(shape, np.intp)
    for axis in range(ndim):
        if axis not in reduced and shape[axis]:
            along = index_along[axis]
            ids = ids * (int(along[-1]) + 1) + along.reshape(
                [-1 if other == axis else 1 for other in range(ndim)]
            )
    return ids


def group_size(shape: tuple[int, ...], axes: Iterable[int]) -> int:
    """How many values of a tensor of ``shape`` share one statistic over ``axes``."""
    return math.prod(shape[axis] for axis in axes)
