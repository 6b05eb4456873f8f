"""The container of an example data set: which records it holds, and how other records become such a data set.

Known containers: lists and tuples of records (numbers, texts, tuples, lists, dicts), NumPy arrays of one or two
dimensions, tables of pandas, polars and Arrow, columns of pandas and polars, dicts of columns, ``(X, y)``. Records are
in normal form: a single value, or a tuple of one Python value a field. A table's index is rebuilt as 0, 1, 2, ...
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset

ALLOWED = (
    "a list of numbers, tuples or dicts, a NumPy array of one or two dimensions, a table of pandas, polars or Arrow, "
    "a dict of columns, or a tuple (X, y)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """An example data set, taken apart."""

    word: str
    """What it is: ``list of numbers``, ``pandas table``, ..."""
    records: tuple[Any, ...]
    """In normal form."""
    names: tuple[str, ...] | None
    """Of the fields; None where a record is a single value."""
    build: Callable[[Sequence[Any]], Dataset]
    """``build(records) -> data set``: a container of the same kind."""
    named: bool = True
    """Whether the fields have names of their own, rather than places."""


def container_of(data: Dataset) -> Container:
    """The example taken apart.

    InputError for a container that is not known, rows of different lengths, dicts with different keys.
    """
    for read in (_array, _pandas, _polars, _arrow, _features_and_labels, _columns, _series, _records):
        found = read(data)
        if found is not None:
            return found
    raise InputError(f"data of type {type(data).__name__}", allowed=ALLOWED)


def in_normal_form(record: Any, *, container: Container) -> Any:
    """A record as the user's data have it, in normal form: a dict or a row becomes a tuple of one value a field.

    InputError for a record of other fields than the example's.
    """
    if container.names is None:
        return _plain(record)
    if isinstance(record, Mapping) and {str(name) for name in record} == set(container.names):
        by_name = {str(name): value for name, value in record.items()}
        return tuple(_plain(by_name[name]) for name in container.names)
    if isinstance(record, list | tuple | np.ndarray) and len(record) == len(container.names):
        return tuple(map(_plain, record))
    raise InputError(
        f"a record {record!r:.60} for a {container.word}", allowed=f"the fields {', '.join(container.names)}"
    )


def places(count: int) -> tuple[str, ...]:
    """Names of fields that have places only: ``[0]``, ``[1]``, ..."""
    return tuple(f"[{place}]" for place in range(count))


def _array(data: Dataset) -> Container | None:
    if not isinstance(data, np.ndarray):
        return None
    kind, shape = data.dtype, data.shape
    if data.ndim == 1 and kind.names is None:

        def vector(records: Sequence[Any]) -> Dataset:
            return np.array(list(records), dtype=kind).reshape(len(records))

        return Container(word=f"array of {kind}", records=tuple(data.tolist()), names=None, build=vector)
    if data.ndim == 2:

        def matrix(records: Sequence[Any]) -> Dataset:
            return np.array(list(records), dtype=kind).reshape(len(records), shape[1])

        return Container(
            word=f"array of {kind}, {shape[1]} columns",
            records=tuple(map(tuple, data.tolist())),
            names=places(shape[1]),
            build=matrix,
            named=False,
        )
    raise InputError(f"data: an array of shape {shape}", allowed="one or two dimensions: a value or a row a record")


def _pandas(data: Dataset) -> Container | None:
    frame = _from_module(data, "pandas", "DataFrame")
    if frame is None:
        return None
    names = tuple(map(str, data.columns))
    if len(set(names)) < len(names):
        raise InputError(
            f"data: columns called {', '.join(names)}", allowed="a table whose columns have different names"
        )
    columns, types, column = list(data.columns), data.dtypes, sys.modules["pandas"].Series

    def build(records: Sequence[Any]) -> Dataset:
        cells = dict(zip(columns, _turned(records, len(columns)), strict=True))
        return frame({name: column(values, dtype=types[name]) for name, values in cells.items()}, columns=columns)

    return Container(
        word="pandas table", records=tuple(_rows(data[name].tolist() for name in columns)), names=names, build=build
    )


def _polars(data: Dataset) -> Container | None:
    frame = _from_module(data, "polars", "DataFrame")
    if frame is None:
        return None
    schema = data.schema

    def build(records: Sequence[Any]) -> Dataset:
        return frame(dict(zip(schema, _turned(records, len(schema)), strict=True)), schema=schema)

    return Container(word="polars table", records=tuple(map(tuple, data.rows())), names=tuple(schema), build=build)


def _arrow(data: Dataset) -> Container | None:
    table = _from_module(data, "pyarrow", "Table")
    if table is None:
        return None
    schema = data.schema

    def build(records: Sequence[Any]) -> Dataset:
        return table.from_pydict(
            dict(zip(schema.names, _turned(records, len(schema.names)), strict=True)), schema=schema
        )

    rows = _rows(column.to_pylist() for column in data.columns)
    return Container(word="Arrow table", records=tuple(rows), names=tuple(schema.names), build=build)


def _features_and_labels(data: Dataset) -> Container | None:
    """``(X, y)``: arrays of one length, one of them at least of two dimensions or NumPy's."""
    if not (isinstance(data, tuple) and len(data) == 2 and all(isinstance(part, np.ndarray) for part in data)):
        return None
    if any(part.ndim not in (1, 2) for part in data) or len(data[0]) != len(data[1]):
        shapes = " and ".join(str(part.shape) for part in data)
        raise InputError(f"data: a tuple of arrays of shapes {shapes}", allowed="(X, y) with as many rows in y as in X")
    parts = [container_of(part) for part in data]
    widths = [len(part.names) if part.names is not None else 0 for part in parts]
    names = tuple(f"{side}{name}" for side, part in zip("Xy", parts, strict=True) for name in (part.names or ("",)))

    def build(records: Sequence[Any]) -> Dataset:
        cut = widths[0] or 1
        sides = [row[:cut] for row in records], [row[cut:] for row in records]
        return tuple(
            part.build([row if width else row[0] for row in rows])
            for part, width, rows in zip(parts, widths, sides, strict=True)
        )

    pairs = zip(*(_as_rows(part) for part in parts), strict=True)
    return Container(word="(X, y)", records=tuple(x + y for x, y in pairs), names=names, build=build)


