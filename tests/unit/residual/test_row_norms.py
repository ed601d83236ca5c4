"""The stack's lean norms against the public kernels and finite differences."""

import numpy as np
import pytest

from kernels.normalization import layer_norm, rms_norm
from kernels.row_norms import ROW_NORMS

PUBLIC = {
    "layer_norm": lambda x, eps: layer_norm(x, x.shape[-1], eps=eps).output,
    "rms_norm": lambda x, eps: rms_norm(x, x.shape[-1], eps=eps).output,
}


@pytest.mark.parametrize("name", ROW_NORMS)
@pytest.mark.parametrize("scale", [1e-30, 1e-3, 1.0, 1e3, 1e25, 1e37])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_are_the_public_kernels(name: str, scale: float, dtype: type) -> None:
    x = np.random.default_rng(1).standard_normal((2, 3, 5, 64)).astype(dtype) * dtype(scale)
    rows = ROW_NORMS[name].forward(x, 1e-5).rows
    assert rows.dtype == dtype
    tolerance = 2e-6 if dtype is np.float32 else 1e-14
    np.testing.assert_allclose(rows, PUBLIC[name](x, 1e-5), rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", ROW_NORMS)
def test_input_is_left_alone(name: str) -> None:
    x = np.ones((2, 8), np.float32)
    x.flags.writeable = False
    ROW_NORMS[name].forward(x, 1e-5)
    saved = ROW_NORMS[name].forward(x, 1e-5)
    ROW_NORMS[name].backward(x, saved)
    assert (x == 1).all()


@pytest.mark.parametrize("name", ROW_NORMS)
def test_backward_is_the_finite_difference(name: str) -> None:
    generator = np.random.default_rng(2)
    x, weight = generator.standard_normal((2, 3, 8)), generator.standard_normal((2, 3, 8))
    norm = ROW_NORMS[name]
    analytic = norm.backward(weight, norm.forward(x, 1e-2))
    step = 1e-5
    for index in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[index] += step
        down[index] -= step
        rise = (weight * (norm.forward(up, 1e-2).rows - norm.forward(down, 1e-2).rows)).sum()
        assert analytic[index] == pytest.approx(rise / (2 * step), abs=1e-8)


def test_seed_row_2_4_4_6_is_normalized_as_in_the_text() -> None:
    x = np.array([[2.0, 4.0, 4.0, 6.0]])
    layer = ROW_NORMS["layer_norm"].forward(x, 1e-5)
    np.testing.assert_allclose(layer.rows, [[-1.4142100269, 0, 0, 1.4142100269]], atol=1e-9)
    root = ROW_NORMS["rms_norm"].forward(x, 1e-5)
    np.testing.assert_allclose(root.rows[0, 3], 1.4142131695, atol=1e-9)
