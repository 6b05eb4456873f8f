"""Unpacks Python's containers: lists, tuples, sets, dicts, dataclasses and similar types.

Only types are included that can be read completely and without side effects: an iterator can be read only once, and an
unknown mapping may create its items on access. A set is sorted, since its order is arbitrary; the order of a dict is
not, so it is part of the kind.
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import types
from collections import deque
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from dpverify.adapters.scalars import read_scalar
from dpverify.adapters.unpacked_value import MOST_NUMBERS, CannotReadError, TooManyError, Unpacked, attributes


def read_container(value: Any) -> Unpacked | None:
    """Unpack a container; None for other values."""
    if isinstance(value, list | tuple | deque | range | dict | set | frozenset) and len(value) > MOST_NUMBERS:
        raise TooManyError(len(value))
    if isinstance(value, list | tuple | deque | range):
        return _sequence(value)
    if isinstance(value, dict | types.MappingProxyType):
        return _dict(value)
    if isinstance(value, set | frozenset):
        return _set(value)
    if isinstance(value, type):
        return None
    if dataclasses.is_dataclass(value):
        return _fields(value, [field.name for field in dataclasses.fields(value)])
    if hasattr(type(value), "__attrs_attrs__"):
        return _fields(value, [field.name for field in type(value).__attrs_attrs__])
    if isinstance(value, types.SimpleNamespace):
        return _fields(value, [])
    return None


_PLAIN = frozenset({list, tuple, dict, set, frozenset, deque, range, types.MappingProxyType})


def _sequence(value: Any) -> Unpacked:
    """Only numbers and labels as one sequence; otherwise the items, each in its place."""
    name, own = _named(value)
    items = [read_scalar(item) for item in value]
    if own or any(item is None for item in items):
        return Unpacked(f"{name} of {len(value)}", inside=[*((f"[{i}]", item) for i, item in enumerate(value)), *own])
    kinds = [item.kind for item in items if item is not None]
    what = f" ({joined_kinds(kinds)})" if kinds else ""
    return Unpacked(
        f"{name} of {len(value)}{what}", [atom for item in items if item is not None for atom in item.atoms]
    )


def _named(value: Any) -> tuple[str, list[tuple[str, Any]]]:
    """The type's name, with fields of a named tuple and additional attributes of a subclass."""
    name, own = type(value).__name__, []
    if hasattr(value, "_fields"):
        name += f"({', '.join(map(str, value._fields))})"
    if isinstance(value, deque) and value.maxlen is not None:
        name += f"(maxlen={value.maxlen})"
    if type(value) not in _PLAIN and (beside := attributes(value)):
        own = [(".__dict__", beside)]
    return name, own


def _dict(value: Mapping[Any, Any]) -> Unpacked:
    names = [key_text(key) for key in value]
    ordered = sorted(zip(map(str, value), names, value.values(), strict=True), key=lambda item: item[:2])
    inside = [(f"[{name}]", item) for _, name, item in ordered]
    kind = f"{type(value).__name__} of {len(value)}"
    if names != [name for _, name, _ in ordered]:
        kind += f" in the order {', '.join(names)}"
    return Unpacked(kind, inside=[*inside, *_named(value)[1]])


def _set(value: Any) -> Unpacked:
    names = sorted(key_text(item) for item in value)
    name, own = _named(value)
    return Unpacked(f"{name} of {len(value)}", inside=[*((f"{{{each}}}", MEMBER) for each in names), *own])


def _fields(value: Any, names: list[str]) -> Unpacked:
    missing = [name for name in names if not hasattr(value, name)]
    extra = [name for name in attributes(value) if name not in names]
    kind = type(value).__qualname__ + (f" without {', '.join(missing)}" if missing else "")
    inside = [(f".{name}", getattr(value, name)) for name in [*names, *extra] if name not in missing]
    return Unpacked(kind, inside=inside)


class Member:
    """Placeholder for a set's element, of which only the presence matters."""


MEMBER = Member()

_KEYS = (str, bytes, int, float, complex, type(None), np.generic, enum.Enum, datetime.date, datetime.time)


def key_text(key: Hashable) -> str:
    """A unique text for a dict's key or a set's element."""
    if isinstance(key, tuple):
        return f"({', '.join(map(key_text, key))},)"
    if isinstance(key, frozenset):
        return f"frozenset({', '.join(sorted(map(key_text, key)))})"
    if isinstance(key, _KEYS) or read_scalar(key) is not None:
        return repr(key)
    raise CannotReadError(
        f"of which a key or a set's element is a {type(key).__name__}", "use strings, numbers or tuples of them there"
    )


def joined_kinds(kinds: list[str]) -> str:
    """Join kinds; a kind that all share is written once."""
    return kinds[0] if len(set(kinds)) == 1 else ", ".join(kinds)
