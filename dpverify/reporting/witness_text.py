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
