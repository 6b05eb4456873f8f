"""Names of output types, as audits distinguish them: bool, int, float, and other float widths by name.

A mechanism whose output type depends on the data leaks by the type alone. Types of Python and numpy for the same
numbers are one type here: ``np.float64`` is ``float``, every numpy integer is ``int``, ``np.bool_`` is ``bool``. A
``float32`` is not a ``float``, since it has fewer values.
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
    if isinstance(value, float):  # np.float64 is a float
        return "float"
    if isinstance(value, int | np.integer):
        return "int"
    if isinstance(value, np.complexfloating) or not isinstance(value, numbers.Real | np.number):
        return None
    return value.dtype.name if isinstance(value, np.floating) else type(value).__name__


def array_kind(array: NDArray[Any]) -> str:
    """The kind of an array's numbers or labels; byte order is ignored, and so is width except for floats."""
    if array.dtype.kind == "f":
        return "float" if array.dtype.itemsize == 8 else array.dtype.name
    return _OF_ARRAYS[array.dtype.kind]
