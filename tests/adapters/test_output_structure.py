"""Every value that is read is read whole: two outputs that a reader could tell apart have different parts."""

from __future__ import annotations

import datetime
import enum
import importlib
import importlib.util
import subprocess
import sys
import types
from collections import OrderedDict, deque, namedtuple
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import dpverify as dpv
from dpverify.adapters.output_structure import parts_of
from dpverify.core.errors import InputError
from dpverify.core.verdict import Status

Pair = namedtuple("Pair", "a b")
Other = namedtuple("Other", "a c")


@dataclass
class Answer:
    value: object
    hidden: object = None


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Titled(list):
    pass


def titled(title):
    found = Titled([1.0])
    found.title = title
    return found


def extended(value):
    found = Answer(1.0)
    found.extra = value
    return found


def parts(output):
    return [(part.place, part.kind, list(part.atoms)) for part in parts_of(output, "f")]


DAY = datetime.datetime(2020, 1, 1)

APART = [
    (None, 0),
    (1, 1.0),
    (True, 1),
    ("a", b"a"),
    (b"a", bytearray(b"a")),
    (1 + 2j, 1 + 3j),
    (Decimal("0.1"), Decimal("0.10")),
    (DAY, DAY.replace(microsecond=1)),
    (DAY, DAY.replace(tzinfo=datetime.UTC)),
    (DAY.date(), DAY),
    (datetime.timedelta(1), datetime.timedelta(2)),
    (Colour.RED, Colour.BLUE),
    ([], ()),
    ([1, 2], [2, 1]),
    ([[1], [2, 3]], [[1, 2], [3]]),
    ([[1.0, None]], [[1.0, 0.0]]),
    (range(3), [0, 1, 2]),
    (deque([1]), deque([1], maxlen=3)),
    ({"a": 1}, {"b": 1}),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({"a": 1}, OrderedDict(a=1)),
    ({1: 0}, {1.0: 0}),
    ({("a", 1): 0}, {("a", 2): 0}),
    ({1, 2}, {1, 3}),
    ({1, 2}, frozenset({1, 2})),
    ({"a"}, {b"a"}),
    (set(), {0}),
    (Pair(1, 2), Pair(2, 1)),
    (Pair(1, 2), (1, 2)),
    (Pair(1, 2), Other(1, 2)),
    (Answer(1), Answer(2)),
    (Answer([1]), Answer([1, 1])),
    (Answer(1.0), extended(1)),
    (titled("a"), titled("b")),
    (titled("a"), [1.0]),
    (types.SimpleNamespace(a=1), types.SimpleNamespace(a=2)),
    (np.zeros(2), np.zeros(3)),
    (np.zeros((2, 3)), np.zeros((3, 2))),
    (np.zeros(2), np.zeros(2, dtype=np.float32)),
    (np.array([1 + 1j]), np.array([1 - 1j])),
    (np.array([2**62]), np.array([2**62 + 1])),
    (np.array(["a"]), np.array(["b"])),
    (np.array([1, "a", None], dtype=object), np.array([1, "a", 0], dtype=object)),
    (np.array([[1], [1, 2]], dtype=object), np.array([[1, 2], [1]], dtype=object)),
    (np.array([(1, 2.0)], dtype="i4, f8"), np.array([(1, 3.0)], dtype="i4, f8")),
    (np.array([(1, 2.0)], dtype="i4, f8"), np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")])),
    (np.datetime64(1, "ns"), np.datetime64(2, "ns")),
    (np.datetime64("NaT", "ns"), np.datetime64(2, "ns")),
    (scipy.sparse.csr_matrix(np.eye(2)), scipy.sparse.csr_matrix(np.eye(3))),
    (scipy.sparse.csr_matrix([[0.0, 1.0]]), scipy.sparse.csr_matrix([[1.0, 0.0]])),
    (scipy.sparse.csr_matrix([[0.0, 1.0]]), scipy.sparse.csc_matrix([[0.0, 1.0]])),
    (scipy.sparse.coo_array(np.eye(2)), scipy.sparse.coo_array(2 * np.eye(2))),
]


@pytest.mark.parametrize(("one", "other"), APART)
def test_two_outputs_that_differ_have_different_parts(one, other):
    assert parts(one) != parts(other)
    assert parts(one) == parts(one)
    for wrap in (lambda x: [x], lambda x: {"in": (x,)}, lambda x: Answer([x, 1])):
        assert parts(wrap(one)) != parts(wrap(other))


def test_places_are_never_shared():
    places = [place for place, _, _ in parts({"a": [[1], {"b": Answer((1, {2}))}], "c": np.zeros(2)})]
    assert len(set(places)) == len(places)


def test_a_sets_order_is_nobodys_and_says_nothing():
    assert parts({"a", "b", "c"}) == parts({"c", "b", "a"})


def test_attrs_classes_are_read_by_their_fields():
    """By a class of the form that attrs makes: the package is no dependency."""
    kind = type("Made", (), {"__attrs_attrs__": (types.SimpleNamespace(name="value"),), "__slots__": ("value",)})
    one, other = kind(), kind()
    one.value, other.value = 1, 2
    assert parts(one) != parts(other)


class Lazy:
    """Iterates over its names, as a table of pandas does."""

    def __init__(self, values):
        self.values = values

    def __iter__(self):
        return iter(["age"])

    def __len__(self):
        return 1

    def __array__(self, dtype=None, copy=None):
        return np.zeros(1)


@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: {"rows": x}, lambda x: [1.0, [x]]])
def test_nothing_is_taken_by_what_it_iterates_over(wrap):
    for output in (Lazy([1, 2]), iter([1]), zip([1], [2], strict=True), {}.items(), sys.stdout):
        with pytest.raises(InputError, match="but the type") as caught:
            parts_of(wrap(output), "f")
        assert "\n" not in str(caught.value)


