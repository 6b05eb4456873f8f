"""What an object carries beside its value is refused or read, and never left out."""

from __future__ import annotations

import datetime
import decimal
import fractions
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from dpverify.adapters import output_structure
from dpverify.adapters.encoding import NAN, Encoder, decoded
from dpverify.adapters.output_structure import UnreadableError, parts_of
from dpverify.adapters.unpacked_value import array_kind, number_kind


def subclass(base, *arguments):
    """A value of a subclass, with the attribute `secret`."""
    made = type(f"My{base.__name__}", (base,), {})(*arguments)
    made.secret = [3.0]
    return made


class Array(np.ndarray):
    """An array that may carry more."""


def array_with_secret():
    made = np.zeros(2).view(Array)
    made.secret = [3.0]
    return made


def table_with_secret(table):
    object.__setattr__(table, "secret", [3.0])
    return table


REFUSED = [
    array_with_secret(),
    *(subclass(base, 1) for base in (float, int, complex, str, decimal.Decimal, fractions.Fraction)),
    subclass(datetime.date, 2020, 1, 1),
    subclass(np.float32, 1),
    scipy.sparse.csr_matrix([[1.0]]),
    table_with_secret(pd.DataFrame({"a": [0.0]})),
    table_with_secret(pd.Series([0.0])),
    table_with_secret(pd.Index([0.0])),
]
REFUSED[-4].secret = [3.0]


