"""Data sets as multisets of records: what makes two of them neighbours does not depend on the order of the records.

A data set may be a list or a set (of numbers, strings, lists, dicts), a 1-D array of numbers, a 2-D array of rows,
anything that numpy reads as one of those, or columns (`record_columns`): a table of pandas, polars or Arrow, a dict of
columns, ``(X, y)``, an object with `features` and `labels`. The rows of columns are the records.
Records are equal when all their values are; there is no tolerance, and NaN equals NaN here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Any

import numpy as np

from dpverify.core.subjects import Dataset
from dpverify.datasets.neighbors.record_columns import columns_of, rows_of

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