def _columns(data: Dataset) -> Container | None:
    """A dict of columns."""
    if not isinstance(data, Mapping):
        return None
    sizes = {name: len(column) if hasattr(column, "__len__") else -1 for name, column in data.items()}
    texts = any(isinstance(column, str | bytes) for column in data.values())
    if not data or texts or len(set(sizes.values())) > 1 or -1 in sizes.values():
        raise InputError(f"data: a dict of {', '.join(map(repr, data)) or 'nothing'}", allowed="columns of one length")
    parts = {name: container_of(column) for name, column in data.items()}
    if any(part.names is not None for part in parts.values()):
        raise InputError("data: a dict of columns that hold rows", allowed="a single value a column and record")

    def build(records: Sequence[Any]) -> Dataset:
        turned = zip(parts.items(), _turned(records, len(parts)), strict=True)
        return {name: part.build(values) for (name, part), values in turned}

    rows = _rows(part.records for part in parts.values())
    return Container(word="dict of columns", records=tuple(rows), names=tuple(map(str, data)), build=build)


def _series(data: Dataset) -> Container | None:
    """A column of pandas or polars."""
    for module, kind in (("pandas", "dtype"), ("polars", "dtype")):
        series = _from_module(data, module, "Series")
        if series is not None:
            name, dtype = data.name, getattr(data, kind)

            def build(records: Sequence[Any], *, make: Any = series, name: Any = name, dtype: Any = dtype) -> Dataset:
                return make(
                    name=name,
                    dtype=dtype,
                    **{"data" if make.__module__.startswith("pandas") else "values": list(records)},
                )

            return Container(word=f"{module} column", records=tuple(data.to_list()), names=None, build=build)
    return None


