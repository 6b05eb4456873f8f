"""Arrays of .npy files: nothing is unpickled, and memory is taken only for bytes that are there."""

from __future__ import annotations

import io
import math
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

MOST_EMPTY = 10**6
"""Rows without a byte in them: a header of 100 bytes could promise any number."""

_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def read_npy(stream: BinaryIO) -> NDArray[Any]:
    """The array that stands in `stream`, which can be sought in.

    Raises
    ------
    ValueError
        No array of format 1.0 or 2.0, a header of more than 10,000 characters, objects, or fewer bytes than promised.
    """
    begun = stream.tell()
    try:
        version = np.lib.format.read_magic(stream)
        if version not in _HEADERS:
            raise ValueError(f"its format is {version[0]}.{version[1]}, and 1.0 and 2.0 are read")
        shape, _, dtype = _HEADERS[version](stream)
        after = stream.tell()
        here = stream.seek(0, io.SEEK_END) - after
        promised = math.prod(shape) * dtype.itemsize
    except (ValueError, OSError):
        raise
    except Exception as problem:  # noqa: BLE001 - NumPy's parsers of Python text raise what they like
        raise ValueError(f"its header says nothing ({type(problem).__name__})") from None
    if min(shape, default=0) < 0 or promised > here or (not promised and math.prod(filter(None, shape)) > MOST_EMPTY):
        raise ValueError(
            f"its header says shape {str(shape)[:80]} of {dtype.itemsize} bytes each, and holds {here} bytes"
        )
    stream.seek(begun)
    try:
        return np.lib.format.read_array(stream, allow_pickle=False)
    except (ValueError, OSError):
        raise
    except Exception as problem:  # noqa: BLE001 - likewise
        raise ValueError(f"it is no array ({type(problem).__name__})") from None
