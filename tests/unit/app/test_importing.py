"""A person's own numbers: every way to write them, and what is refused."""

import io
import json

import numpy as np
import pytest

from app.importing import Refused, read_file, read_text

MATRIX = np.array([[1.0, 2.5, -3.0], [4e-3, 5.0, 6e10]])


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(MATRIX.tolist()),
        repr(MATRIX),
        str(MATRIX.tolist()),
        str(MATRIX),
        repr(MATRIX.astype(np.float32).astype(np.float64)),
        "tensor([[1.0, 2.5, -3.0],\n        [4e-3, 5.0, 6e10]], dtype=torch.float64)",
        "1,2.5,-3\n0.004,5,6e10",
        "1\t2.5\t-3\n0.004\t5\t6e10",
        "a;b;c\n1;2.5;-3\n0.004;5;6e10\n",
        "1 2.5 -3\n0.004 5 6e10",
    ],
)
def test_numbers_are_read_however_they_are_written(text: str) -> None:
    assert np.allclose(read_text(text), MATRIX, rtol=1e-6)


def test_nan_and_inf_of_numpy_are_read() -> None:
    values = read_text("array([nan, inf, -inf, 1.])")
    assert np.array_equal(values, [np.nan, np.inf, -np.inf, 1], equal_nan=True)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no numbers"),
        ("hello world", "not read as numbers"),
        ("[[1, 2], [3]]", "equally long"),
        ("1,2\n3", "equally long"),
        ("[[[[[1]]]]]", "5 axes"),
        ("__import__('os').system('true')", "not read as numbers"),
    ],
)
def test_what_is_no_tensor_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        read_text(text)


def saved(values: np.ndarray, allow_pickle: bool = False) -> bytes:
    stream = io.BytesIO()
    np.save(stream, values, allow_pickle=allow_pickle)
    return stream.getvalue()


@pytest.mark.parametrize("dtype", ["<f4", ">f8", "<f2", "int16", "bool"])
def test_an_npy_file_of_any_number_type_is_read_as_float64(dtype: str) -> None:
    values = np.arange(6).reshape(2, 3).astype(dtype)
    read, remark = read_file("x.npy", saved(values))
    assert read.dtype == np.float64
    assert np.array_equal(read, values.astype(np.float64))
    assert remark == ""


def test_fortran_order_is_kept_right() -> None:
    values = np.asfortranarray(MATRIX)
    assert np.array_equal(read_file("x.npy", saved(values))[0], MATRIX)


def test_of_an_npz_the_first_array_is_shown_and_that_is_said() -> None:
    stream = io.BytesIO()
    np.savez(stream, weights=MATRIX, other=np.ones(3))
    values, remark = read_file("x.npz", stream.getvalue())
    assert np.array_equal(values, MATRIX)
    assert remark == "“weights” is shown, the first of 2 arrays."


def test_objects_are_refused_and_no_pickle_is_opened() -> None:
    with pytest.raises(Refused, match="Python objects"):
        read_file("x.npy", saved(np.array([{"a": 1}], dtype=object), allow_pickle=True))


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("x.npy", b"not a file", "cannot be read"),
        ("x.npz", b"PK\x03\x04nonsense", "cannot be read"),
        ("x.npy", saved(MATRIX)[:-8], "cannot be read"),
        ("x.npy", saved(MATRIX * 1j), "complex"),
        ("x.npy", saved(np.array(["a"])), "not numbers"),
        ("x.npy", saved(np.array(3.0)), "0 axes"),
        ("x.npy", saved(np.ones((0, 3))), "no numbers"),
        ("x.png", b"\x89PNG\r\n\x1a\n\x00\xff", "neither .npy"),
    ],
)
def test_a_file_that_cannot_be_shown_is_refused_with_its_reason(
    name: str, data: bytes, reason: str
) -> None:
    with pytest.raises(Refused, match=reason):
        read_file(name, data)


def test_a_file_beyond_64_megabytes_is_refused() -> None:
    with pytest.raises(Refused, match="64 MB"):
        read_file("x.csv", bytes(64 * 2**20 + 1))
