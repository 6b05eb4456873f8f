"""Copies, comparison and short descriptions of data sets."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from dpverify.core.errors import one_line

_PLAIN = frozenset((bool, int, float, str, np.float64))


def independent_copy(dataset: Any) -> Any:
    """A copy that shares no mutable part with the original."""
    if isinstance(dataset, np.ndarray):
        return dataset.copy()
    if type(dataset) is list and _PLAIN.issuperset(map(type, dataset)):
        return dataset.copy()
    return copy.deepcopy(dataset)


def equal(first: Any, second: Any) -> bool:
    """Whether two data sets are equal; False for objects that cannot be compared."""
    if first is second:
        return True
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return type(first) is type(second) and np.array_equal(first, second)
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        return len(first) == len(second) and all(map(equal, first, second))
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(equal(first[key], second[key]) for key in first)
    if type(first) is type(second) and hasattr(first, "equals"):  # tables of pandas, polars and Arrow
        return bool(first.equals(second))
    try:
        return bool(first == second)
    except Exception:  # noqa: BLE001 - another's code; dataclasses of arrays, say
        return (
            type(first) is type(second) and _attributes(first) is not None and equal(*map(_attributes, (first, second)))
        )


def _attributes(dataset: Any) -> Any:
    return getattr(dataset, "__dict__", None)


def short_repr(value: object) -> str:
    """The value's repr in one short line; the name of its type if repr fails."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - another's code
        text = f"a {type(value).__name__}"
    return cut_text(one_line(text))


def cut_text(text: str, most: int = 60) -> str:
    """The text, cut after `most` characters."""
    return text if len(text) <= most else text[: most - 3] + "..."
