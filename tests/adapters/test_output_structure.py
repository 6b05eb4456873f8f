"""Every value that is read is read whole: two outputs that a reader could tell apart have different parts."""

from __future__ import annotations

import datetime
import enum
import sys
import types
from collections import OrderedDict, deque, namedtuple
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pytest
import scipy.sparse

from dpverify.adapters.output_structure import parts_of
from dpverify.core.errors import InputError

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
