"""The operations measured, as ONNX models: what a user of onnxruntime would build."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import onnx
from onnx import TensorProto, helper

Build = Callable[[int], list[onnx.NodeProto]]

EPS = 1e-5
OPSET = 17  # the first with LayerNormalization


def write_models(folder: Path) -> None:
    """One model an operation and axis, with free shapes."""
    folder.mkdir(parents=True, exist_ok=True)
    for axis in (0, 1):
        for operation, (inputs, outputs, build) in OPERATIONS.items():
            graph = helper.make_graph(
                build(axis),
                f"{operation}_axis{axis}",
                [value(name) for name in inputs],
                [value(name, rank=1 if operation == "moments" else 2) for name in outputs],
                [helper.make_tensor("axes", TensorProto.INT64, [1], [axis])],
            )
            opsets = [helper.make_opsetid("", OPSET)]
            model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
            onnx.save(model, folder / f"{operation}_axis{axis}.onnx")


def value(name: str, rank: int | None = None) -> onnx.ValueInfoProto:
    """A float32 input or output of free shape; weight and bias have one axis."""
    rank = rank or (2 if name == "x" else 1)
    return helper.make_tensor_value_info(
        name, TensorProto.FLOAT, [f"{name}{axis}" for axis in range(rank)]
    )


def normalization(kind: str, *parameters: str) -> Build:
    """A normalization over the last axis; over the first one it needs transpositions."""

    def build(axis: int) -> list[onnx.NodeProto]:
        if axis == 1:
            return [helper.make_node(kind, ["x", *parameters], ["y"], axis=-1, epsilon=EPS)]
        return [
            helper.make_node("Transpose", ["x"], ["xt"], perm=[1, 0]),
            helper.make_node(kind, ["xt", *parameters], ["yt"], axis=-1, epsilon=EPS),
            helper.make_node("Transpose", ["yt"], ["y"], perm=[1, 0]),
        ]

    return build


def softmax(axis: int) -> list[onnx.NodeProto]:
    """Softmax takes any axis."""
    return [helper.make_node("Softmax", ["x"], ["y"], axis=axis)]


def moments(axis: int) -> list[onnx.NodeProto]:
    """Mean, and the variance as the mean of squared deviations."""
    return [
        helper.make_node("ReduceMean", ["x"], ["mean_kept"], axes=[axis], keepdims=1),
        helper.make_node("Sub", ["x", "mean_kept"], ["deviation"]),
        helper.make_node("Mul", ["deviation", "deviation"], ["square"]),
        helper.make_node("ReduceMean", ["square"], ["variance"], axes=[axis], keepdims=0),
        helper.make_node("Squeeze", ["mean_kept", "axes"], ["mean"]),
    ]


OPERATIONS: dict[str, tuple[list[str], list[str], Build]] = {
    "layer_norm": (
        ["x", "weight", "bias"],
        ["y"],
        normalization("LayerNormalization", "weight", "bias"),
    ),
    # onnxruntime's own operator: both builds run it on the GPU, while the JSEP build takes
    # RMSNormalization (opset 23) to the CPU without a word.
    "rms_norm": (
        ["x", "weight"],
        ["y"],
        normalization("SimplifiedLayerNormalization", "weight"),
    ),
    "softmax": (["x"], ["y"], softmax),
    "moments": (["x"], ["mean", "variance"], moments),
}
