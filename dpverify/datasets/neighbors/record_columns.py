"""Data sets that come as columns: tables of pandas, polars and Arrow, dicts of columns, tuples ``(X, y)`` of arrays.

Row i of all columns is record i. A table's index is none of its records: it numbers them, and a table without one
record keeps the numbers of the others. Recognised by what the objects offer, so that no package is imported here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sized
from typing import Any

import numpy as np

from dpverify.core.subjects import Dataset


def columns_of(dataset: Dataset) -> dict[str, Any] | None:
    """The columns by name (numbers stand before names that come twice); None for data sets that have none.

    A tuple is one of columns where an array or a table is in it, or lists of rows beside lists of numbers, and all have
    one length; else its items are records.
    """
    names = _table_names(dataset)
    if names is not None:
        return {_name(names, i): _column(dataset, i) for i in range(len(names))}
    if isinstance(dataset, Mapping):
        whole = dataset and all(
            isinstance(item, Sized) and not isinstance(item, str | bytes) for item in dataset.values()
        )
        return {repr(name): item for name, item in dataset.items()} if whole else None
    if isinstance(dataset, tuple) and len(dataset) > 1 and (any(map(_is_array, dataset)) or _rows_and_labels(dataset)):
        sized = all(isinstance(item, Sized) and getattr(item, "ndim", 1) > 0 for item in dataset)
        return (
            {f"[{i}]": item for i, item in enumerate(dataset)} if sized and len(set(map(len, dataset))) == 1 else None
        )
    return None


def rows_of(columns: dict[str, Any]) -> list[Any] | str:
    """The records, or why there are none."""
    sizes = {name: _length(column) for name, column in columns.items()}
    if len(set(sizes.values())) > 1:
        return f"columns of different lengths: {', '.join(f'{size} in {name}' for name, size in sizes.items())}"
    return list(zip(*map(_items, columns.values()), strict=True))


def _rows_and_labels(items: tuple[Any, ...]) -> bool:
    """Lists, some of lists and some of none: ``([[1, 2], [3, 4]], [0, 1])``."""
    if not all(isinstance(item, list) and item for item in items):
        return False
    return len({isinstance(item[0], list | tuple) for item in items}) == 2


def _is_array(item: Any) -> bool:
    return isinstance(item, np.ndarray) or _table_names(item) is not None or hasattr(item, "to_numpy")


def _table_names(dataset: Any) -> list[Any] | None:
    """The columns' names; None for what is no table."""
    if isinstance(dataset, type) or not (hasattr(dataset, "shape") and hasattr(dataset, "columns")):
        return None
    return list(dataset.column_names if hasattr(dataset, "column_names") else dataset.columns)


def _name(names: list[Any], place: int) -> str:
    return repr(names[place]) if names.count(names[place]) == 1 else f"{place} {names[place]!r}"


def _column(table: Any, place: int) -> list[Any]:
    if hasattr(table, "column_names"):  # Arrow's
        return list(table.column(place).to_pylist())
    column = table.iloc[:, place] if hasattr(table, "iloc") else table[table.columns[place]]
    return list(column.to_list())


def _length(column: Any) -> int:
    return int(column.shape[0]) if hasattr(column, "shape") else len(column)


def _items(column: Any) -> list[Any]:
    inner = columns_of(column) if _table_names(column) is not None else None
    if inner is not None:
        return list(zip(*inner.values(), strict=True))
    if hasattr(column, "to_pylist"):
        return list(column.to_pylist())
    return list(column.to_list() if hasattr(column, "to_list") else column)
