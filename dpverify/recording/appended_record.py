"""Whether neighbours differ by a record at the end: then an index means the same record in both."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np


def last_differs(one: Any, other: Any) -> bool:
    """Tell whether the longer data set is the shorter one with records at its end; False where that is unclear."""
    if dataclasses.is_dataclass(one) and type(one) is type(other):
        names = [field.name for field in dataclasses.fields(one)]
        return all(_begins(getattr(one, name), getattr(other, name)) for name in names)
    return _begins(one, other)


def _begins(one: Any, other: Any) -> bool:
    if isinstance(one, str) or not hasattr(one, "__len__") or not hasattr(other, "__len__"):
        return bool(one == other)
    size = min(len(one), len(other))
    try:
        return bool(np.array_equal(np.asarray(one[:size]), np.asarray(other[:size])))
    except (TypeError, ValueError, KeyError):
        return False