def _records(data: Dataset) -> Container | None:
    """A list or tuple of records."""
    if not isinstance(data, list | tuple):
        return None
    make = tuple if type(data) is tuple else list
    items = list(data)
    word = type(data).__name__
    if items and all(isinstance(item, Mapping) for item in items):
        names = tuple(items[0])
        _same(items, [set(item) == set(names) for item in items], "dicts with the same keys")
        records = tuple(tuple(_plain(item[name]) for name in names) for item in items)

        def dicts(rows: Sequence[Any]) -> Dataset:
            return make(dict(zip(names, row, strict=True)) for row in rows)

        return Container(word=f"{word} of dicts", records=records, names=tuple(map(str, names)), build=dicts)
    if items and all(isinstance(item, list | tuple | np.ndarray) and np.ndim(item) <= 1 for item in items):
        width, inner = len(items[0]), type(items[0])
        _same(items, [len(item) == width for item in items], "rows of one length")
        rebuilt = np.array if inner is np.ndarray else inner

        def rows_(rows: Sequence[Any]) -> Dataset:
            return make(rebuilt(row) for row in rows)

        records = tuple(tuple(map(_plain, item)) for item in items)
        return Container(
            word=f"{word} of {inner.__name__}s", records=records, names=places(width), build=rows_, named=False
        )
    return Container(word=word, records=tuple(map(_plain, items)), names=None, build=make)


def _same(items: list[Any], same: list[bool], allowed: str) -> None:
    if not all(same):
        place = same.index(False)
        raise InputError(f"data: record {place} is not like record 0", allowed=allowed)


def _plain(value: Any) -> Any:
    """A NumPy number as Python's."""
    return value.item() if isinstance(value, np.generic) else value


def _as_rows(part: Container) -> list[tuple[Any, ...]]:
    return [record if part.names is not None else (record,) for record in part.records]


def _rows(columns: Any) -> list[tuple[Any, ...]]:
    return [tuple(map(_plain, row)) for row in zip(*columns, strict=True)]


def _turned(records: Sequence[Any], width: int) -> list[list[Any]]:
    """Rows as columns."""
    return [[record[place] for record in records] for place in range(width)]


def _from_module(data: Any, module: str, name: str) -> Any:
    """The class `name` of a package that is loaded, if `data` is one of its instances; nothing is imported."""
    found = getattr(sys.modules.get(module), name, None)
    return found if isinstance(found, type) and isinstance(data, found) else None


_OUTER: dict[str, Callable[[Any], Any]] = {"list": list, "tuple": tuple}
_INNER: dict[str, Callable[[Any], Any]] = {"lists": list, "tuples": tuple, "dicts": dict, "ndarrays": np.array}
_ARRAY = re.compile(r"array of ([^,]+)(?:, \d+ columns)?")


def from_word(value: Any, word: str) -> Dataset:
    """The data set; an empty word takes the value as it is.

    Raises
    ------
    InputError
        For a container that needs more than its word: a table, columns, ``(X, y)``; and for values that do not fit it.
    """
    if not word:
        return value
    array = _ARRAY.fullmatch(word)
    outer, _, inner = word.partition(" of ")
    try:
        if array is not None:
            return np.array(value, dtype=array[1])
        if outer in _OUTER and (not inner or inner in _INNER):
            return _OUTER[outer](_INNER[inner](record) if inner else record for record in value)
    except (TypeError, ValueError) as problem:
        raise InputError(f"values that make no {word} ({problem})", allowed="those of the container") from None
    raise InputError(
        f"a data set of kind {word!r} cannot be made again from a file alone",
        allowed="lists, tuples and arrays",
        remedy="declare the audit with its data in dpverify.toml",
    )
