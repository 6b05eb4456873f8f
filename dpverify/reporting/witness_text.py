"""Data sets of a witness as text for people."""

from __future__ import annotations

import ast
from typing import Any

LONGEST = 130


def dataset_text(data: Any, most: int = LONGEST) -> str:
    """A data set on one line, cut if it is long; columns of a table have their names as they are in the table."""
    text = str(_table(data) if isinstance(data, dict) else data)
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _table(data: dict[str, Any]) -> dict[Any, Any]:
    """The columns of a table by their names: a record keeps these as Python writes them (``'age'``, ``0``)."""
    try:
        names = [ast.literal_eval(name) for name in data]
        return dict(zip(names, data.values(), strict=True)) if all(map(_quoted, data)) else data
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return data


def _quoted(name: str) -> bool:
    return name[:1] in ("'", '"') or name.isdigit()
