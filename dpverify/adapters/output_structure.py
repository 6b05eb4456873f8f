"""Divides an output into parts, each with its place, its kind, and its numbers and labels.

Known types are read completely; any other is refused, since `list` of an object may omit data (a table iterates over
its column names). Of tables (pandas, polars, Arrow) these are values, index, names, types, missing values and the
number of rows. Types are recognised in already loaded packages; none is imported here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from dpverify.adapters.copies import short_repr
from dpverify.adapters.scalars import read_scalar
from dpverify.adapters.unpacked_arrays import read_array
from dpverify.adapters.unpacked_containers import Member, read_container
from dpverify.adapters.unpacked_value import (
    MOST_NUMBERS,
    Atoms,
    CannotReadError,
    TooManyError,
    Unpacked,
    refuse_attributes,
)
from dpverify.core.errors import InputError, one_line

DEEPEST = 64
"""Deepest nesting of containers."""


class Part(NamedTuple):
    """A part of an output: `place` ("" for the whole), kind, and its direct numbers and labels."""

    place: str
    kind: str
    atoms: Atoms


Form = tuple[tuple[str, str], ...]
"""Place and kind of every part; two outputs of one form differ only in numbers and labels."""


def parts_of(output: Any, name: str) -> list[Part]:
    """The parts of an output of the callable `name`, the whole first.

    InputError when a part cannot be read completely.
    """
    found: list[Part] = []
    try:
        _walk(output, "", found, ())
    except CannotReadError as problem:
        raise refusal(output, name, problem) from None
    return found


class UnreadableError(InputError):
    """An output that cannot be read completely."""


def refusal(output: Any, name: str, problem: CannotReadError) -> UnreadableError:
    """The error for an output that cannot be read, in one line."""
    shown = f"a {type(output).__name__}" if isinstance(problem, TooManyError) else short_repr(output)
    return UnreadableError(
        f"{name} returned {shown}, {problem.why}",
        allowed="numbers, labels, arrays and tables, and lists, tuples, sets, dicts and dataclasses of these",
        remedy=problem.remedy,
    )


def form_of(parts: list[Part]) -> Form:
    """The form of an output: place and kind of each of its parts."""
    return tuple((part.place, part.kind) for part in parts)


def _walk(value: Any, place: str, found: list[Part], above: tuple[int, ...]) -> None:
    whole = unpacked(value)
    while whole.wraps is not None:
        inner = unpacked(whole.wraps)
        kind, inside = f"{whole.kind}, {inner.kind}", [*whole.inside, *inner.inside]
        whole = Unpacked(kind, [*whole.atoms, *inner.atoms] if len(whole.atoms) else inner.atoms, inside, inner.wraps)
    found.append(Part(place, whole.kind, whole.atoms))
    if len(found) > MOST_NUMBERS:
        raise TooManyError(len(found))
    if not whole.inside:
        return
    if id(value) in above:
        raise CannotReadError("which holds itself", "return what it says as plain values")
    if len(above) == DEEPEST:
        raise CannotReadError(f"which is nested more than {DEEPEST} deep", "return a flat value")
    for below, item in whole.inside:
        _walk(item, place + below, found, (*above, id(value)))


def unpacked(value: Any) -> Unpacked:
    """Unpack a value by the reader of its type; CannotReadError without one."""
    if isinstance(value, Member):
        return Unpacked("in the set")
    try:
        for read in (read_scalar, read_table, read_array, read_container):
            found = read(value)
            if found is not None:
                return found
    except CannotReadError:
        raise
    except RecursionError:
        raise
    except Exception as problem:  # code of another library may raise anything
        line = one_line(f"{type(problem).__name__}: {problem}")
        raise CannotReadError(f"but the type {type(value).__name__} could not be read ({line})", _PLAIN) from problem
    raise CannotReadError(_unknown(value), _PLAIN)


_PLAIN = "return it as plain values: float(...), list(...), np.asarray(...) or str(...)"


def _unknown(value: Any) -> str:
    kind = type(value).__name__
    if hasattr(value, "__next__"):
        return f"but the type {kind} can be read only once"
    return f"but the type {kind} is not known here, so that it might be read in part"


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
