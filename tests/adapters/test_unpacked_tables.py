"""Tables as outputs: pandas' always (a dependency's dependency), polars' and Arrow's by stand-ins and, where they are
installed (they are in the `dev` extra), by the packages themselves."""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
import types

import numpy as np
import pandas as pd
import pytest

import dpverify as dpv
from dpverify.adapters.output_structure import parts_of
from dpverify.core.errors import InputError
from dpverify.core.verdict import Status


def parts(output):
    """In words, where a NaN is a NaN."""
    return repr([(part.place, part.kind, list(part.atoms)) for part in parts_of(output, "f")])


def titled(frame, title):
    frame.attrs["title"] = title
    return frame


TWO = {"age": [30.0, 40.0]}
PANDAS = [
    (pd.DataFrame(TWO), pd.DataFrame({"age": [30.0, 41.0]})),
    (pd.DataFrame(TWO), pd.DataFrame({"age": [30.0]})),
    (pd.DataFrame(TWO), pd.DataFrame({"aged": [30.0, 40.0]})),
    (pd.DataFrame(TWO), pd.DataFrame(TWO, index=[1, 2])),
    (pd.DataFrame(TWO), pd.DataFrame(TWO, index=["0", "1"])),
    (pd.DataFrame(TWO), pd.DataFrame(TWO).rename_axis("row")),
    (pd.DataFrame(TWO), pd.DataFrame(TWO).rename_axis(columns="column")),
    (pd.DataFrame(TWO), pd.DataFrame(TWO).astype("float32")),
    (pd.DataFrame(TWO), pd.DataFrame(TWO).astype("Float64")),
    (pd.DataFrame(TWO), titled(pd.DataFrame(TWO), "a")),
    (pd.DataFrame({"a": [1], "b": [2]}), pd.DataFrame({"b": [2], "a": [1]})),
    (pd.DataFrame([[1, 2]], columns=["a", "a"]), pd.DataFrame([[2, 1]], columns=["a", "a"])),
    (pd.DataFrame({"a": ["x", None]}), pd.DataFrame({"a": ["x", "None"]})),
    (pd.DataFrame({"a": [1.0, np.nan]}), pd.DataFrame({"a": [1.0, 0.0]})),
    (pd.DataFrame({"a": pd.array([1, None])}), pd.DataFrame({"a": pd.array([1, 1])})),
    (pd.DataFrame({"a": pd.array([True, None])}), pd.DataFrame({"a": pd.array([True, False])})),
    (pd.DataFrame({"a": pd.Categorical(["x"])}), pd.DataFrame({"a": pd.Categorical(["x"], categories=["x", "y"])})),
    (pd.DataFrame({"a": pd.Categorical(["x"])}), pd.DataFrame({"a": pd.Categorical(["x"], ordered=True)})),
    (pd.DataFrame({"a": pd.to_datetime([1])}), pd.DataFrame({"a": pd.to_datetime([2])})),
    (pd.DataFrame({"a": pd.to_datetime([1])}), pd.DataFrame({"a": pd.to_datetime([None])})),
    (pd.DataFrame({"a": pd.to_datetime([1])}), pd.DataFrame({"a": pd.to_datetime([1], utc=True)})),
    (pd.DataFrame({"a": [[1], [2, 3]]}), pd.DataFrame({"a": [[1, 2], [3]]})),
    (pd.Series([1.0]), pd.Series([2.0])),
    (pd.Series([1.0]), pd.Series([1.0], name="a")),
    (pd.Series([1.0]), pd.Series([1.0], index=["a"])),
    (pd.Series([1.0]), pd.DataFrame([1.0])),
    (pd.Series([1.0]).array, np.array([1.0])),
    (pd.Index([1]), pd.Index([2])),
    (pd.RangeIndex(3), pd.RangeIndex(0, 6, 2)),
    (pd.MultiIndex.from_tuples([(1, 2)]), pd.MultiIndex.from_tuples([(2, 1)])),
    (pd.MultiIndex.from_tuples([(1, 2)]), pd.MultiIndex.from_tuples([(1, 2)], names=["a", "b"])),
    (pd.Timestamp(1), pd.Timestamp(2)),
    (pd.NaT, pd.NA),
    (pd.NA, None),
    (pd.Interval(0, 1), pd.Interval(0, 2)),
]


@pytest.mark.parametrize(("one", "other"), PANDAS)
def test_two_tables_that_differ_have_different_parts(one, other):
    for wrap in (lambda x: x, lambda x: {"table": [x]}):
        assert parts(wrap(one)) != parts(wrap(other))
        assert parts(wrap(one)) == parts(wrap(one))


