"""Shrinking a witness: what counts as one, which sizes are looked at, and that rounder numbers are the claim's own."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from auditors.privacy.exact import sizes as exact_sizes
from auditors.privacy.exact.points import Examiner, Found, Point
from auditors.privacy.exact.search import BestPoint, search
from auditors.privacy.exact.sizes import Shrunk, SizeSearch, SizeSearches, rounded, search_sizes, smallest, witnesses
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.evidence import Enclosed, Measure
from dpverify.core.subjects import Pair
from dpverify.datasets.neighbors.all_queries import AllQueries
from dpverify.definitions.pure_dp import PureDP
from dpverify.definitions.rdp import RDP
from dpverify.laws.density import GaussianLaw, LaplaceLaw
from dpverify.sampling.streams import stream


@dataclass(frozen=True, kw_only=True)
class Sum:
    """The sum of any number of answers with Laplace noise of 1/2: m answers moved by 1 cost 2 m."""

    def output_law(self, dataset):
        return LaplaceLaw(locations=np.array([dataset.sum()]), scales=np.array([0.5]))


def task(*, size=1, low=-10.0, high=10.0, guarantee=None, build=Sum, neighbors=None, sizes=()):
    claim = Claim(
        id="a-claim",
        guarantee=guarantee or PureDP(epsilon=1.0),
        relation="all-queries",
        subject="a-subject",
        source=Source(paper="none", locus=""),
        space=SearchSpace(size=size, low=low, high=high, sizes=sizes),
    )
    return Task(
        claim=claim,
        build=build,
        neighbors=neighbors or AllQueries(),
        alpha=0.01,
        trials=1,
        stream=lambda *names: stream(0, "shrink", *names),
        effort=0.05,
    )


def found_at(audit, d0, d1):
    examiner = Examiner(task=audit)
    examiner.examine(Point(pair=Pair(d0=np.array(d0), d1=np.array(d1), label="")))
    return examiner, examiner.worst


# Rounding


@pytest.mark.parametrize(
    ("low", "high", "place", "expected"),
    [(-3.0, 3.0, 2.6, 3.0), (-2.6, 2.6, 2.6, 2.6), (-2.6, 2.6, -2.6, -2.6), (-2.6, 2.8, 1.6, 1.6)],
    ids=["inside", "d0 above", "d0 below", "d1 above"],
)
def test_a_rounder_witness_stays_inside_the_range(low, high, place, expected):
    step = 1.0 if place <= 1.6 else -1.0
    audit = task(low=low, high=high)
    examiner, found = found_at(audit, [place], [place + step])
    round_one = rounded(audit, examiner, found)
    assert round_one.excess == found.excess == pytest.approx(1.0)
    assert (round_one.point.pair.d0[0], round_one.point.pair.d1[0]) == pytest.approx((expected, expected + step))


def test_a_rounder_witness_is_still_a_pair_of_neighbours():
    class NoWholeNumbers(AllQueries):
        def check(self, d0, d1):
            return "whole numbers" if np.all(d0 == np.round(d0)) else super().check(d0, d1)

    for neighbors, expected in ((AllQueries(), 1.0), (NoWholeNumbers(), 1.3)):
        audit = task(neighbors=neighbors)
        examiner, found = found_at(audit, [1.26], [2.26])
        assert rounded(audit, examiner, found).point.pair.d0[0] == pytest.approx(expected)


def test_a_rounder_witness_keeps_all_but_a_thousandth_of_its_excess():
    audit = task(guarantee=PureDP(epsilon=0.5))
    examiner, found = found_at(audit, [0.0], [0.4321])
    kept = rounded(audit, examiner, found)
    assert kept.point.pair.d1[0] == 0.432  # 0, 0.4 and 0.43 lose more
    assert 0.999 * found.excess <= kept.excess < found.excess


# Witnesses and sizes


def test_only_what_exceeds_its_claim_is_a_witness():
    class Normal:
        def output_law(self, dataset):
            return GaussianLaw(locations=dataset, scales=np.array([1.5**-0.5]))  # Renyi 0.75 * order

    audit = task(guarantee=RDP(orders=(2.0, 4.0, 8.0), epsilons=(1.0, 2.5, 8.0)), build=Normal)
    examiner, _ = found_at(audit, [0.0], [1.0])
    assert {label: each.ratio for label, each in examiner.best.items()} == pytest.approx(
        {"renyi(order=2)": 1.5, "renyi(order=4)": 1.2, "renyi(order=8)": 0.75}
    )
    assert [each.measure.argument for each in witnesses(examiner)] == [2.0, 4.0]


@pytest.mark.parametrize("above", [0, 3, 5, 8])
def test_sizes_up_to_one_that_holds_are_not_looked_at(above):
    """All sizes exceed this claim: the smallest that may be tried is the smallest found."""
    audit = task(size=12)
    examiner = Examiner(task=audit)
    shrunk = smallest(audit, examiner, search(audit, examiner), above=above)
    assert min(shrunk.exceeding) == above + 1
    assert not shrunk.held


def leg(size, ratio, *, groups=()):
    measure = Measure(kind="epsilon", argument=0.0, claimed=1.0)
    point = Point(pair=Pair(d0=np.zeros(size), d1=np.ones(size), label=""))
    found = Found(point=point, measure=measure, reverse=False, value=Enclosed(value=ratio))
    spot = BestPoint(found=found, vector=np.zeros(1), groups=groups)
    return SizeSearch(task=task(size=size), spot=spot, found=found, witnesses=(found,) if ratio > 1 else ())


def test_the_first_leg_is_the_smallest_size_that_exceeds_not_the_worst():
    legs = leg(10, 0.9), leg(30, 1.1), leg(100, 1.3)
    toured = SizeSearches(legs=legs)
    assert toured.first() == (legs[1], 10)
    assert toured.worst is legs[2]
    assert SizeSearches(legs=legs[1:]).first() == (legs[1], 0)
    assert SizeSearches(legs=legs[:1], own=legs[2]).first() == (legs[2], 0)


@pytest.mark.parametrize("ratios", [(0.7, 0.4, 0.6), (0.4, 0.6, 0.7), (0.6, 0.7, 0.4)])
def test_a_size_holds_at_the_largest_ratio_that_any_start_found_there(monkeypatch, ratios):
    given = iter(ratios)
    monkeypatch.setattr(exact_sizes, "smallest", lambda *_, above: Shrunk(exceeding={}, held={20: next(given)}))
    toured = SizeSearches(legs=(leg(10, 0.9), leg(30, 1.1, groups=(np.ones(1), np.ones(1)))))
    exceeding, held = toured.shrunk(Examiner(task=task(size=30)))
    assert list(exceeding) == [30]
    assert held == {10: 0.9, 20: 0.7}


def test_each_size_goes_on_from_the_worst_of_the_one_before(monkeypatch):
    seen = []

    def spied(*given, starts, **named):
        spot = search(*given, starts=starts, **named)
        seen.append((starts, spot.groups))
        return spot

    monkeypatch.setattr(exact_sizes, "search", spied)
    audit = replace(task(size=4, sizes=(4, 6, 8)), effort=0.1)
    search_sizes(audit, Examiner(task=audit))
    assert [len(groups) for _, groups in seen] == [1, 1, 1]
    assert seen[0][0] == ()
    assert [starts for starts, _ in seen[1:]] == [groups for _, groups in seen[:-1]]
