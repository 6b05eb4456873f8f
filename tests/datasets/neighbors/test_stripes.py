"""Queries that move by turns."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dpverify.core.claim import SearchSpace
from dpverify.core.registry import Registry
from dpverify.core.subjects import NeighborGenerator
from dpverify.datasets.neighbors import stripes as module
from dpverify.datasets.neighbors.all_queries import AllQueries
from dpverify.datasets.neighbors.stripes import Stripes, stripes
from dpverify.laws.stopping import StoppingLaw

GENERATOR = Stripes()


def test_it_is_a_generator() -> None:
    registry = Registry()
    module.register(registry)
    assert isinstance(registry.neighbors.get("all-queries/stripes"), NeighborGenerator)


@pytest.mark.parametrize(("size", "count"), [(1, 1), (7, 1), (7, 3), (7, 7), (7, 99), (1000, 32)])
def test_equal_stripes(size: int, count: int) -> None:
    runs = [len(list(run)) for _, run in itertools.groupby(stripes(size, count))]
    assert len(runs) == min(size, count)
    assert max(runs) - min(runs) <= 1
    assert stripes(size, count)[[0, -1]].tolist() == [0, min(size, count) - 1]


def test_growing_stripes() -> None:
    runs = [len(list(run)) for _, run in itertools.groupby(stripes(1000, 4, growth=np.log(8.0)))]
    assert sum(runs) == 1000
    assert runs[3] == pytest.approx(8 * runs[0], rel=0.02)


@pytest.mark.parametrize("size", [1, 2, 50])
def test_candidates_are_distinct_neighbours_inside_the_range(size: int) -> None:
    space = SearchSpace(size=size, low=-5.0, high=5.0)
    pairs = GENERATOR.candidates(space, limit=100, rng=np.random.default_rng(0))
    assert len(pairs) >= 20
    for pair in pairs:
        assert AllQueries().check(pair.d0, pair.d1) is None
        assert GENERATOR.check(pair.d0, pair.d1) is None
        assert max(np.abs(pair.d0).max(), np.abs(pair.d1).max()) <= 5.0


def test_levels_rise_evenly_and_stay_in_the_range() -> None:
    space = SearchSpace(size=9, low=-8.0, high=0.0)
    first, rise = -5.0, 0.5
    pair = GENERATOR.decode(space, np.array([first, rise, 0.5, 0.0, 0.0, 0.0]))
    assert pair.d0 == pytest.approx(np.repeat([-5.0, -4.0, -3.0], 3))
    falling = GENERATOR.decode(space, np.array([first, -rise, 0.5, -np.log(4.0), 0.0, 0.0]))
    assert falling.d0 == pytest.approx(np.repeat([-5.0, -6.0, -7.0], [5, 3, 1]))
    assert GENERATOR.decode(space, np.array([0.0, rise, 0.5, 0.0, 0.0, 0.0])).d0.max() == 0.0


def test_the_corners_of_the_box_are_the_ends_of_the_range() -> None:
    space = SearchSpace(size=2, low=-1.0, high=3.0)
    assert GENERATOR.decode(space, np.array([-1.0, 1.0, 1.0, 0.0, 0.0, 0.0])).d0.tolist() == [-1.0, 3.0]
    assert GENERATOR.decode(space, np.array([3.0, -1.0, 1.0, 0.0, 0.0, 0.0])).d0.tolist() == [3.0, -1.0]


def test_pairs_that_move_too_far_are_refused() -> None:
    assert GENERATOR.check(np.zeros(3), np.array([0.0, 1.5, 0.0])) is not None
    assert GENERATOR.check(np.zeros(3), np.zeros(2)) is not None


def test_stripes_lose_more_than_one_common_move() -> None:
    """What they are for: at order 2, with 200 queries, they move apart what a common move leaves together."""

    def order_two(vector: list[float]) -> float:
        pair = GENERATOR.decode(SearchSpace(size=200, low=-9.0, high=0.0), np.array(vector))
        first, second = (
            StoppingLaw(noise="gaussian", threshold_scale=1.5**0.5, query_scale=3.0**0.5, levels=side)
            for side in (pair.d0, pair.d1)
        )
        return first.against(second).renyi(2.0).value

    level = -4.0
    assert order_two([level, 0.0, 1.0 / 6.0, 0.0, 1.0, -1.0]) > 1.5 * order_two([level, 0.0, 0.0, 0.0, 1.0, 1.0])