@pytest.mark.parametrize("value", REFUSED, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("wrap", [lambda each: each, lambda each: [1.0, each], lambda each: {"a": {"b": each}}])
def test_an_attribute_beside_a_value_is_refused(value, wrap):
    with pytest.raises(UnreadableError, match="carries 'secret' beside its value"):
        parts_of(wrap(value), "f")


def test_an_attribute_of_a_batch_is_refused():
    with pytest.raises(UnreadableError, match="carries 'secret'"):
        Encoder("f").batch(array_with_secret(), 2)


def test_slots_of_containers_are_parts():
    class Row(dict):
        __slots__ = ("secret",)

    one, other = Row(a=1.0), Row(a=1.0)
    one.secret, other.secret = 1.0, 2.0
    assert parts_of(one, "f") != parts_of(other, "f")


@pytest.mark.parametrize(
    "value",
    [
        np.zeros((1, 1)).view(np.matrix),
        np.rec.array([(1.0,)], dtype=[("a", "f8")]),
        pd.Timestamp("2020"),
        fractions.Fraction(1, 3),
        decimal.Decimal("1.5"),
        *(kind(np.eye(2)) for kind in (scipy.sparse.csr_matrix, scipy.sparse.lil_matrix, scipy.sparse.dok_matrix)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_a_library_keeps_for_itself_is_no_attribute(value):
    repr(value)
    assert parts_of(value, "f")


def test_a_masked_array_is_its_values():
    assert parts_of(np.ma.masked_array([1.0]), "f")
    seen = np.ma.masked_array([1.0])
    repr(seen)  # numpy then keeps the usual fill value
    assert parts_of(seen, "f")
    for odd in (np.ma.masked_array([1.0], fill_value=3.0), np.ma.masked_array([1.0])):
        odd._optinfo.update({} if odd.fill_value == 3.0 else {"secret": 3.0})
        with pytest.raises(UnreadableError, match="fill value or more"):
            parts_of(odd, "f")


def test_metadata_of_a_dtype_are_refused():
    with pytest.raises(UnreadableError, match="metadata"):
        parts_of(np.zeros(2, dtype=np.dtype("f8", metadata={"secret": 3.0})), "f")


def nan(payload):
    return np.uint64(0x7FF8000000000000 | payload).view(np.float64)


def test_nans_with_different_bits_are_different_outputs():
    encoder = Encoder("f")
    rows = [encoder.one(float(each)) for each in (np.nan, nan(3), nan(7), -np.nan)]
    assert rows[0] == NAN
    assert len({float(row) for row in rows}) == 4
    assert np.isnan([decoded(row) for row in rows]).all()
    assert encoder.batch(np.array([np.nan, nan(3), nan(7), -np.nan]), 4).tolist() == rows
    assert any("different bits" in note for note in encoder.notes())


@pytest.mark.parametrize(
    ("value", "other"),
    [
        (np.uint32(0x7FC00003).view(np.float32), np.float32(np.nan)),
        (complex(0.0, nan(3)), complex(0.0, np.nan)),
        ([nan(3)], [np.nan]),
        (np.array([1.0, nan(3)]), np.array([1.0, np.nan])),
    ],
)
def test_so_are_they_in_other_types(value, other):
    encoder = Encoder("f")
    assert encoder.one(value).tolist() != encoder.one(other).tolist()


def test_usual_nans_need_no_words_on_bits():
    encoder = Encoder("f")
    encoder.batch(np.array([np.nan, 1.0]), 2)
    assert not any("bits" in note for note in encoder.notes())


FIELDS = np.zeros(2, dtype=[("age", "f8"), ("sum", "f8")])


@pytest.mark.parametrize(
    "view", [np.arange(4.0)[:2], np.arange(4.0)[:0], [np.arange(4.0)[:1]], FIELDS[["sum"]], memoryview(b"abc")[:1]]
)
def test_a_view_is_read_as_its_own_values_and_a_note_says_so(view):
    encoder = Encoder("f")
    encoder.one(view)
    assert any("its .base" in note for note in encoder.notes())


@pytest.mark.parametrize("whole", [np.arange(4.0), np.arange(4.0).reshape(2, 2).T, FIELDS, [np.arange(3.0)]])
def test_an_array_of_its_own_needs_no_note(whole):
    encoder = Encoder("f")
    encoder.one(whole)
    assert not encoder.views


@pytest.mark.parametrize("wide", [np.zeros(10**6 + 1), [0.0] * (10**6 + 1), {"a": range(10**6 + 1)}])
def test_an_output_of_more_numbers_than_are_kept_is_refused(wide):
    with pytest.raises(UnreadableError, match=r"returned a .*, of which the 1000001 parts are more than 1000000"):
        Encoder("f").one(wide)


def test_an_output_that_grows_by_sharing_is_refused_soon(monkeypatch):
    """At a hundredth of the limit, which the tests above reach: it is looked at part by part."""
    monkeypatch.setattr(output_structure, "MOST_NUMBERS", 10**4)
    shared = [0.0]
    for _ in range(60):
        shared = [shared, shared]
    with pytest.raises(UnreadableError, match="of which the 10001 parts"):
        Encoder("f").one(shared)


def test_so_is_a_batch_of_them():
    with pytest.raises(UnreadableError, match="are more than 1000000"):
        Encoder("f").batch(np.zeros((2, 10**6 + 1), dtype=np.int8), 2)


@pytest.mark.parametrize("wrap", [lambda each: each, lambda each: [1.0, each], lambda each: {"a": {"b": each}}])
def test_a_memmap_is_its_values_and_what_somebody_set_on_it_is_refused(tmp_path, wrap):
    one, other = (np.memmap(tmp_path / name, dtype=float, mode="w+", shape=(2,)) for name in "ab")
    one[:] = other[:] = 1.0
    assert repr(parts_of(wrap(one), "f")) == repr(parts_of(wrap(other), "f"))
    other[1] = 2.0
    assert repr(parts_of(wrap(one), "f")) != repr(parts_of(wrap(other), "f"))
    other.secret = [3.0]
    with pytest.raises(UnreadableError, match="carries 'secret'"):
        parts_of(wrap(other), "f")


def test_a_memmap_whose_file_is_written_again_keeps_the_values_of_its_call(tmp_path):
    encoder, found, kept = Encoder("f"), [], []
    for value in (1.0, 2.0):
        mapped = np.memmap(tmp_path / "a", dtype=float, mode="w+", shape=(2,))
        mapped[:] = value
        found.append(encoder.one(mapped))
        kept.append(parts_of(mapped, "f"))
    assert [list(each) for each in found] == [[1.0, 1.0], [2.0, 2.0]]
    assert repr(kept[0]) != repr(kept[1])


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, "bool"),
        (np.bool_(True), "bool"),
        (1, "int"),
        (np.int8(1), "int"),
        (np.uint64(1), "int"),
        (1.0, "float"),
        (np.float64(1), "float"),
        (np.float32(1), "float32"),
        (np.float16(1), "float16"),
        (Fraction(1, 2), "Fraction"),
        (1j, None),
        (np.complex64(1), None),
        ("1", None),
        (None, None),
    ],
)
def test_the_kind_of_a_number(value, kind):
    assert number_kind(value) == kind


def test_the_kind_of_an_array_is_that_of_its_numbers():
    for given in (True, 1, 1.0, np.float32(1), np.float16(1)):
        assert array_kind(np.array([given])) == number_kind(given)
    assert array_kind(np.zeros(1, dtype=">f8")) == "float"
    assert array_kind(np.array(["a"])) == array_kind(np.array(["abc"])) == "label"
    assert array_kind(np.array([b"a"])) == "bytes label"
