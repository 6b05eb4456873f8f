"""Norms of a change: exact in fractions, rounded down once, with an honest allowance in floats."""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditors.sensitivity.query_change import certain_change, quick_change
from dpverify.core.subjects import Pair
from dpverify.datasets.table import Table

NUMBERS = st.floats(-1e6, 1e6)


def subject(function):
    return SimpleNamespace(query=function)


@given(
    first=st.lists(NUMBERS, min_size=1, max_size=6),
    moves=st.lists(NUMBERS, min_size=6, max_size=6),
    norm=st.sampled_from(["l1", "l2", "linf"]),
)
def test_exact_norms_are_never_above_the_truth(first, moves, norm):
    second = [a + b for a, b in zip(first, moves, strict=False)]
    change = certain_change(subject(lambda d: np.asarray(d)), Pair(d0=np.array(first), d1=np.array(second)), norm)
    differences = [abs(Fraction(b) - Fraction(a)) for a, b in zip(first, second, strict=True)]
    assert (change.arithmetic, change.error) == ("rational", 0.0)
    value = Fraction(change.value)
    if norm == "l2":
        square = sum(x * x for x in differences)
        assert value**2 <= square
        assert math.isclose(change.value, math.sqrt(square), rel_tol=1e-15, abs_tol=1e-300)
    else:
        exact = sum(differences) if norm == "l1" else max(differences)
        assert value <= exact
        assert Fraction(math.nextafter(change.value, math.inf)) > exact


@given(records=st.lists(NUMBERS, min_size=2, max_size=50))
@settings(max_examples=50, deadline=None)
def test_the_allowance_covers_the_rounding_of_sums(records):
    """A query that hides from fractions: its float answer must lie within the allowance of the exact one."""
    data = np.array(records)
    query = subject(lambda d: np.asarray(d, dtype=np.float64).sum())
    change = certain_change(query, Pair(d0=data, d1=data[:-1]), "l1")
    assert change.arithmetic == "float64"
    assert abs(Fraction(change.value) - abs(Fraction(records[-1]))) <= Fraction(change.error)


def test_queries_that_leave_the_fractions_are_noticed():
    pair = Pair(d0=np.array([1.0, 2.0]), d1=np.array([1.0, 4.0]))
    assert certain_change(subject(lambda d: sum(d) / 3), pair, "l2").arithmetic == "rational"
    for leaves in (
        lambda d: sum(d) * 0.5,
        lambda d: np.sqrt(np.asarray(d, dtype=float)),
        lambda d: np.asarray(d).astype(np.float64).sum(),
        lambda d: sum(d) if isinstance(d[0], float) else 7,
    ):
        assert certain_change(subject(leaves), pair, "l2").arithmetic == "float64"


def test_data_that_are_no_plain_numbers():
    table = Table(features=np.ones((3, 2)), labels=np.array([1.0, -1.0, 1.0]))
    query = subject(lambda t: t.features.sum(axis=0))
    change = certain_change(query, Pair(d0=table, d1=table.without(0)), "l2")
    assert change.arithmetic == "float64"
    assert change.value == pytest.approx(math.sqrt(2.0))
    assert 0 < change.error < 1e-11
    words = certain_change(subject(len), Pair(d0=["a", "b"], d1=["a"]), "l1")
    assert (words.value, words.arithmetic) == (1.0, "float64")


def test_quick_norms():
    pair = Pair(d0=np.zeros(2), d1=np.array([3.0, -4.0]))
    query = subject(lambda d: d)
    assert [quick_change(query, pair, norm) for norm in ("l1", "l2", "linf")] == [7.0, 5.0, 4.0]
