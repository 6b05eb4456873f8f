"""The IDX format."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.idx import parse_idx

IMAGES = bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 1, 2, 3, 4, 5, 255])


def test_small_images() -> None:
    assert parse_idx(IMAGES, dimensions=3).tolist() == [[[1, 2, 3]], [[4, 5, 255]]]
    assert parse_idx(bytes([0, 0, 8, 1, 0, 0, 0, 0]), dimensions=1).shape == (0,)


def test_dimensions_are_big_endian() -> None:
    content = bytes([0, 0, 8, 1, 0, 0, 1, 2]) + bytes(258)
    assert parse_idx(content, dimensions=1).shape == (258,)
    assert parse_idx(content, dimensions=1).dtype == np.uint8


@pytest.mark.parametrize(
    "content",
    [b"", IMAGES[:3], IMAGES[:10], IMAGES[:-1], IMAGES + b"x", b"\1" + IMAGES[1:], IMAGES[:2] + b"\x0d" + IMAGES[3:],
     IMAGES[:3] + b"\1" + IMAGES[4:]],
)  # fmt: skip
def test_what_is_no_such_file_is_one_line(content: bytes) -> None:
    with pytest.raises(InputError, match="pictures"):
        parse_idx(content, dimensions=3, name="pictures")
