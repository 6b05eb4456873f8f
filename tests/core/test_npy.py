"""Arrays come back as they are; what a header promises is held against what is there."""

import io

import numpy as np
import pytest

from dpverify.core.npy import read_npy


def stream(header, data=b"", version=b"\x01\x00"):
    text = header.encode()
    return io.BytesIO(b"\x93NUMPY" + version + len(text).to_bytes(2, "little") + text + data)


def header(descr="'<f8'", shape="(2,)"):
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.ones((3, 2))),
        np.zeros((0, 4)),
        np.array(3.5),
        np.array([(1, 2.5)], dtype=[("score", "<i4"), ("included", "<f8")]),
        np.array(["a", "bc"]),
    ],
)
def test_what_was_saved_comes_back(array):
    file = io.BytesIO()
    np.save(file, array)
    file.seek(0)
    found = read_npy(file)
    assert found.dtype == array.dtype and found.shape == array.shape and (found == array).all()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (stream(header(shape="(1000000000000,)"), b"\0" * 16), "its header says shape"),
        (stream(header(shape="(2,)"), b"\0" * 15), "and holds 15 bytes"),
        (stream(header(shape="(-2,)"), b"\0" * 16), "its header says"),
        (stream(header(descr="'<U0'", shape="(1000000000000,)")), "its header says"),
        (stream(header(shape="(1000000000000, 0)")), "its header says"),
        (stream(header(descr="'|O'", shape="(1,)"), b"cos\nsystem\n(S'id'\ntR."), r"[Oo]bject"),
        (stream(header() + "(" * 100), "header"),
        (stream(header() + " " * 20_000), "[Hh]eader"),
        (stream(header(), version=b"\x09\x00"), r"1\.0 and 2\.0"),
        (io.BytesIO(b"PK\x03\x04" + b"\0" * 20), "magic"),
        (io.BytesIO(b""), "EOF"),
    ],
)
def test_anything_else_is_a_value_error(given, said):
    with pytest.raises(ValueError, match=said):
        read_npy(given)
