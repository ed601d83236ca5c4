"""Matrix products, attention scores and the functions a deep stack is made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.gpu import reference
from tests.gpu.device import Call, Device
from tests.gpu.inputs import noise

ALLOWED = 2e-6


def params(m: int, k: int, n: int, **rest: float) -> dict[str, Any]:
    """Row-major matrices: A [m, k], B [k, n], C [m, n], and any other fields."""
    return {
        **{"matrices": 1, "rows": m, "columns": n, "depth": k, "inner": 1, "factor": 1},
        **{"a_outer": m * k, "a_row": k, "a_column": 1},
        **{"b_outer": k * n, "b_row": n, "b_column": 1},
        **{"c_outer": m * n, "c_row": n, "c_column": 1},
        **rest,
    }


SIZES = [(1, 1, 1), (3, 5, 7), (4, 4, 4), (16, 64, 192), (17, 33, 9), (64, 512, 70), (5, 4096, 6)]


def test_products_of_every_size(device: Device) -> None:
    operands = [(noise((m, k), 1), noise((k, n), 2)) for m, k, n in SIZES]
    calls = [
        Call("matmul", {"a": a, "b": b}, {"shape": [m, n], "params": params(m, k, n)})
        for (a, b), (m, k, n) in zip(operands, SIZES, strict=True)
    ]
    for (a, b), size, result in zip(operands, SIZES, device.run(calls), strict=True):
        right = a.astype(np.float64) @ b.astype(np.float64)
        # Of the size of what is summed: products cancel.
        assert reference.error(result["output"], right, np.sqrt(size[1])) < ALLOWED, size


def test_transposed_operands_and_stacks_are_read_in_place(device: Device) -> None:
    a, b = noise((3, 6, 5), 3), noise((3, 7, 6), 4)  # three matrices, both transposed
    given = params(5, 6, 7, matrices=3, factor=0.5)
    given |= {"a_row": 1, "a_column": 5, "b_row": 1, "b_column": 6}
    (result,) = device.run(
        [Call("matmul", {"a": a, "b": b}, {"shape": [3, 5, 7], "params": given})]
    )
    right = 0.5 * a.astype(np.float64).swapaxes(1, 2) @ b.astype(np.float64).swapaxes(1, 2)
    assert reference.error(result["output"], right, 2.0) < ALLOWED


def heads_of(fused: np.ndarray, heads: int) -> np.ndarray:
    """q, k and v [3, B, heads, T, d/heads] of a fused projection [B, T, 3d]."""
    batch, length, width = fused.shape
    return fused.reshape(batch, length, 3, heads, width // 3 // heads).transpose(2, 0, 3, 1, 4)


def score_params(batch: int, length: int, width: int, heads: int, **rest: float) -> dict[str, Any]:
    """q·kᵀ for each head, both inside one fused projection [B, T, 3d]; A is q, B is k."""
    size = width // heads
    place = {"outer": length * 3 * width, "inner": size}
    return {
        **{"matrices": batch * heads, "inner": heads, "rows": length, "columns": length},
        **{"depth": size, "factor": size**-0.5},
        **{f"a_{key}": value for key, value in place.items()},
        **{"a_row": 3 * width, "a_column": 1},
        **{f"b_{key}": value for key, value in place.items()},
        **{"b_row": 1, "b_column": 3 * width},
        **{"c_outer": heads * length**2, "c_inner": length**2, "c_row": length, "c_column": 1},
        **rest,
    }


@pytest.mark.parametrize("cap", [0.0, 1.0, 50.0])
@pytest.mark.parametrize("causal", [0, 1])
def test_attention_scores_of_all_heads(device: Device, cap: float, causal: int) -> None:
    batch, length, width, heads = 2, 9, 24, 3
    q, k = noise((batch, length, 3 * width), 5), noise((batch, length, 3 * width), 6)
    given = score_params(batch, length, width, heads, soft_cap=cap, causal=causal)
    shape = [batch, heads, length, length]
    call = Call("attention_scores", {"a": q, "b": k}, {"shape": shape, "params": given})
    (result,) = device.run([call])
    query, key = heads_of(q.astype(np.float64), heads)[0], heads_of(k.astype(np.float64), heads)[0]
    right = query @ key.swapaxes(-1, -2) * (width // heads) ** -0.5
    if cap:
        right = cap * np.tanh(right / cap)
    if causal:
        right[..., np.triu(np.ones((length, length), bool), 1)] = -np.inf
    assert reference.error(result["output"], right, 1.0) < ALLOWED


def test_the_cap_comes_before_the_mask(device: Device) -> None:
    # onnx#7865: capped after the mask, a masked key at cap 1 keeps e^(−1) of its weight.
    q = k = np.ones((1, 2, 3), np.float32)
    given = score_params(1, 2, 1, 1, soft_cap=1.0, causal=1)
    call = Call("attention_scores", {"a": q, "b": k}, {"shape": [2, 2], "params": given})
    (result,) = device.run([call])
    assert np.isneginf(result["output"][0, 1])


def test_tanh_is_exact_near_0_and_1(device: Device) -> None:
    x = np.concatenate([np.logspace(-20, 2, 500), -np.logspace(-20, 2, 500), [0.6, 0.5999999]])
    x = x.astype(np.float32)
    given = params(len(x), 1, 1, soft_cap=1.0)
    one = np.ones((1, 1), np.float32)
    call = Call("attention_scores", {"a": x, "b": one}, {"shape": [len(x)], "params": given})
    (result,) = device.run([call])
    assert reference.error(result["output"], np.tanh(x.astype(np.float64))) < ALLOWED


def test_sum_of_two_tensors_with_factors(device: Device) -> None:
    for size in (1, 6, 4097):
        x, z = noise((size,), 7), noise((size,), 8)
        (result,) = device.run([Call("add", {"x": x, "z": z}, {"x_factor": 2.0, "z_factor": -0.5})])
        assert (
            reference.error(result["output"], 2.0 * x - 0.5 * z.astype(np.float64), 1.0) < ALLOWED
        )


def test_a_copy_keeps_every_bit_also_of_what_is_no_number(device: Device) -> None:
    """A signalling NaN, a subnormal number and −0 among others; sizes that are no multiple of 4."""
    for size in (1, 6, 4097):
        bits = np.random.default_rng(size).integers(0, 2**32, size, dtype=np.uint32)
        bits[:4] = np.array([0x7FA00001, 1, 0x80000000, 0xFF800000], np.uint32)[:size]
        (result,) = device.run([Call("copy", {"x": bits.view(np.float32)}, {})])
        np.testing.assert_array_equal(result["output"].view(np.uint32), bits)


def gelu(x: np.ndarray) -> np.ndarray:
    """By its tanh form, in float64."""
    return np.asarray(0.5 * x * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3))))


def test_gelu_and_its_slope(device: Device) -> None:
    x = np.concatenate([np.linspace(-12, 12, 2001), [1e-20, -1e-20, 1e10, -1e10, 0.0]])
    x = x.astype(np.float32)
    gradient = np.full_like(x, 2)
    forward, backward = device.run(
        [Call("gelu", {"x": x}), Call("gelu_backward", {"x": x, "gradient": gradient})]
    )
    wide = x.astype(np.float64)
    assert reference.error(forward["output"], gelu(wide), 1.0) < ALLOWED
    step = 1e-5
    slope = (gelu(wide + step) - gelu(wide - step)) / (2 * step)
    ordinary = np.abs(wide) < 1e6  # where a step of 1e-5 is one
    assert reference.error(backward["output"][ordinary], 2 * slope[ordinary], 1.0) < ALLOWED
    assert np.array_equal(backward["output"][~ordinary], np.where(x[~ordinary] > 0, 2, 0))


def test_gradient_of_softmax(device: Device) -> None:
    for shape in ((1, 1), (5, 7), (3, 4, 64), (2, 5000)):
        p = reference.softmax(noise(shape, 9) * 3, (len(shape) - 1,)).astype(np.float32)
        g = noise(shape, 10, 100.0)
        (result,) = device.run([Call("softmax_backward", {"x": p, "gradient": g}, {"factor": 0.5})])
        wide, of_p = g.astype(np.float64), p.astype(np.float64)
        wide -= 100.0
        right = (
            0.5 * of_p * (wide - (wide * of_p).sum(-1, keepdims=True) / of_p.sum(-1, keepdims=True))
        )
        assert np.max(np.abs(result["output"] - right)) < 1e-5, shape
