"""Names of output types, as audits distinguish them: bool, int, float, and other float widths by name.

A mechanism whose output's type depends on the data leaks it, whatever the number. Numbers of one kind are one type
here, Python's or numpy's: ``np.float64`` is ``float``, every integer of numpy is ``int``, ``np.bool_`` is ``bool``. A
``float32`` is not a ``float``: which doubles it can hold tells it apart.
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

_OF_ARRAYS = {"b": "bool", "i": "int", "u": "int", "U": "label", "S": "bytes label"}


def number_kind(value: Any) -> str | None:
    """``bool``, ``int``, ``float``, ``float32`` ... of a real number; None for anything else."""
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, float):  # np.float64 is one
        return "float"
    if isinstance(value, int | np.integer):
        return "int"
    if isinstance(value, np.complexfloating) or not isinstance(value, numbers.Real | np.number):
        return None
    return value.dtype.name if isinstance(value, np.floating) else type(value).__name__


def array_kind(array: NDArray[Any]) -> str:
    """The kind of an array's numbers or labels, of one byte order and width as of another but for floats'."""
    if array.dtype.kind == "f":
        return "float" if array.dtype.itemsize == 8 else array.dtype.name
    return _OF_ARRAYS[array.dtype.kind]
