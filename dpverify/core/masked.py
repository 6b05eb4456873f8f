"""Whether values in an output are masked.

Numpy drops masks on its way to plain arrays; what lies under one is none of the output, while which values are masked
may depend on the data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

_PLAIN = (float, int, str, bytes, np.generic)


def has_mask(array: Any) -> bool:
    """True for a numpy array with at least one masked value."""
    return isinstance(array, np.ma.MaskedArray) and b"\x01" in np.ma.getmaskarray(array).tobytes()


def masked(output: Any) -> bool:
    """True when any value of `output` is masked, however deep in sequences, mappings and arrays of objects."""
    return _masked(output, frozenset())


def _masked(output: Any, above: frozenset[int]) -> bool:
    if isinstance(output, _PLAIN) or id(output) in above:  # what holds itself is refused where it is read
        return False
    parts: Any = ()
    if hasattr(output, "__array__"):
        try:
            array = np.asanyarray(output)
        except Exception:  # noqa: BLE001 - another's code; refused, too, where it is read
            return False
        if has_mask(array):
            return True
        parts = np.asarray(array).flat if array.dtype.hasobject else ()
    elif isinstance(output, Mapping):
        parts = output.values()
    elif isinstance(output, Sequence):
        parts = output
    above |= {id(output)}
    return any(_masked(part, above) for part in parts)
