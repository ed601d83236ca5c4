"""The computation on show as code: the NumPy that ran, and the same in PyTorch."""

from __future__ import annotations

import math

import numpy as np

from app.normalizers import Affine, Normalized, groups_for, is_standard
from app.source import script_of
from app.tensor import Tensor
from kernels.axes import LAYOUTS, NORMALIZERS, Layout


def literal(values: np.ndarray, name: str = "np") -> str:
    """Nested lists that read back as the same numbers."""
    constants = {"np": ("np.nan", "np.inf"), "torch": ("torch.nan", "torch.inf")}[name]

    def number(value: float) -> str:
        if math.isnan(value):
            return constants[0]
        if math.isinf(value):
            return constants[1] if value > 0 else f"-{constants[1]}"
        return repr(float(value)).removesuffix(".0") if value == int(value) else repr(float(value))

    def nested(part: np.ndarray, depth: int) -> str:
        if part.ndim == 1:
            return "[" + ", ".join(number(value) for value in part.tolist()) + "]"
        gap = ",\n" + " " * (depth + 1)
        return "[" + gap.join(nested(inner, depth + 1) for inner in part) + "]"

    return nested(values, 0)


def indented(text: str, by: int) -> str:
    """A literal's later lines, under its first."""
    return text.replace("\n", "\n" + " " * by)


def numpy_code(one: Normalized, tensor: Tensor, eps: float) -> str:
    """The kernel that ran, from its source, with all it uses, and the call on the tensor."""
    row, layout = NORMALIZERS[one.item.family], LAYOUTS[tensor.layout]
    kernel = row.kernel if runs_kernel(one, tensor) else "normalize"
    lines = [f"x = np.array({indented(literal(tensor.values), 13)}, dtype=np.float64)"]
    call = NUMPY_CALLS[kernel](one, tensor, eps, layout)
    affine = affine_lines(one.affine, "np") if one.affine is not None else []
    lines += [*affine, f"result = {call}"]
    output = "result.output"
    if kernel == "normalize" and one.affine is not None:
        shape = channel_shape(layout)
        shift = f" + bias.reshape({shape})" if one.centered else ""
        output = f"result.normalized * weight.reshape({shape}){shift}"
    elif kernel == "group_norm" and layout.ndim == 1:
        output = "result.output[0]"
    elif moved(kernel, layout):
        output = f"np.moveaxis(result.output, 1, {layout.channel})"
    lines.append(f"print({output})")
    return script_of(kernel) + "\n\n" + "\n".join(lines) + "\n"


def runs_kernel(one: Normalized, tensor: Tensor) -> bool:
    """Whether the family's own kernel ran, and not `normalize`."""
    layout, row = LAYOUTS[tensor.layout], NORMALIZERS[one.item.family]
    if not is_standard(one.item, layout):
        return False
    if row.kernel in ("layer_norm", "rms_norm"):
        return bool(one.axes) and one.axes == tuple(range(one.axes[0], layout.ndim))
    if row.kernel == "instance_norm":
        return bool(one.axes) and layout.ndim > 1
    return layout.ndim > 1 or row.kernel == "group_norm"


def moved(kernel: str, layout: Layout) -> bool:
    """Whether a kernel that wants [N, C, *] had the channels moved to it."""
    return kernel in ("group_norm", "instance_norm") and layout.channel != 1


def channel_shape(layout: Layout) -> str:
    """The shape in which one number a channel broadcasts: (1, 1, -1)."""
    return str(tuple(-1 if axis == layout.channel else 1 for axis in range(layout.ndim)))


def affine_lines(affine: Affine, name: str) -> list[str]:
    """γ and β as assignments."""
    make = "np.array" if name == "np" else "torch.tensor"
    dtype = f", dtype={name}.float64"
    return [
        f"weight = {make}({literal(affine.weight, name)}{dtype})",
        f"bias = {make}({literal(affine.bias, name)}{dtype})",
    ]


def parameters(one: Normalized, tensor: Tensor, shape: tuple[int, ...] | None, bias: bool) -> str:
    """weight=…, bias=… for a call, in the shape it wants."""
    if one.affine is None:
        return ""
    layout = LAYOUTS[tensor.layout]
    tail = ""
    if shape is not None and len(shape) > 1:
        place = layout.channel - (layout.ndim - len(shape))
        along = tuple(-1 if axis == place else 1 for axis in range(len(shape)))
        tail = f".reshape({along}) * np.ones({shape})"
    weight = f", weight=weight{tail}"
    return weight + (f", bias=bias{tail}" if bias else "")


def _x(kernel: str, layout: Layout) -> str:
    if layout.ndim == 1:
        return "x[None]"
    return f"np.moveaxis(x, {layout.channel}, 1)" if moved(kernel, layout) else "x"


def _normalize(one: Normalized, tensor: Tensor, eps: float, layout: Layout) -> str:
    return f"normalize(x, {one.axes}, center={one.centered}, eps={eps!r})"


