"""Data sets as programs read them: JSON on one line, or CSV."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from dpverify.core.errors import InputError
from dpverify.datasets.examples.container import container_of


def json_text(data: Any) -> str:
    """The data set as JSON on one line; tables are objects of their columns, and a missing value (NaN) is null.

    InputError for a data set with a part that JSON has no word for.
    """
    return json.dumps(_plain(data), allow_nan=False, separators=(",", ":"))


def csv_text(data: Any) -> str:
    """The data set as CSV: a record a line; with a first line of names where columns have them.

    InputError for a data set that has no rows.
    """
    value = _plain(data)
    if isinstance(value, dict) and value and all(isinstance(column, list) for column in value.values()):
        rows: list[Any] = [list(value), *zip(*value.values(), strict=True)]
    elif isinstance(value, list) and value and all(isinstance(each, dict) and each for each in value):
        names = list(value[0])
        if any(list(each) != names for each in value):
            raise _no_rows(data)
        rows = [names, *([each[name] for name in names] for each in value)]
    elif isinstance(value, list):
        rows = [each if isinstance(each, list) else [each] for each in value]
    else:
        raise _no_rows(data)
    if any(isinstance(part, list | dict) for row in rows for part in row):
        raise _no_rows(data)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            return None
        raise InputError(f"a data set with {value} for a program", allowed="finite numbers")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return [_plain(item) for item in sorted(value, key=repr)]
    if hasattr(value, "columns") and hasattr(value, "shape"):  # a table
        table = container_of(value)
        return {name: [_plain(row[place]) for row in table.records] for place, name in enumerate(table.names or ())}
    if hasattr(value, "to_numpy"):
        return _plain(np.asarray(value.to_numpy()))
    raise InputError(
        f"a data set with a {type(value).__name__} for a program",
        allowed="numbers, texts, true, false and null, in lists, arrays, objects and tables",
    )


def _no_rows(data: Any) -> InputError:
    return InputError(
        f"{{data:csv}} for a {type(data).__name__} that has no rows of single values",
        allowed="a list, an array, a table, or records of the same fields",
        remedy="write {data}, which is a file of JSON",
    )
