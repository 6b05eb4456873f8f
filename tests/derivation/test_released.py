"""Functions of released values cost nothing, whatever they are; an array that changes has one name."""

from __future__ import annotations

import numpy as np
import pytest

import dpverify as dpv
from dpverify.derivation.known_functions import ONE, TWO, returns_new
from dpverify.derivation.released import OF_PUBLIC
from tests.derivation.corpus import after_release

DATA = np.array([0.2, 0.9])


def outcome(function):
    return dpv.derive(function, data=DATA, bounds=(0, 1), claim="PureDP(epsilon=1)")


@pytest.mark.parametrize("function", after_release.RIGHT, ids=lambda each: each.__name__)
def test_what_people_do_with_noisy_counts_is_proved(function):
    found = outcome(function)
    assert found.outcome == "proved", found.why
    assert 1 <= found.upper < 1.0001


@pytest.mark.parametrize("function", after_release.WRONG, ids=lambda each: each.__name__)
def test_what_looks_like_it_is_not(function, monkeypatch):
    monkeypatch.setattr("dpverify.derivation.derive.check", lambda *_: None)  # the code is not run
    assert outcome(function).outcome != "proved"


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (after_release.quotient_before_noise, "a division by a released value that may be 0"),
        (after_release.for_each_record, "released values are computed with in a loop over records"),
        (after_release.mean_of_python_numbers, "a division by a released value that may be 0"),
        (after_release.changed_under_two_names, "of an array with two names"),
        (after_release.difference_of_order_none, "an array that may have another name"),
        (after_release.table_under_two_names, "an array that may have another name"),
        (after_release.row_under_two_names, "of an array with two names"),
        (after_release.place_of_a_place, "a place that may lie beyond the end"),
        (after_release.rounded_to_digits, "a number that may be Python's or numpy's"),
        (after_release.paired_with_too_few, "values of different lengths"),
        (after_release.counts_by_noisy_condition, "what is not released"),
        (after_release.rows_by_condition, "a condition of another shape"),
        (after_release.half_of_whole_numbers, "a released whole number"),
        (after_release.scaled_by_what_may_be_whole, "a number that may be an integer or a double"),
        (after_release.python_and_numpy_integers, "multiply of a released whole number"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_rules_alone_stop_it(function, why):
    assert why in outcome(function).why


NEW = sorted({each for each in (*ONE, *TWO, *OF_PUBLIC) if returns_new(each, ())}, key=lambda each: each.__name__)


@pytest.mark.parametrize("function", NEW, ids=lambda each: each.__name__)
@pytest.mark.parametrize("kind", ["float64", "int64", "bool"])
def test_what_is_said_to_be_new_shares_no_memory(function, kind):
    given = np.arange(1, 5).astype(kind)
    others = [np.arange(1, 5).astype(kind)] if function in TWO or function in (np.dot, np.outer) else []
    try:
        found = np.asarray(function(given, *others))
    except TypeError:
        return  # numpy has none for this type
    assert not np.shares_memory(found, given)
    assert not any(np.shares_memory(found, each) for each in others)