class Tensor:
    """As torch's, as far as it is read."""

    def __init__(self, values, dtype="torch.float32", layout="torch.strided"):
        self.values, self.dtype, self.layout = values, dtype, layout

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return np.array(self.values, dtype=np.float32)


def test_tensors_are_arrays_of_a_type_of_their_own(monkeypatch):
    """By a stand-in: torch is no dependency, and is never imported here."""
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(Tensor=Tensor))
    assert parts(Tensor([1.0])) != parts(Tensor([2.0]))
    assert parts(Tensor([1.0])) != parts(Tensor([1.0, 1.0]))
    assert parts(Tensor([1.0])) != parts(Tensor([1.0], dtype="torch.float16"))
    assert parts(Tensor([1.0])) != parts(np.array([1.0], dtype=np.float32))
    with pytest.raises(InputError, match="to_dense"):
        parts(Tensor([1.0], layout="torch.sparse_coo"))


def tables_parts(output):
    """In words, where a NaN is a NaN."""
    return repr([(part.place, part.kind, list(part.atoms)) for part in parts_of(output, "f")])


def tables_titled(frame, title):
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
    (pd.DataFrame(TWO), tables_titled(pd.DataFrame(TWO), "a")),
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
        assert tables_parts(wrap(one)) != tables_parts(wrap(other))
        assert tables_parts(wrap(one)) == tables_parts(wrap(one))


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


class TablesLazy:
    pass


def stand_in(name):
    """A module of that name with as much as is read of it."""
    module = types.ModuleType(name)
    kinds = {"DataFrame": PolarsFrame, "Series": Column, "LazyFrame": TablesLazy}
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
        assert tables_parts(one) != tables_parts(other)
        assert tables_parts([one]) == tables_parts([one])


@pytest.mark.parametrize("real", [False, *([True] if importlib.util.find_spec("polars") else [])])
def test_a_lazy_table_is_refused(real, monkeypatch):
    module = importlib.import_module("polars") if real else stand_in("polars")
    monkeypatch.setitem(sys.modules, "polars", module)
    with pytest.raises(InputError, match=r"has not been computed.*\.collect\(\)"):
        tables_parts(module.LazyFrame())


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
