"""Data sets of a witness as text for people."""

from __future__ import annotations

import ast
from typing import Any

LONGEST = 130

MOST_VALUES = 6
"""Most values of a list beside arrays that are known by their hash only."""


def dataset_text(data: Any, most: int = LONGEST) -> str:
    """A data set on one line, cut if it is long; columns of a table have their names as they are in the table.

    Arrays of which a record keeps the hash alone are told by shape, type and the hash's first digits.
    """
    text = _arrays(data) if isinstance(data, dict) else ""
    text = text or str(_table(data) if isinstance(data, dict) else data)
    return text if len(text) <= most else f"{text[: most - 3]}..."


def difference_text(d0: Any, d1: Any) -> str:
    """Say how a table differs from its neighbour, by its column and its record; empty for other data sets.

    Such as ``d0 without the record ward = 'C', age = 100`` or ``d0, but age of record 3 is 100, not 27``.
    """
    if not isinstance(d0, dict) or not isinstance(d1, dict) or list(d0) != list(d1) or not d0:
        return ""
    first, second = _table(d0), _table(d1)
    rows, others = _records(first), _records(second)
    if rows is None or others is None:
        return ""
    if len(rows) == len(others):
        places = [place for place, (one, two) in enumerate(zip(rows, others, strict=True)) if one != two]
        changes = [
            f"{name} of record {place + 1} is {new!r}, not {old!r}"
            for place in places
            for name, old, new in zip(first, rows[place], others[place], strict=True)
            if old != new
        ]
        return f"d0, but {'; '.join(changes)}" if len(places) == 1 else ""
    longer, shorter = (rows, others) if len(rows) > len(others) else (others, rows)
    at = next((place for place, row in enumerate(shorter) if row != longer[place]), len(shorter))
    if longer[:at] + longer[at + 1 :] != shorter:
        return ""
    record = ", ".join(f"{name} = {value!r}" for name, value in zip(first, longer[at], strict=True))
    return f"d0 {'without' if longer is rows else 'and'} the record {record}"


def _records(table: dict[Any, Any]) -> list[tuple[Any, ...]] | None:
    """The records of a table of columns; None where it is none."""
    columns = list(table.values())
    if not all(isinstance(each, list) and len(each) == len(columns[0]) for each in columns):
        return None
    return list(zip(*columns, strict=True))


def _arrays(data: dict[str, Any]) -> str:
    """``features: float64 of shape [1000, 124], hash 51789192``; empty where no array is told by a hash."""
    if not any(map(_hashed, data.values())):
        return ""
    return ", ".join(f"{name}: {_array(each)}" for name, each in data.items() if each)


def _array(value: Any) -> str:
    if _hashed(value):
        return f"{value['type']} of shape {value['shape']}, hash {str(value['sha256'])[:8]}"
    return f"{len(value)} values" if isinstance(value, list) and len(value) > MOST_VALUES else str(value)


def _hashed(value: Any) -> bool:
    return isinstance(value, dict) and {"shape", "type", "sha256"} <= value.keys()


def _table(data: dict[str, Any]) -> dict[Any, Any]:
    """The columns of a table by their names: a record keeps these as Python writes them (``'age'``, ``0``)."""
    try:
        names = [ast.literal_eval(name) for name in data]
        return dict(zip(names, data.values(), strict=True)) if all(map(_quoted, data)) else data
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return data


def _quoted(name: str) -> bool:
    return name[:1] in ("'", '"') or name.isdigit()