def of_polars(polars):
    frame = polars.DataFrame
    return [
        (frame(TWO), frame({"age": [30.0, 41.0]})),
        (frame(TWO), frame({"age": [30.0]})),
        (frame(TWO), frame({"aged": [30.0, 40.0]})),
        (frame({"a": [1, None]}), frame({"a": [1, 0]})),
        (polars.Series("a", [1]), polars.Series("b", [1])),
        (polars.Series("a", [1]), polars.Series("a", [1.0])),
        (polars.Series("a", [1]), [1]),
    ]


def of_arrow(arrow):
    return [
        (arrow.table(TWO), arrow.table({"age": [30.0, 41.0]})),
        (arrow.table(TWO), arrow.table({"age": [30.0]})),
        (arrow.table(TWO), arrow.table({"aged": [30.0, 40.0]})),
        (arrow.table({"a": [1, None]}), arrow.table({"a": [1, 0]})),
        (arrow.array([1]), arrow.array([2])),
        (arrow.array([1]), arrow.array([1.0])),
        (arrow.scalar(1), arrow.scalar(2)),
    ]


class Column:
    """A column of a stand-in: polars' and Arrow's in one."""

    def __init__(self, name, values=None):
        self.name, self.values = (name, values) if values is not None else ("", name)
        self.dtype = self.type = next((type(v).__name__ for v in self.values if v is not None), "null")
        self.chunks = [self.values]

    def __len__(self):
        return len(self.values)

    def to_list(self):
        return list(self.values)

    to_pylist = to_list


class Table:
    """A table of a stand-in, which iterates over its names as the real ones do."""

    column = Column

    def __init__(self, columns):
        self._columns = {name: self.column(name, values) for name, values in columns.items()}
        self.num_rows = len(next(iter(columns.values())))
        self.shape = self.num_rows, len(columns)
        self.schema = types.SimpleNamespace(names=list(columns), metadata=None)

    def __getitem__(self, name):
        return self._columns[name]

    def __iter__(self):
        return iter(self._columns)


class PolarsFrame(Table):
    @property
    def columns(self):
        return list(self._columns)


class ArrowTable(Table):
    @property
    def columns(self):
        return list(self._columns.values())


class Scalar:
    def __init__(self, value):
        self.value, self.type = value, "int"

    def as_py(self):
        return self.value


class Lazy:
    pass


def stand_in(name):
    """A module of that name with as much as is read of it."""
    module = types.ModuleType(name)
    kinds = {"DataFrame": PolarsFrame, "Series": Column, "LazyFrame": Lazy}
    if name == "pyarrow":
        kinds = {"Table": ArrowTable, "ChunkedArray": Column, "Array": Column, "Scalar": Scalar}
    for kind, base in kinds.items():
        setattr(module, kind, type(kind, (base,), {"__module__": f"{name}.inside"}))
    if name == "pyarrow":
        module.Table.column = module.ChunkedArray
        module.table, module.array, module.scalar = module.Table, module.ChunkedArray, module.Scalar
    return module


def packages():
    """Stand-ins always, and the packages where they are installed."""
    for name in ("polars", "pyarrow"):
        yield pytest.param(name, False, id=f"{name}-stand-in")
        if importlib.util.find_spec(name) is not None:
            yield pytest.param(name, True, id=name)


@pytest.mark.parametrize(("name", "real"), list(packages()))
def test_tables_of_other_packages_that_differ_have_different_parts(name, real, monkeypatch):
    module = importlib.import_module(name) if real else stand_in(name)
    monkeypatch.setitem(sys.modules, name, module)
    for one, other in of_polars(module) if name == "polars" else of_arrow(module):
        assert parts(one) != parts(other)
        assert parts([one]) == parts([one])


@pytest.mark.parametrize("real", [False, *([True] if importlib.util.find_spec("polars") else [])])
def test_a_lazy_table_is_refused(real, monkeypatch):
    module = importlib.import_module("polars") if real else stand_in("polars")
    monkeypatch.setitem(sys.modules, "polars", module)
    with pytest.raises(InputError, match=r"has not been computed.*\.collect\(\)"):
        parts(module.LazyFrame())


@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: {"rows": x}])
def test_raw_data_in_a_table_is_refuted(wrap):
    """At a confidence of 1 - 1e-9; the table's columns are the same on both data sets."""
    result = dpv.audit(
        lambda data, rng: wrap(pd.DataFrame({"age": data})),
        [30.0, 40.0],
        [30.0, 41.0],
        claim="PureDP(epsilon=1)",
        trials=500,
        confidence=1 - 1e-9,
    )
    assert result.verdict is Status.REFUTED


def test_nothing_is_imported_that_was_not_there():
    code = (
        "import sys, dpverify, dpverify.adapters.output_structure as s; s.parts_of([1, {'a': (2,)}], 'f');"
        "print(sorted({'pandas', 'polars', 'pyarrow', 'torch', 'jax'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
