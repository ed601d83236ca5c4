"""Where PyTorch 2.13 is wrong on the CPU. The exact value counts; the difference is recorded.

Two faults: float32 BatchNorm computes x·α + β with α = γ/√(σ² + ε), so that a constant channel is
not 0 (pytorch#5410, closed in 2018, still there); and squares of float32 overflow from 1.8e19 on
(pytorch#162489), which gives NaN in LayerNorm and GroupNorm and 0 in BatchNorm and RMSNorm.
"""

import math
from typing import Any, NamedTuple


class Fault(NamedTuple):
    """One call of which torch's answer is wrong.

    Attributes:
        name: unique.
        kernel: the function, in torch.nn.functional and in `kernels`.
        inputs: numbers by argument name.
        options: keyword arguments.
        exact: the right answer, as a flat list.
        dtype: of the inputs.
    """

    name: str
    kernel: str
    inputs: dict[str, Any]
    options: dict[str, Any]
    exact: list[float]
    dtype: str = "float32"


# For [1, 2, 3, 4]·s with s² ≫ ε: (k − 2.5)/√1.25 and k/√7.5.
_LAYER = [(k - 2.5) / math.sqrt(1.25) for k in (1, 2, 3, 4)]
_RMS = [k / math.sqrt(7.5) for k in (1, 2, 3, 4)]
_HUGE = [1e30, 2e30, 3e30, 4e30]


def _column(values: list[float]) -> list[list[float]]:
    return [[value] for value in values]


FAULTS: list[Fault] = [
    *[
        Fault(
            f"batch_constant_{value:g}",
            "batch_norm",
            {"x": _column([value] * 4)},
            {"training": True},
            [0.0] * 4,
        )
        for value in (5.0, 1e7, 1e10)
    ],
    Fault(
        "batch_constant_1e10_float64",
        "batch_norm",
        {"x": _column([1e10 + 0.1] * 3)},
        {"training": True},
        [0.0] * 3,
        "float64",
    ),
    Fault(
        "batch_eval_1e10",
        "batch_norm",
        {"x": [[1e10]], "running_mean": [1e10], "running_var": [0.0]},
        {},
        [0.0],
    ),
    Fault("layer_1e30", "layer_norm", {"x": _HUGE}, {"normalized_shape": (4,)}, _LAYER),
    Fault("rms_1e30", "rms_norm", {"x": _HUGE}, {"normalized_shape": (4,), "eps": 1e-6}, _RMS),
    Fault("group_1e30", "group_norm", {"x": [[[v] for v in _HUGE]]}, {"num_groups": 1}, _LAYER),
    Fault("batch_1e30", "batch_norm", {"x": _column(_HUGE)}, {"training": True}, _LAYER),
    Fault(
        "layer_1e200",
        "layer_norm",
        {"x": [1e200, 2e200, 3e200, 4e200]},
        {"normalized_shape": (4,)},
        _LAYER,
        "float64",
    ),
    Fault(
        "rms_1e200",
        "rms_norm",
        {"x": [1e200, 2e200, 3e200, 4e200]},
        {"normalized_shape": (4,), "eps": 1e-6},
        _RMS,
        "float64",
    ),
]
