"""A person's own numbers: pasted text or a dropped file, which never leaves the device.

Files are read without pickle, so that a file can hold numbers and nothing that runs.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import zipfile

import numpy as np

from app.strings import say

LARGEST_BYTES = 64 * 2**20
NPY_MAGIC, ZIP_MAGIC = b"\x93NUMPY", b"PK"
MOST_VALUES = 2**23  # 64 MB as float64


class Refused(ValueError):
    """What was brought cannot be shown, with the reason a person reads."""


def read_text(text: str) -> np.ndarray:
    """Numbers from text: JSON, Python lists, NumPy's repr or print, or rows of CSV or TSV."""
    text = text.strip()
    if not text:
        raise Refused(say("import_empty"))
    if len(text) > LARGEST_BYTES:
        raise Refused(say("import_too_large"))
    for reader in (_json, _numpy_repr, _numpy_print, _table):
        values = reader(text)
        if values is not None:
            return checked(values)
    raise Refused(say("import_no_numbers", text=text[:30]))


def read_file(name: str, data: bytes) -> tuple[np.ndarray, str]:
    """The array of an .npy, .npz or text file, and a remark: which array of several it is."""
    if len(data) > LARGEST_BYTES:
        raise Refused(say("import_too_large"))
    ending = name.lower().rsplit(".", 1)[-1]
    try:
        if ending == "npy":
            return checked(np.load(io.BytesIO(data), allow_pickle=False)), ""
        if ending == "npz":
            return _from_npz(data)
    except Refused:
        raise
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, KeyError) as error:
        numpy_file = data.startswith((NPY_MAGIC, ZIP_MAGIC))
        if numpy_file and "Object arrays" in str(error):
            raise Refused(say("import_object")) from error
        raise Refused(say("import_broken", name=name, reason=str(error)[:120])) from error
    try:
        return read_text(data.decode("utf-8-sig")), ""
    except UnicodeDecodeError as error:
        raise Refused(say("import_kind", name=name)) from error


def _from_npz(data: bytes) -> tuple[np.ndarray, str]:
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        names = archive.files
        if not names:
            raise Refused(say("import_empty"))
        values = checked(archive[names[0]])
    remark = say("import_first", name=names[0], count=len(names)) if len(names) > 1 else ""
    return values, remark


def checked(values: np.ndarray) -> np.ndarray:
    """float64 values of rank 1 to 4, or the reason why not."""
    if values.dtype == object:
        raise Refused(say("import_object"))
    if np.iscomplexobj(values):
        raise Refused(say("import_complex"))
    if values.dtype.kind not in "biuf":
        raise Refused(say("import_dtype", dtype=str(values.dtype)))
    if not 1 <= values.ndim <= 4:
        raise Refused(say("import_rank", rank=values.ndim))
    if values.size == 0:
        raise Refused(say("import_empty"))
    if values.size > MOST_VALUES:
        raise Refused(say("import_too_large"))
    return values.astype(np.float64)


def _array(nested: object) -> np.ndarray | None:
    """Nested lists as an array; ragged ones are refused with their reason."""
    if isinstance(nested, (int, float)) and not isinstance(nested, bool):
        nested = [nested]
    if not isinstance(nested, (list, tuple)):
        return None
    try:
        return np.array(nested, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise Refused(say("import_ragged")) from error


def _json(text: str) -> np.ndarray | None:
    try:
        return _array(json.loads(text))
    except (json.JSONDecodeError, RecursionError):
        return None


def _numpy_repr(text: str) -> np.ndarray | None:
    """array([[1., 2.]], dtype=float32), tensor([...]) and bare Python lists."""
    found = re.fullmatch(
        r"(?:\w+\.)*(?:array|tensor)\(\s*(.*?)\s*(?:,\s*[a-z_]+=.*)?\)", text, re.DOTALL
    )
    body = found.group(1) if found else text
    if not body.startswith(("[", "(")):
        return None
    named = re.sub(r"-?\b(?:nan|inf)\b", lambda word: f"'{word.group(0)}'", body)
    try:
        nested = ast.literal_eval(named)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return _array(nested)


def _numpy_print(text: str) -> np.ndarray | None:
    """[[1. 2.]\\n [3. 4.]], as print shows an array: commas are put where blanks are."""
    if not text.startswith("[") or "..." in text:
        return None
    with_commas = re.sub(r"(?<=[\d.naifNIF])\s+(?=[-+.\dniNI\[])", ", ", text)
    with_commas = re.sub(r"\]\s*\[", "], [", with_commas)
    return None if with_commas == text else _numpy_repr(with_commas)


def _table(text: str) -> np.ndarray | None:
    """Rows of numbers with tabs, semicolons, commas or blanks; a first row of names is left out."""
    lines = [
        line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")
    ]
    separator = next(
        (mark for mark in ("\t", ";", ",") if any(mark in line for line in lines)), None
    )
    rows = (
        list(csv.reader(lines, delimiter=separator))
        if separator
        else [line.split() for line in lines]
    )
    rows = [[entry.strip() for entry in row] for row in rows]
    if len(rows) > 1 and not any(_is_number(entry) for entry in rows[0]):
        rows = rows[1:]
    if not rows or not all(_is_number(entry) for row in rows for entry in row):
        return None
    if len({len(row) for row in rows}) > 1:
        raise Refused(say("import_ragged"))
    values = np.array([[float(entry) for entry in row] for row in rows])
    return values[0] if len(values) == 1 else values


def _is_number(entry: str) -> bool:
    try:
        float(entry)
    except ValueError:
        return False
    return True
