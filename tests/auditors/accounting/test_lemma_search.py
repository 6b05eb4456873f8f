"""The search of a lemma's box on boxes whose worst point is known: at a corner that nothing leads to."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from auditors.accounting.lemma_points import LemmaBox
from auditors.accounting.lemma_search import EVALUATIONS, Search, searched
from auditors.search_boxes import PARTS
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import AuditError, UnsupportedError
from dpverify.core.evidence import Enclosed
from dpverify.datasets.neighbors.numbers import Numbers
from dpverify.definitions.number_bounds import UpperBound
from dpverify.sampling.streams import stream


class Lemma:
    """truth / 1 as a function of the point in the unit cube."""

    def __init__(self, ratio: Callable[[Any], float], point: dict[str, float]) -> None:
        self.ratio, self.point = ratio, np.array([point[name] for name in sorted(point)])

    def printed(self) -> Enclosed:
        return Enclosed(value=1.0)

    def truth(self) -> Enclosed:
        return Enclosed(value=self.ratio(self.point))

    def proved_ratio(self) -> Enclosed | None:
        return None


def field(ratio: Callable[[Any], float], count: int) -> LemmaBox:
    claim = Claim(
        id="toy",
        guarantee=UpperBound(),
        relation="numbers",
        subject="toy",
        space=SearchSpace(parameters={f"x{number}": (0.0, 1.0) for number in range(count)}),
        source=Source(paper="t", locus="1"),
    )
    task = Task(
        claim=claim,
        build=lambda **point: Lemma(ratio, point),
        neighbors=Numbers(),
        alpha=0.5,
        trials=1,
        stream=lambda *names: stream(0, "toy", *names),
    )
    return LemmaBox(task=task)


def needle(target: tuple[float, ...]) -> Callable[[Any], float]:
    """Highest at `target`, and everywhere else the higher the further from it."""

    def ratio(point: Any) -> float:
        far = np.abs(point - np.array(target))
        return 0.5 + 0.3 * float(far.mean()) + 9.5 * float(np.prod(1.0 - far) ** 40)

    return ratio


def start(there: LemmaBox) -> Search:
    return Search(field=there, best=there.visit(there.own()))


def worst(there: LemmaBox) -> Any:
    return searched(there.task, there, there.visit(there.own()))


@pytest.mark.parametrize("target", [*product((0.0, 1.0), repeat=3), (1.0, 0.0, 0.0, 1.0, 1.0, 0.0), (1.0,) * 9])
def test_a_worst_point_at_a_corner_is_found_where_everything_leads_away_from_it(target):
    found = worst(field(needle(target), len(target)))
    assert found.ratio == pytest.approx(10.0)
    assert tuple(found.parameters.values()) == target


def test_without_the_corners_it_is_not_found():
    """The needle is one: else the test above could not fail."""
    there = field(needle((1.0, 0.0, 0.0, 1.0, 1.0, 0.0)), 6)
    search = start(there)
    search.evolve(EVALUATIONS, there.task.stream("search"))
    search.polish(EVALUATIONS)
    assert search.best.ratio < 1.0


@pytest.mark.parametrize("count", range(1, 14))
@pytest.mark.parametrize("most", [2, 8, 100, 800])
def test_corners_are_as_many_as_may_be_and_none_is_seen_twice(count, most):
    there = field(lambda point: 1.0, count)
    place = start(there).corners(most)
    corners = [tuple(seen.parameters.values()) for seen in there.seen[1:]]
    assert len(set(corners)) == len(corners) <= most
    assert len(corners) >= min(2**count, (most + 1) // 2)
    assert all(end in (0.0, 1.0) for corner in corners for end in corner)
    assert tuple(place) in corners


def test_each_parameter_and_each_two_of_them_are_at_all_their_ends_in_a_fraction():
    there = field(lambda point: 1.0, 9)
    start(there).corners(100)
    corners = np.array([tuple(seen.parameters.values()) for seen in there.seen[1:65]])
    for one in range(9):
        for two in range(one):
            assert {tuple(row) for row in corners[:, [one, two]]} == set(product((0.0, 1.0), repeat=2))


def test_a_corner_outside_the_fraction_is_climbed_to():
    """Each end counts for itself: the climb turns them one after another."""
    target = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    there = field(lambda point: float(np.mean(1.0 - np.abs(point - target))), 9)
    search = start(there)
    assert tuple(search.corners(100)) == tuple(target)
    assert tuple(target) not in [tuple(seen.parameters.values()) for seen in there.seen[1:65]]


def test_the_sweep_sees_what_lies_inside_along_one_coordinate_after_another():
    def ratio(point: Any) -> float:
        first = max(0.0, 1.0 - 50.0 * abs(point[0] - 3 / PARTS))
        second = max(0.0, 1.0 - 50.0 * abs(point[2] - 6 / PARTS))
        return float(0.5 + first + 2.0 * first * second)

    there = field(ratio, 3)
    search = start(there)
    assert search.sweep(np.ones(3), 100).tolist() == [3 / PARTS, 1.0, 6 / PARTS]
    assert search.best.ratio == pytest.approx(3.5)


def test_the_sweep_ends_with_its_share():
    there = field(lambda point: float(np.sin(1e3 * point.sum())), 5)
    search = start(there)
    search.sweep(np.zeros(5), 20)
    assert search.spent <= 21


@pytest.mark.parametrize("kind", [AuditError, UnsupportedError])
def test_a_point_that_cannot_be_computed_is_left_out_and_counted(kind):
    def ratio(point: Any) -> float:
        if point[1] > 0.9:
            raise kind("beyond doubles")
        return float(point.sum())

    there = field(ratio, 2)
    found = worst(there)
    assert found.ratio == pytest.approx(1.9, abs=1e-4)
    assert there.uncomputed >= 2  # the corners
    with pytest.raises(kind, match="beyond"):
        there.visit({"x0": 0.0, "x1": 1.0})


def test_where_no_corner_can_be_computed_the_rest_is_searched():
    def ratio(point: Any) -> float:
        if set(point) <= {0.0, 1.0}:
            raise AuditError("beyond doubles")
        return float(1.0 - np.abs(point - 0.4).sum() / 2)

    assert worst(field(ratio, 2)).ratio == pytest.approx(1.0, abs=1e-3)


def test_a_side_that_is_no_number_is_an_error_anywhere():
    with pytest.raises(AuditError, match="none"):
        worst(field(lambda point: math.nan if point[0] > 0.8 else 1.0, 2))
    with pytest.raises(ZeroDivisionError):  # an error of the lemma's code, not one that it says
        worst(field(lambda point: 1.0 / (1.0 - float(point[0])), 1))


def test_an_infinite_ratio_ends_the_climbs():
    found = worst(field(lambda point: math.inf if point.sum() == 2.0 else 1.0, 2))
    assert found.ratio == math.inf
    assert found.parameters == {"x0": 1.0, "x1": 1.0}


def test_where_corners_and_the_inside_lead_to_two_places_both_are_polished(monkeypatch):
    """A hill inside, off every grid, and a corner that is higher than its foot and lower than its top."""
    top = np.array([0.3217, 0.6791, 0.4423, 0.5519])

    def ratio(point: Any) -> float:
        hill = 1.0 - 4.0 * np.abs(point - top).mean()
        return float(0.97 if set(point) == {1.0} else hill)

    polished = []
    plain = Search.polish

    def polish(self: Search, most: int) -> None:
        polished.append(tuple(self.best.parameters.values()))
        plain(self, most)

    monkeypatch.setattr(Search, "polish", polish)
    found = worst(field(ratio, 4))
    assert polished[0] == (1.0,) * 4
    assert len(polished) == 2
    assert found.ratio > 0.97
    assert worst(field(lambda point: 1.0, 4)).ratio == 1.0
    assert len(polished) == 3  # a tie is polished once
