"""Strategies: what they draw are neighbours inside the space, and they shrink to the plainest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.definitions.pure_dp import PureDP
from dpverify.testing.strategies import datasets, neighbors, parameters, points

PLAIN = ["replace", "add-remove", "one-query", "all-queries", "value", "replace-value", "moves"]
RELATIONS = [name for name in PLAIN if name in registry().neighbors]


@pytest.mark.parametrize("relation", RELATIONS)
def test_pairs_are_neighbours_inside_the_range(relation):
    generator = registry().neighbors.get(relation)

    @settings(max_examples=50)
    @given(neighbors(relation, size=4, low=-2.0, high=3.0))
    def holds(pair):
        assert generator.check(pair.d0, pair.d1) is None
        if relation in ("replace", "add-remove"):
            values = np.concatenate([np.ravel(pair.d0), np.ravel(pair.d1)])
            assert values.min() >= -2.0
            assert values.max() <= 3.0

    holds()


def test_pairs_shrink_to_the_plainest():
    generator, space = registry().neighbors.get("replace"), SearchSpace(size=3, low=0.0, high=1.0)
    plainest = generator.candidates(space, limit=1, rng=np.random.default_rng(0))[0]
    found = find(neighbors("replace", size=3, low=0.0, high=1.0), lambda pair: True)
    assert found.d0.tolist() == plainest.d0.tolist()
    moved = find(neighbors("replace", size=3, low=0.0, high=1.0), lambda pair: abs(sum(pair.d1) - sum(pair.d0)) >= 1)
    assert sorted({*moved.d0, *moved.d1}) == [0.0, 1.0]


@given(datasets("add-remove", size=3, low=0.0, high=1.0))
def test_datasets_are_sides_of_pairs(dataset):
    assert 2 <= len(dataset) <= 3


@given(parameters(SearchSpace(parameters={"clip": (0.5, 2.0), "rate": (0.0, 1.0)})))
def test_parameters_stay_inside_their_boxes(drawn):
    assert set(drawn) <= {"clip", "rate"}
    assert 0.5 <= drawn.get("clip", 1.0) <= 2.0
    assert 0.0 <= drawn.get("rate", 0.0) <= 1.0


def test_points_of_a_claim_have_its_pairs_and_parameters():
    claim = Claim(
        id="a-claim",
        guarantee=PureDP(epsilon=1.0),
        relation="replace",
        subject="a-subject",
        source=Source(paper="tests", locus=""),
        space=SearchSpace(size=2, parameters={"clip": (0.5, 2.0)}),
    )
    found = find(points(claim), lambda point: point.parameters.get("clip", 1.0) > 1.5)
    assert found.parameters == {"clip": 2.0}
    assert len(found.pair.d0) == 2
    assert find(points(claim), lambda point: True).parameters == {}


def test_a_failing_property_is_found_and_told():
    @settings(derandomize=True, database=None)
    @given(neighbors("replace", size=3, low=0.0, high=1.0))
    def sum_moves_by_half_at_most(pair):
        assert abs(sum(pair.d1) - sum(pair.d0)) <= 0.5

    with pytest.raises(AssertionError):
        sum_moves_by_half_at_most()


def test_bad_spaces_are_refused():
    with pytest.raises(InputError, match="colour"):
        neighbors("replace", colour=1)
    with pytest.raises(InputError, match="no two different neighbours"):
        neighbors("replace", size=1, low=0.0, high=0.0)
    with pytest.raises(InputError, match="nosuch"):
        neighbors("nosuch")
    assert isinstance(neighbors("replace"), st.SearchStrategy)
