"""`cases/normalization.json`: the cases, and their inputs as arrays."""

import json
from pathlib import Path
from typing import Any

import numpy as np

Answer = dict[str, Any]
Case = dict[str, Any]

CASES: list[Case] = json.loads(
    (Path(__file__).parents[1] / "cases" / "normalization.json").read_text()
)


def numbers(value: Any) -> np.ndarray:
    """Nested lists in which NaN and infinities are strings, as float64."""
    return np.asarray(value, dtype=object).astype(np.float64)


def tensor(case: Case, name: str = "x") -> np.ndarray:
    """An input of the case in its type and, where it is empty, its shape."""
    wanted = case["params"].get("dtype", "float64")
    array = numbers(case["input"][name])
    if name == "x" and "shape" in case["input"]:
        array = array.reshape(case["input"]["shape"])
    return array.astype("float32" if wanted == "bfloat16" else wanted)


def optional(case: Case, name: str) -> np.ndarray | None:
    where = case["input"] if name in case["input"] else case["params"]
    return numbers(where[name]) if name in where else None
