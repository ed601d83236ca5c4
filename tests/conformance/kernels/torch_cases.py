"""What is compared with PyTorch: one row a call, for `record_torch.py` and for the test alike.

A row names the kernel, the shapes of its inputs and its options. ``torch`` and ``kernels`` get the
same numbers, drawn from a seeded generator and stored beside the results.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

SEED = 20240917


@dataclass(frozen=True)
class TorchCase:
    """One call.

    Attributes:
        name: unique.
        kernel: the function, in torch.nn.functional and in `kernels`.
        shape: of x.
        parameters: further inputs by name and shape; running_var is drawn positive.
        options: keyword arguments with the same meaning on both sides.
        dtype: of x.
        offset: added to x, which is drawn from N(0, 1).
        scale: multiplies x.
    """

    name: str
    kernel: str
    shape: tuple[int, ...]
    parameters: dict[str, tuple[int, ...]] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    dtype: str = "float64"
    offset: float = 0.0
    scale: float = 1.0


def _affine(*shape: int) -> dict[str, tuple[int, ...]]:
    return {"weight": shape, "bias": shape}


def _running(channels: int) -> dict[str, tuple[int, ...]]:
    return {"running_mean": (channels,), "running_var": (channels,)}


_WIDE: list[TorchCase] = [
    TorchCase("layer_d", "layer_norm", (3, 4, 6), _affine(6), {"normalized_shape": (6,)}),
    TorchCase("layer_td", "layer_norm", (3, 4, 6), _affine(4, 6), {"normalized_shape": (4, 6)}),
    TorchCase("layer_plain", "layer_norm", (5, 7), {}, {"normalized_shape": (7,), "eps": 0.1}),
    TorchCase(
        "layer_weight_only", "layer_norm", (5, 7), {"weight": (7,)}, {"normalized_shape": (7,)}
    ),
    TorchCase("layer_d2", "layer_norm", (6, 2), {}, {"normalized_shape": (2,)}),
    TorchCase("layer_d1", "layer_norm", (6, 1), {}, {"normalized_shape": (1,)}),
    TorchCase("rms_d", "rms_norm", (3, 4, 6), {"weight": (6,)}, {"normalized_shape": (6,)}),
    TorchCase("rms_td", "rms_norm", (3, 4, 6), {"weight": (4, 6)}, {"normalized_shape": (4, 6)}),
    TorchCase("rms_plain", "rms_norm", (5, 7), {}, {"normalized_shape": (7,), "eps": 1e-2}),
    TorchCase("batch_nc", "batch_norm", (8, 3), _running(3) | _affine(3), {"training": True}),
    TorchCase("batch_ncl", "batch_norm", (4, 3, 5), _running(3) | _affine(3), {"training": True}),
    TorchCase(
        "batch_nchw",
        "batch_norm",
        (2, 3, 4, 5),
        _running(3) | _affine(3),
        {"training": True, "momentum": 0.3, "eps": 1e-3},
    ),
    TorchCase(
        "batch_momentum_1", "batch_norm", (6, 2), _running(2), {"training": True, "momentum": 1.0}
    ),
    TorchCase(
        "batch_momentum_0", "batch_norm", (6, 2), _running(2), {"training": True, "momentum": 0.0}
    ),
    TorchCase("batch_1cl", "batch_norm", (1, 3, 5), _running(3), {"training": True}),
    TorchCase("batch_two_samples", "batch_norm", (2, 4), _running(4), {"training": True}),
    TorchCase("batch_eval", "batch_norm", (4, 3, 5), _running(3) | _affine(3), {}),
    TorchCase("batch_eval_one", "batch_norm", (1, 4), _running(4), {"eps": 0.0}),
    TorchCase("batch_untracked", "batch_norm", (4, 3), _affine(3), {"training": True}),
    TorchCase("group_1", "group_norm", (2, 6, 5), _affine(6), {"num_groups": 1}),
    TorchCase("group_3", "group_norm", (2, 6, 3, 4), _affine(6), {"num_groups": 3, "eps": 1e-3}),
    TorchCase("group_6", "group_norm", (2, 6, 5), _affine(6), {"num_groups": 6}),
    TorchCase("group_nc", "group_norm", (3, 6), {}, {"num_groups": 2}),
    TorchCase("instance", "instance_norm", (2, 3, 7), _affine(3), {}),
    TorchCase("instance_nchw", "instance_norm", (2, 3, 4, 5), {}, {"eps": 1e-2}),
    TorchCase("instance_running", "instance_norm", (4, 3, 7), _running(3) | _affine(3), {}),
    TorchCase(
        "instance_eval",
        "instance_norm",
        (4, 3, 7),
        _running(3) | _affine(3),
        {"use_input_stats": False},
    ),
    TorchCase("softmax_last", "softmax", (3, 4, 5), {}, {"axis": -1}),
    TorchCase("softmax_first", "softmax", (3, 4, 5), {}, {"axis": 0}),
    TorchCase("softmax_sharp", "softmax", (4, 6), {}, {"axis": 1}, scale=30.0),
    TorchCase("log_softmax_last", "log_softmax", (3, 4, 5), {}, {"axis": -1}),
    TorchCase("log_softmax_middle", "log_softmax", (3, 4, 5), {}, {"axis": 1}, scale=30.0),
    TorchCase("layer_offset", "layer_norm", (4, 64), {}, {"normalized_shape": (64,)}, offset=1e6),
    TorchCase("batch_offset", "batch_norm", (64, 4), {}, {"training": True}, offset=1e6),
    TorchCase("rms_offset", "rms_norm", (4, 64), {}, {"normalized_shape": (64,)}, offset=1e6),
    TorchCase("layer_tiny", "layer_norm", (4, 8), {}, {"normalized_shape": (8,)}, scale=1e-4),
    TorchCase("rms_tiny", "rms_norm", (4, 8), {}, {"normalized_shape": (8,)}, scale=1e-4),
]

# The same in float32, without the offsets at which torch's own float32 is far off.
_SINGLE = [
    replace(case, name=f"{case.name}_f32", dtype="float32") for case in _WIDE if not case.offset
]
_HALF = [
    TorchCase("layer_f16", "layer_norm", (4, 16), _affine(16), {"normalized_shape": (16,)}),
    TorchCase("rms_f16", "rms_norm", (4, 16), {"weight": (16,)}, {"normalized_shape": (16,)}),
    TorchCase("group_f16", "group_norm", (2, 6, 5), _affine(6), {"num_groups": 3}),
    TorchCase("softmax_f16", "softmax", (4, 16), {}, {"axis": -1}),
]

TORCH_CASES: list[TorchCase] = [
    *_WIDE,
    *_SINGLE,
    *[replace(case, dtype="float16") for case in _HALF],
]


def draw_inputs(case: TorchCase) -> dict[str, np.ndarray]:
    """x, ∂L/∂y and the parameters of a case; each case has a generator of its own."""
    rng = np.random.default_rng([SEED, *case.name.encode()])
    drawn = {
        "x": case.offset + case.scale * rng.standard_normal(case.shape),
        "grad_output": rng.standard_normal(case.shape),
    }
    for name, shape in case.parameters.items():
        values = rng.standard_normal(shape)
        drawn[name] = np.exp(values) if name == "running_var" else values
    return {name: value.astype(case.dtype) for name, value in drawn.items()}
