"""Flattens outputs to a list of numbers and labels and their form, and rebuilds them.

A dataclass is treated as a mapping of its fields.

The parts of a recorded result have names in the order of `leaves`, so that an event says which number it means.
"""

from __future__ import annotations

import copy
import dataclasses
import math
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from dpverify.core.transcript import Transcript
from dpverify.recording.observed_steps import NOISE

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


_RESULT = re.compile(r"\bresult\[(\d+)\]")


def leaf_names(form: Any, name: str = "") -> Iterator[str]:
    """``result['mean']``, ``result['counts'][2]`` ... for a form of `flatten_output.form`."""
    if form == "value":
        yield name
        return
    kind, inside = form
    if kind == "array":
        yield from (f"{name}[{', '.join(map(str, at))}]" for at in product(*map(range, inside)))
    elif kind == "mapping":
        for key, part in inside:
            yield from leaf_names(part, f"{name}[{key!r}]")
    else:
        for number, part in enumerate(inside):
            yield from leaf_names(part, f"{name}[{number}]")


def with_leaf_names(event: str, run: Transcript) -> str:
    """The event, in which ``result[1]`` (the second noisy number of the result) has the name of its part.

    Unchanged where the result's noise has two laws, since the numbers count each by itself.
    """
    forms = [step.value for step in run.steps if step.name == "form of the result"]
    shown = [step.value for step in run.steps if step.name == "result" and step.kind == "public"]
    drawn = [step.clean.size for step in run.steps if step.name == "result" and step.kind == "noisy"]
    names = list(leaf_names(forms[-1], "result")) if forms and shown and len(drawn) == 1 else []
    if not names or not isinstance(shown[-1], tuple) or len(names) != len(shown[-1]):
        return event
    noisy = [name for name, part in zip(names, shown[-1], strict=True) if isinstance(part, str) and part == NOISE]
    if len(noisy) != drawn[0]:
        return event
    return _RESULT.sub(lambda found: noisy[int(found[1])] if int(found[1]) < len(noisy) else found[0], event)
