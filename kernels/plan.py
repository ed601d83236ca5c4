"""The standard form of a tensor for a reduction: axes in memory order, neighbours merged."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


class Plan(NamedTuple):
    """How a tensor is brought into standard form, and its results back.

    Attributes:
        order: the axes of the tensor, the one with the largest stride first.
        full_shape: the shape in that order.
        shape: the shape after merging.
        kinds: a letter for each merged axis: R when it is reduced, K when it is kept.
        carriers: for weight and for bias, whether they vary along each merged axis.
    """

    order: tuple[int, ...]
    full_shape: tuple[int, ...]
    shape: tuple[int, ...]
    kinds: str
    carriers: tuple[tuple[bool, ...], ...]

    def tensor(self, x: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """x in standard form: a view, since only what lies in one piece was merged."""
        return x.transpose(self.order).reshape(self.shape)

    def parameter(self, value: npt.NDArray[Any], index: int) -> npt.NDArray[Any]:
        """Weight (``index`` 0) or bias (1) in standard form."""
        carrier = self.carriers[index]
        sizes = [size if carried else 1 for size, carried in zip(self.shape, carrier, strict=True)]
        return value.transpose(self.order).reshape(sizes)

    def statistic_shape(self) -> tuple[int, ...]:
        """The shape of a statistic in standard form: 1 along each reduced axis."""
        return tuple(
            1 if kind == "R" else size for kind, size in zip(self.kinds, self.shape, strict=True)
        )

    def tensor_back(self, result: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """A result of the tensor's size with the tensor's axes, in the memory order of x."""
        return result.reshape(self.full_shape).transpose(np.argsort(self.order))

    def statistic_back(
        self, statistic: npt.NDArray[Any], axes: tuple[int, ...]
    ) -> npt.NDArray[Any]:
        """A statistic with the tensor's axes, 1 along the reduced ones."""
        sizes = [
            1 if axis in axes else size
            for axis, size in zip(self.order, self.full_shape, strict=True)
        ]
        return statistic.reshape(sizes).transpose(np.argsort(self.order))


def plan(x: npt.NDArray[Any], axes: tuple[int, ...], *parameters: npt.NDArray[Any] | None) -> Plan:
    """The standard form of x for a reduction over ``axes``.

    Two neighbours become one when they are of the same kind, when each parameter varies along both
    or along neither, and when they lie in one piece. Axes of one index vanish.
    """
    order = tuple(sorted(range(x.ndim), key=lambda axis: -abs(x.strides[axis])))
    sizes: list[int] = []
    kinds: list[str] = []
    carriers: list[list[bool]] = []
    last_stride = 0
    for axis in order:
        size, stride = x.shape[axis], x.strides[axis]
        if size == 1:
            continue
        kind = "R" if axis in axes else "K"
        carried = [value is not None and value.shape[axis] > 1 for value in parameters]
        joins = kinds and kinds[-1] == kind and carriers[-1] == carried
        if joins and last_stride == stride * size:
            sizes[-1] *= size
        else:
            sizes.append(size)
            kinds.append(kind)
            carriers.append(carried)
        last_stride = stride
    return Plan(
        order,
        tuple(x.shape[axis] for axis in order),
        tuple(sizes),
        "".join(kinds),
        tuple(zip(*carriers, strict=True)),
    )
