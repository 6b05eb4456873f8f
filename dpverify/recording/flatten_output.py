"""Flattens outputs to a list of numbers and labels and their form, and rebuilds them.

A dataclass is treated as a mapping of its fields.
"""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

LARGEST = 10**308
"""Integers from here on are infinite as floats."""


def leaves(value: Any) -> Iterator[Any]:
    """The parts of a value, in order: elements of arrays, lists and tuples, values of mappings by their names."""
    value = _fields(value)
    if isinstance(value, np.ndarray):
        yield from value.ravel().tolist()
    elif isinstance(value, Mapping):
        for name in sorted(value, key=str):
            yield from leaves(value[name])
    elif isinstance(value, list | tuple):
        for each in value:
            yield from leaves(each)
    else:
        yield value.item() if isinstance(value, np.generic) else value


def form(value: Any) -> Any:
    """The structure of a value, without its parts."""
    value = _fields(value)
    if isinstance(value, np.ndarray):
        return ("array", value.shape)
    if isinstance(value, Mapping):
        return ("mapping", tuple((str(name), form(value[name])) for name in sorted(value, key=str)))
    if isinstance(value, list | tuple):
        return (type(value).__name__, tuple(form(each) for each in value))
    return "value"


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value with every part changed, in the order of `leaves`; arrays of objects become arrays of float64."""
    if _is_record(value):
        changed = copy.copy(value)
        for name, part in mapped(_fields(value), change).items():
            object.__setattr__(changed, name, part)  # works for frozen dataclasses, too
        return changed
    if isinstance(value, np.ndarray):
        parts = [change(each) for each in value.ravel().tolist()]
        return np.array(parts, dtype=np.float64 if value.dtype == object else value.dtype).reshape(value.shape)
    if isinstance(value, Mapping):
        new = {name: mapped(value[name], change) for name in sorted(value, key=str)}
        return {name: new[name] for name in value}
    if isinstance(value, list | tuple):
        parts = [mapped(each, change) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return change(value)


def _is_record(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def _fields(value: Any) -> Any:
    """A dataclass as the mapping of its fields; any other value unchanged."""
    return (
        {field.name: getattr(value, field.name) for field in dataclasses.fields(value)} if _is_record(value) else value
    )


def numbers(values: list[Any]) -> np.ndarray:
    """An array of the values, shape (k,); integers that fit into no machine word become floats."""
    found = np.array(values)
    if found.dtype != object:
        return found
    return np.array([float(each) if abs(each) < LARGEST else math.inf if each > 0 else -math.inf for each in values])
