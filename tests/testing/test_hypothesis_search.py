"""The hunt: finds what listed pairs do not show, shrinks it, and is the same for the same seed."""

from __future__ import annotations

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.datasets.neighbors.replace import Replace
from dpverify.testing.hypothesis_search import best_point_found, found

SPACE = SearchSpace(size=2, low=0.0, high=1.0, parameters={"clip": (0.0, 10.0)})
LISTED = Replace().candidates(SPACE, limit=4, rng=np.random.default_rng(0))


def narrow(point):
    """Highest at clip = 7.3, which no plain value is."""
    return 10.0 - abs(point.parameters.get("clip", 0.0) - 7.3)


def test_climbs_between_plain_values():
    best, reached = best_point_found(SPACE, Replace(), LISTED, narrow, examples=300, seed=1)
    assert reached > 9.9
    assert abs(best.parameters["clip"] - 7.3) < 0.1


def test_the_same_seed_visits_the_same_points():
    def visits(seed):
        seen = []

        def scored(point):
            seen.append(repr(point))
            return narrow(point)

        best_point_found(SPACE, Replace(), LISTED, scored, examples=60, seed=seed)
        return seen

    assert visits(3) == visits(3)
    assert len(set(visits(3))) > 20
    assert visits(4) != visits(3)


def test_shrinks_what_does_not_matter():
    """The pair plays no part, so the first listed one is left."""
    seen = []

    def scored(point):
        seen.append(point)
        return narrow(point)

    plain = found(
        SPACE, Replace(), LISTED, scored, lambda _p, reached: reached >= 9.0, examples=200, shrinks=200, seed=1
    )
    first = next(point for point in seen if narrow(point) >= 9.0)
    assert first.pair is not LISTED[0]
    assert plain.pair is LISTED[0]
    assert narrow(plain) >= 9.0


def test_shrinking_ends_after_so_many_calls():
    def calls(shrinks):
        asked = []

        def scored(point):
            asked.append(point)
            return narrow(point)

        kept = found(SPACE, Replace(), LISTED, scored, lambda _p, r: r >= 7.0, examples=200, shrinks=shrinks, seed=1)
        assert narrow(kept) >= 7.0
        return len(asked)

    assert calls(0) < calls(3) <= calls(0) + 3


def test_nothing_met_is_none():
    assert found(SPACE, Replace(), LISTED, narrow, lambda _p, _r: False, examples=20, shrinks=5, seed=1) is None
