"""Data sets as multisets of records: what makes two of them neighbours does not depend on the order of the records.

A data set may be a list or a set (of numbers, strings, lists, dicts), a 1-D array of numbers, a 2-D array of rows,
anything that numpy reads as one of those, or columns: a table of pandas, polars or Arrow, a dict of columns, ``(X,
y)``, an object with `features` and `labels`. Records are equal when all their values are; there is no tolerance, and
NaN equals NaN here.

Row i of all columns is record i. A table's index is none of its records: it numbers them, and a table without one
record keeps the numbers of the others. Recognised by what the objects offer, so that no package is imported here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sized
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


Records = list[Hashable]


def records_of(dataset: Dataset, name: str) -> Records | str:
    """The records in comparable form, or why `dataset` has none (one line, calling it `name`)."""
    if hasattr(dataset, "features") and hasattr(dataset, "labels"):
        features, labels = np.asarray(dataset.features), np.asarray(dataset.labels)
        if features.shape[:1] != labels.shape[:1]:
            return f"{name} has {len(features)} rows of features and {len(labels)} labels"
        return [(_frozen(row), _frozen(label)) for row, label in zip(features, labels, strict=True)]
    columns = columns_of(dataset)
    if columns is not None:
        rows = rows_of(columns)
        return f"{name} has {rows}" if isinstance(rows, str) else [_frozen(row) for row in rows]
    if isinstance(dataset, (list, tuple, set, frozenset)):
        return [_frozen(record) for record in dataset]
    if hasattr(dataset, "__array__"):
        array = np.asarray(dataset)
        if array.ndim == 0:
            return f"{name} is a single value: records come as a list, an array or a table"
        return [_frozen(record) for record in array]
    return f"{name} is of type {type(dataset).__name__}: records come as a list, a set, an array, a table or (X, y)"


def both(d0: Dataset, d1: Dataset) -> tuple[Records, Records] | str:
    """The records of both, or the reason why one of them has none."""
    first, second = records_of(d0, "d0"), records_of(d1, "d1")
    columns = [list(each) if each is not None else None for each in map(columns_of, (d0, d1))]
    if columns[0] != columns[1]:
        told = (f"the columns {', '.join(each)}" if each is not None else "no columns" for each in columns)
        return "d0 has {}, d1 has {}".format(*told)
    if isinstance(first, str):
        return first
    return second if isinstance(second, str) else (first, second)


def only_in(first: Records, second: Records) -> list[int]:
    """Places of the records of `first` that `second` has fewer of, in the order of `first`."""
    left = Counter(second)
    surplus = []
    for place, record in enumerate(first):
        if left[record] > 0:
            left[record] -= 1
        else:
            surplus.append(place)
    return surplus


def _frozen(value: Any) -> Hashable:
    if isinstance(value, np.ndarray):
        return tuple(_frozen(item) for item in value) if value.ndim else _frozen(value.item())
    if isinstance(value, np.generic):
        return _frozen(value.item())
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, dict):
        return ("dict", *sorted((str(key), _frozen(item)) for key, item in value.items()))
    if isinstance(value, float) and value != value:
        return "nan"
    return value if isinstance(value, Hashable) else repr(value)
