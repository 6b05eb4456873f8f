"""The IDX format of the MNIST family: unsigned bytes in an array of any number of dimensions.

Two zero bytes, the type (8: unsigned byte), the number of dimensions, each dimension as a big-endian 32-bit number, and
then the bytes, the last dimension fastest.

Limits: unsigned bytes only. A malformed content is an InputError, never a partly filled array.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError

UNSIGNED_BYTES = 8


def parse_idx(content: bytes, *, dimensions: int, name: str = "the content") -> NDArray[np.uint8]:
    """Parse an IDX content.

    Parameters
    ----------
    content : bytes
        The whole file, unpacked.
    dimensions : int
        How many the array must have: 3 for images, 1 for labels.
    name : str
        Names the content in error messages.

    Returns
    -------
    array
        uint8, read-only.

    Raises
    ------
    InputError
        When the content is not in that format, of that many dimensions, and exactly as long as it says.
    """
    start = 4 + 4 * dimensions
    if len(content) < start or content[:4] != bytes((0, 0, UNSIGNED_BYTES, dimensions)):
        raise InputError(f"{name} is no IDX file", allowed=f"unsigned bytes in {dimensions} dimensions")
    shape = tuple(int(size) for size in np.frombuffer(content, dtype=">u4", count=dimensions, offset=4))
    if len(content) != start + math.prod(shape):
        raise InputError(f"{name} has {len(content):,} bytes", allowed=f"{start + math.prod(shape):,} for {shape}")
    return np.frombuffer(content, dtype=np.uint8, offset=start).reshape(shape)
