"""Unpacks tables of pandas, polars and Arrow: values, index, names, types, missing values and the number of rows.

Types are recognised in already loaded packages; none is imported here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from dpverify.adapters.attributes import refuse_attributes
from dpverify.adapters.unpacked_value import CannotReadError, Unpacked


def read_table(value: Any) -> Unpacked | None:
    """Unpack a table, a column or an index; None for other values."""
    package = type(value).__module__.partition(".")[0]
    for name, read in (("pandas", _pandas), ("polars", _polars), ("pyarrow", _arrow)):
        if name in sys.modules and (package == name or _is_of(value, name)):
            if any(hasattr(value, each) for each in ("groupby", "_df", "_s")):  # of pandas, of polars
                refuse_attributes(value)
            return read(value, sys.modules[name])
    return None


def _is_of(value: Any, name: str) -> bool:
    """Whether a base class of its type is from the package, so that subclasses are included."""
    return any(base.__module__.partition(".")[0] == name for base in type(value).__mro__)


def _is(value: Any, package: Any, *names: str) -> bool:
    return isinstance(value, tuple(filter(None, (getattr(package, name, None) for name in names))))


def _pandas(value: Any, pandas: Any) -> Unpacked | None:
    if _is(value, pandas, "DataFrame"):
        names = list(value.columns)
        inside = [(".columns", value.columns), (".index", value.index)]
        inside += [(f"[{name}]", value.iloc[:, i].array) for i, name in enumerate(_told_apart(names))]
        inside += [(".attrs", value.attrs)] if value.attrs else []
        types = ", ".join(map(str, value.dtypes))
        return Unpacked(f"{type(value).__name__} of {len(value)} rows ({types})", inside=inside)
    if _is(value, pandas, "Series"):
        inside = [(".name", value.name), (".index", value.index), (".values", value.array)]
        inside += [(".attrs", value.attrs)] if value.attrs else []
        return Unpacked(f"{type(value).__name__} of {len(value)} ({value.dtype})", inside=inside)
    if _is(value, pandas, "RangeIndex"):
        return Unpacked(f"RangeIndex of {len(value)}, names {list(value.names)}", (*map(float, _ends(value)),))
    if _is(value, pandas, "Index"):
        values = list(value) if _is(value, pandas, "MultiIndex") else value.array
        return Unpacked(f"{type(value).__name__} of {len(value)}", inside=[(".names", list(value.names))], wraps=values)
    if hasattr(value, "dtype") and hasattr(value, "to_numpy"):  # the array of a column
        return _pandas_array(value)
    if type(value).__name__ in ("NAType", "NaTType"):
        return Unpacked(str(value))
    if type(value).__name__ in ("Timestamp", "Timedelta", "Period", "Interval"):
        return Unpacked(type(value).__name__, (repr(value),))
    return None


def _ends(value: Any) -> tuple[int, int, int]:
    return value.start, value.stop, value.step


def _pandas_array(value: Any) -> Unpacked:
    if hasattr(value, "categories"):
        inside = [(".categories", value.categories), (".codes", np.asarray(value.codes))]
        return Unpacked(f"Categorical of {len(value)} ({value.dtype.ordered})", inside=inside)
    if isinstance(value.dtype, np.dtype) and value.dtype.kind in "biufc":
        return Unpacked(str(value.dtype), wraps=value.to_numpy())
    return Unpacked(str(value.dtype), wraps=list(value.astype(object)))


def _polars(value: Any, polars: Any) -> Unpacked | None:
    if _is(value, polars, "DataFrame"):
        inside = [(f"[{name}]", value[name].to_list()) for name in value.columns]
        types = ", ".join(f"{name!r}: {value[name].dtype}" for name in value.columns)
        return Unpacked(f"polars DataFrame of {value.shape} ({types})", inside=inside)
    if _is(value, polars, "Series"):
        inside = [(".name", value.name), (".values", value.to_list())]
        return Unpacked(f"polars Series of {len(value)} ({value.dtype})", inside=inside)
    raise CannotReadError(f"but a {type(value).__name__} of polars has not been computed", "return .collect()")


def _arrow(value: Any, arrow: Any) -> Unpacked | None:
    if _is(value, arrow, "Table", "RecordBatch"):
        names = [f"[{name}]" for name in _told_apart(list(value.schema.names))]
        inside = list(zip(names, value.columns, strict=True))
        schema = f"{value.schema} {value.schema.metadata}"
        return Unpacked(f"Arrow {type(value).__name__} of {value.num_rows} rows ({schema})", inside=inside)
    if _is(value, arrow, "ChunkedArray"):
        chunks = [len(chunk) for chunk in value.chunks]
        return Unpacked(f"ChunkedArray of {chunks} ({value.type})", wraps=value.to_pylist())
    if _is(value, arrow, "Scalar"):
        return Unpacked(f"Arrow {type(value).__name__} ({value.type})", inside=[(".value", value.as_py())])
    if _is(value, arrow, "Array"):
        plain = value.to_pylist()
        return Unpacked(f"Arrow {type(value).__name__} ({value.type})", wraps=plain)
    return None


def _told_apart(names: list[Any]) -> Iterator[str]:
    """Texts of column names; repeated names get a number."""
    seen: dict[str, int] = {}
    for name in map(repr, names):
        seen[name] = seen.get(name, 0) + 1
        yield name if seen[name] == 1 else f"{name} #{seen[name]}"
