"""Record what PyTorch answers to `torch_cases.py`. Run by hand; the tests read its output only.

    python3 -m venv SOMEWHERE && SOMEWHERE/bin/pip install torch==2.13.0 numpy
    SOMEWHERE/bin/python -m tests.conformance.kernels.record_torch

Writes `torch_2.13.0.npz` beside this file: for each case its inputs, the output, the running
statistics afterwards and all gradients; and beyond the cases what torch gives where it is wrong.
"""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from tests.conformance.kernels.torch_cases import TORCH_CASES, TorchCase, draw_inputs
from tests.conformance.kernels.torch_faults import FAULTS, Fault

RECORDING = Path(__file__).with_name("torch_2.13.0.npz")
# Names that differ between torch and the kernels.
TORCH_NAMES = {"axis": "dim"}


def record_case(case: TorchCase) -> dict[str, np.ndarray]:
    """Inputs and results of one case."""
    inputs = draw_inputs(case)
    tensors = {name: torch.from_numpy(value.copy()) for name, value in inputs.items()}
    gradient = tensors.pop("grad_output")
    learned = {"x", "weight", "bias"} & tensors.keys()
    for name in learned:
        tensors[name].requires_grad_()
    output = call(case.kernel, tensors, case.options)
    output.backward(gradient)
    recorded = {f"in_{name}": value for name, value in inputs.items()}
    recorded["output"] = output.detach().numpy()
    for name in learned:
        recorded[f"grad_{name}"] = tensors[name].grad.numpy()
    for name in {"running_mean", "running_var"} & tensors.keys():
        # torch updates its buffers in place.
        recorded[name] = tensors[name].numpy()
    return recorded


def call(kernel: str, tensors: dict[str, torch.Tensor], options: dict[str, Any]) -> torch.Tensor:
    """``torch.nn.functional``'s function of this name, with torch's names for its arguments."""
    named = dict(tensors)
    x = named.pop("x")
    keywords = {TORCH_NAMES.get(name, name): value for name, value in options.items()}
    if kernel == "batch_norm":
        for name in ("running_mean", "running_var"):
            named.setdefault(name, None)
    return getattr(F, kernel)(x, **named, **keywords)


def record_fault(fault: Fault) -> np.ndarray:
    """What torch gives where it is wrong."""
    tensors = {
        name: torch.tensor(value, dtype=getattr(torch, fault.dtype))
        for name, value in fault.inputs.items()
    }
    return call(fault.kernel, tensors, fault.options).numpy()


def main() -> None:
    arrays = {}
    for case in TORCH_CASES:
        for name, value in record_case(case).items():
            arrays[f"{case.name}/{name}"] = value
    for fault in FAULTS:
        arrays[f"fault/{fault.name}"] = record_fault(fault)
    arrays["version"] = np.array(torch.__version__)
    np.savez_compressed(RECORDING, **arrays)
    print(f"{RECORDING.name}: {len(arrays)} arrays, {RECORDING.stat().st_size} bytes")


if __name__ == "__main__":
    main()
