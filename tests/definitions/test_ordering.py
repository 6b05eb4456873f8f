"""The comparisons that an ordering makes, and what it refuses."""

from __future__ import annotations

import pytest

from dpverify.core.comparing import Compares, Grid
from dpverify.core.errors import InputError
from dpverify.definitions.comparisons import Ordering
from dpverify.definitions.grammar import parse_guarantee

GRID = Grid(data=("adult", "bank"), xs=(0.1, 1.0))
ONE = Ordering(metric="accuracy", better=("a",), worse=("b", "c"), margin=0.05)


def test_every_better_arm_against_every_worse_one():
    found = ONE.contrasts(GRID)
    assert len(found) == 8
    assert found[0].terms == (("adult", "a", "accuracy", 0.1, 1.0), ("adult", "b", "accuracy", 0.1, -1.0))
    assert found[0].label == "a against b on adult at 0.1"
    assert isinstance(ONE, Compares)
    assert ONE.arms() == ("a", "b", "c")


def test_less_is_better_of_an_objective():
    found = Ordering(metric="objective", better=("a",), worse=("b",)).contrasts(GRID)
    assert [term[-1] for term in found[0].terms] == [-1.0, 1.0]


def test_places_within():
    high = Ordering(metric="accuracy", better=("a",), worse=("b",), low=0.5)
    assert {each.terms[0][3] for each in high.contrasts(GRID)} == {1.0}


def test_data_sets_that_are_named():
    one = Ordering(metric="accuracy", better=("a",), worse=("b",), data=("bank", "ipums-br"))
    assert {each.terms[0][0] for each in one.contrasts(GRID)} == {"bank"}
    assert parse_guarantee(one.text()) == one
    with pytest.raises(InputError, match="names of data sets"):
        Ordering(metric="accuracy", better=("a",), worse=("b",), data="bank")


def test_a_gain_is_measured_from_zero():
    gain = Ordering(metric="accuracy", better=("a",), worse=("b",), margin=-0.1)
    assert [each.claimed for each in gain.measures()] == [0.0]
    assert [each.claimed for each in ONE.measures()] == [0.05]


def test_it_is_read_from_text():
    text = 'Ordering(metric="accuracy", better=("RSGD-AR",), worse=("ObjPert", "DP-AGD"), margin=0.05)'
    assert parse_guarantee(text) == Ordering(
        metric="accuracy", better=("RSGD-AR",), worse=("ObjPert", "DP-AGD"), margin=0.05
    )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"better": ()}, "labels of arms"),
        ({"worse": "b"}, "labels of arms"),
        ({"better": ("b",)}, "each arm on one side"),
        ({"quantifier": "few"}, "every"),
        ({"unit": "percent"}, "range"),
    ],
)
def test_what_it_refuses(wrong, said):
    with pytest.raises(InputError, match=said):
        Ordering(**{"metric": "accuracy", "better": ("a",), "worse": ("b",), **wrong})