def _batch(one: Normalized, tensor: Tensor, eps: float, layout: Layout) -> str:
    rest = parameters(one, tensor, None, True)
    return (
        f"batch_norm(x, training=True, eps={eps!r}, strict=False, "
        f"channel_axis={layout.channel}{rest})"
    )


def _layer(one: Normalized, tensor: Tensor, eps: float, layout: Layout) -> str:
    shape = tensor.values.shape[one.axes[0] :]
    return f"layer_norm(x, {shape}, eps={eps!r}{parameters(one, tensor, shape, True)})"


def _rms(one: Normalized, tensor: Tensor, eps: float, layout: Layout) -> str:
    shape = tensor.values.shape[one.axes[0] :]
    return f"rms_norm(x, {shape}, eps={eps!r}{parameters(one, tensor, shape, False)})"


def _group(one: Normalized, tensor: Tensor, eps: float, layout: Layout) -> str:
    groups = groups_for(one.item, tensor)
    rest = parameters(one, tensor, None, True)
    return f"group_norm({_x('group_norm', layout)}, {groups}, eps={eps!r}, strict=False{rest})"


def _instance(one: Normalized, tensor: Tensor, eps: float, layout: Layout) -> str:
    rest = parameters(one, tensor, None, True)
    return f"instance_norm({_x('instance_norm', layout)}, eps={eps!r}, strict=False{rest})"


NUMPY_CALLS = {
    "normalize": _normalize,
    "batch_norm": _batch,
    "layer_norm": _layer,
    "rms_norm": _rms,
    "group_norm": _group,
    "instance_norm": _instance,
}


def torch_code(one: Normalized, tensor: Tensor, eps: float) -> str:
    """The same in PyTorch, for release 2.13; what PyTorch would refuse is said in a comment."""
    layout, row = LAYOUTS[tensor.layout], NORMALIZERS[one.item.family]
    kernel = row.kernel if runs_kernel(one, tensor) else "normalize"
    lines = ["import torch", "import torch.nn.functional as F", ""]
    values = indented(literal(tensor.values, "torch"), 17)
    lines.append(f"x = torch.tensor({values}, dtype=torch.float64)")
    if one.affine is not None:
        lines += affine_lines(one.affine, "torch")
    first = kernel in ("batch_norm", "group_norm", "instance_norm") and layout.channel != 1
    x = f"x.movedim({layout.channel}, 1)" if first else "x"
    back = f".movedim(1, {layout.channel})" if first else ""
    if layout.ndim == 1:
        x, back = "x[None]", "[0]"
    rest = torch_parameters(one, tensor, kernel)
    if kernel == "normalize":
        lines += torch_by_hand(one, eps, layout)
    elif kernel == "batch_norm":
        if one.note:
            lines.append(
                "# PyTorch raises here: Expected more than 1 value per channel when training"
            )
        if eps == 0:
            lines.append("# PyTorch 2.10 and newer refuse eps=0 in training; 1e-12 is as good")
        lines.append(f"y = F.batch_norm({x}, None, None, training=True, eps={eps!r}{rest}){back}")
    elif kernel in ("layer_norm", "rms_norm"):
        shape = tensor.values.shape[one.axes[0] :]
        lines.append(f"y = F.{kernel}(x, {shape}, eps={eps!r}{rest})")
    elif kernel == "group_norm":
        groups = groups_for(one.item, tensor)
        lines.append(f"y = F.group_norm({x}, {groups}, eps={eps!r}{rest}){back}")
    else:
        lines.append(f"y = F.instance_norm({x}, eps={eps!r}{rest}){back}")
    return "\n".join([*lines, "print(y)", ""])


def torch_parameters(one: Normalized, tensor: Tensor, kernel: str) -> str:
    """weight=…, bias=… as PyTorch's function wants them."""
    if kernel in ("layer_norm", "rms_norm"):
        shape = tensor.values.shape[one.axes[0] :]
        text = parameters(one, tensor, shape, kernel == "layer_norm")
        return text.replace("np.ones(", "torch.ones(")
    return parameters(one, tensor, None, True)


def torch_by_hand(one: Normalized, eps: float, layout: Layout) -> list[str]:
    """Axes that no layer of PyTorch reduces: the formula itself."""
    axes = one.axes
    if not axes:
        lines = (
            ["centred = x - x", "square = centred**2"]
            if one.centered
            else ["centred, square = x, x**2"]
        )
    elif one.centered:
        lines = [f"centred = x - x.mean({axes}, keepdim=True)"]
        lines.append(f"square = (centred**2).mean({axes}, keepdim=True)")
    else:
        lines = ["centred = x", f"square = (x**2).mean({axes}, keepdim=True)"]
    lines.append(f"y = centred / torch.sqrt(square + {eps!r})")
    if one.affine is not None:
        shape = channel_shape(layout)
        shift = f" + bias.reshape({shape})" if one.centered else ""
        lines.append(f"y = y * weight.reshape({shape}){shift}")
    return lines
