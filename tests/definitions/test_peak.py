"""The comparisons of a peak: the place against every other one, in the direction in which the metric is better."""

from __future__ import annotations

import pytest

from dpverify.core.comparing import Grid
from dpverify.core.errors import InputError
from dpverify.definitions.comparisons import Peak
from dpverify.definitions.grammar import parse_guarantee

GRID = Grid(data=("d", "e"), xs=(1.0, 2.0, 4.0))


def value(peak, curve):
    """Each contrast's sum, with the curve as the means: ``curve(arm, x)``."""
    return [sum(k * curve(arm, x) for _, arm, _, x, k in each.terms) for each in peak.contrasts(GRID)]


def hill(arm, x):
    return -abs(x - 2.0)


def test_the_place_is_compared_with_every_other_one():
    assert value(Peak(metric="accuracy", of=("a",), at=2.0, data=("d",)), hill) == [1.0, 2.0]
    assert value(Peak(metric="accuracy", of=("a",), at=4.0, data=("d",)), hill) == [-1.0, -2.0]
    assert value(Peak(metric="objective", of=("a",), at=2.0, data=("d",)), hill) == [-1.0, -2.0]  # the least is best
    assert len(Peak(metric="accuracy", of=("a", "b"), at=2.0).contrasts(GRID)) == 8


def test_the_margin_is_how_much_worse_still_counts():
    assert Peak(metric="accuracy", of=("a",), at=2.0, margin=0.1).measures()[0].claimed == 0.1
    assert Peak(metric="accuracy", of=("a",), at=2.0, margin=-0.1).measures()[0].claimed == 0.0


def test_an_arm_that_learns_nothing_has_no_best_place():
    assert Peak(metric="accuracy", of=("a",), at=2.0).learned() == ("a",)


def test_its_text_is_read_again():
    one = Peak(metric="accuracy", of=("eps 0.05",), at=0.5)
    assert parse_guarantee(one.text()) == one


def test_a_place_that_the_grid_has_not_is_refused():
    with pytest.raises(InputError, match=r"at = 3; allowed: a place of the grid: 1.0, 2.0, 4.0"):
        Peak(metric="accuracy", of=("a",), at=3.0).contrasts(GRID)


@pytest.mark.parametrize("wrong", [{"of": ()}, {"of": "a"}, {"data": "d"}, {"at": float("inf")}])
def test_what_it_refuses(wrong):
    with pytest.raises(InputError):
        Peak(**{"metric": "accuracy", "of": ("a",), "at": 0.5, **wrong})
