"""What every neighbour generator owes, and that a generator that breaks it is caught by its own `check`."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.core import plugins
from dpverify.core.claim import SearchSpace
from dpverify.core.errors import UnsupportedError
from dpverify.core.registry import Registry
from dpverify.core.subjects import NeighborGenerator
from dpverify.datasets.neighbors import add_remove, all_queries, one_query, replace, value
from dpverify.datasets.neighbors.add_remove import AddRemove
from dpverify.datasets.neighbors.all_queries import AllQueries
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.datasets.neighbors.one_query import OneQuery
from dpverify.datasets.neighbors.replace import Replace
from dpverify.datasets.neighbors.value import Value

GENERATORS = [AllQueries(), OneQuery(), AddRemove(), Replace(), Value()]
CONTINUOUS = GENERATORS[:4]
SPACES = [
    SearchSpace(),
    SearchSpace(size=2, low=0.0, high=1.0),
    SearchSpace(size=7, low=-0.1, high=2.3),
    SearchSpace(size=40, low=-20.0, high=-3.0),
    SearchSpace(size=3, low=0.2, high=0.3),
]


def values(dataset):
    return np.atleast_1d(np.asarray(dataset, dtype=float))


def moved_further_than_one(d0, d1):
    """In rational arithmetic: no float may hide a move of 1 + 1e-17."""
    return any(abs(Fraction(float(a)) - Fraction(float(b))) > 1 for a, b in zip(d0, d1, strict=True))


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda g: g.name)
def test_offers_the_protocol(generator):
    assert isinstance(generator, NeighborGenerator)
    assert generator.name == generator.relation


@pytest.mark.parametrize("space", SPACES, ids=lambda s: f"{s.size}-{s.low:g}-{s.high:g}")
@pytest.mark.parametrize("generator", GENERATORS, ids=lambda g: g.name)
def test_candidates_are_distinct_neighbours_inside_the_space(generator, space):
    pairs = generator.candidates(space, limit=60, rng=np.random.default_rng(0))
    assert len(pairs) <= 60
    assert pairs or generator.count(space) == 0
    keys = set()
    for pair in pairs:
        assert generator.check(pair.d0, pair.d1) is None, pair
        assert generator.check(pair.d1, pair.d0) is None, pair
        if generator.name != "value":
            both = np.concatenate([values(pair.d0), values(pair.d1)])
            assert both.min() >= space.low
            assert both.max() <= space.high
        keys.add((values(pair.d0).tobytes(), values(pair.d1).tobytes()))
    assert len(keys) == len(pairs)


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda g: g.name)
def test_candidates_are_deterministic_and_random_ones_follow_the_generator(generator):
    space = SearchSpace(size=12, low=-2.0, high=2.0)

    def listed(seed, limit):
        pairs = generator.candidates(space, limit=limit, rng=np.random.default_rng(seed))
        return [(values(p.d0).tobytes(), values(p.d1).tobytes()) for p in pairs]

    assert listed(1, 400) == listed(1, 400)
    assert listed(1, 5) == listed(2, 5), "structured pairs come first, whatever the seed"
    assert listed(1, 5) == listed(1, 400)[:5] or generator.name == "value"


@pytest.mark.parametrize("generator", CONTINUOUS, ids=lambda g: g.name)
@given(data=st.data(), size=st.integers(1, 30))
def test_every_point_of_the_box_is_a_neighbouring_pair(generator, data, size):
    space = SearchSpace(size=size, low=-1.7, high=3.1)
    box = generator.box(space)
    assert box.shape[1] == 2
    point = np.array([data.draw(st.floats(low, high)) for low, high in box])
    pair = generator.decode(space, point)
    assert generator.check(pair.d0, pair.d1) is None
    both = np.concatenate([values(pair.d0), values(pair.d1)])
    assert both.size == 0 or (both.min() >= space.low and both.max() <= space.high)


@pytest.mark.parametrize("generator", [AllQueries(), OneQuery()], ids=lambda g: g.name)
@given(size=st.integers(1, 9), low=st.floats(-50, 50), width=st.floats(0.5, 20), seed=st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_no_answer_moves_by_more_than_one_in_real_arithmetic(generator, size, low, width, seed):
    space = SearchSpace(size=size, low=low, high=low + width)
    for pair in generator.candidates(space, limit=40, rng=np.random.default_rng(seed)):
        assert not moved_further_than_one(pair.d0, pair.d1)


def test_plain_addition_would_move_further_than_one():
    """The reason why pairs are made with care: -0.1 + 1 is a hair further than one away."""
    assert moved_further_than_one([-0.1], [-0.1 + 1.0])


def test_finite_relation_lists_all_its_pairs():
    pairs = Value().candidates(SearchSpace(size=5), limit=20, rng=np.random.default_rng(0))
    assert {(p.d0, p.d1) for p in pairs} == {(i, j) for i in range(5) for j in range(5) if i != j}
    assert Value().count(SearchSpace(size=5)) == 20
    some = Value().candidates(SearchSpace(size=50), limit=20, rng=np.random.default_rng(0))
    assert len({(p.d0, p.d1) for p in some}) == 20
    assert Value().box(SearchSpace(size=5)) is None
    with pytest.raises(UnsupportedError, match="no continuous box"):
        Value().decode(SearchSpace(size=5), np.zeros(1))


@pytest.mark.parametrize("generator", CONTINUOUS, ids=lambda g: g.name)
def test_continuous_relations_have_no_count(generator):
    assert generator.count(SearchSpace(size=3)) is None


def test_only_a_relations_own_generator_counts_its_pairs():
    """A list of some pairs certifies nothing about the others, so it says no number."""
    known = plugins.registry().neighbors
    spaces = SearchSpace(size=3, low=0.0, high=1.0), SearchSpace(size=2, high=1.0, data="uneven-sessions")
    listing = [generator for name in known for generator in [known.get(name)] if name != generator.relation]
    assert {generator.count(space) for generator in listing for space in spaces} == {None}
    assert {"replace/canaries", "replace/zero-out", "labels/binary"} <= {generator.name for generator in listing}


def test_every_file_registers_its_relation():
    registry = Registry()
    for module in (all_queries, one_query, add_remove, replace, value):
        module.register(registry)
    assert list(registry.neighbors) == sorted(g.name for g in GENERATORS)


def test_fixed_pair_stands_in_for_a_generator():
    fixed = FixedPair(d0=[1, 2, 3], d1=[1, 2], relation="add-remove", generator=AddRemove())
    space = SearchSpace(size=3)
    assert isinstance(fixed, NeighborGenerator)
    assert (fixed.name, fixed.relation) == ("add-remove/fixed", "add-remove")
    [pair] = fixed.candidates(space, limit=10, rng=np.random.default_rng(0))
    assert (pair.d0, pair.d1) == ([1, 2, 3], [1, 2])
    assert fixed.check([1], [1, 5]) is None
    assert "exactly one" in fixed.check([1], [1, 5, 6])
    assert fixed.count(space) is None, "one pair must never certify a relation"
    assert fixed.box(space) is None
    with pytest.raises(UnsupportedError):
        fixed.decode(space, np.zeros(1))


def test_queries_contain_the_patterns_of_statdp():
    """One above, one below, one above and the rest below, the converse, halves, all, and the X shape."""
    space = SearchSpace(size=4, low=0.0, high=2.0)
    pairs = AllQueries().candidates(space, limit=300, rng=np.random.default_rng(0))
    found = {tuple(sorted((tuple(p.d0), tuple(p.d1)))) for p in pairs}
    ones = (1.0, 1.0, 1.0, 1.0)
    for other in [(2, 1, 1, 1), (0, 1, 1, 1), (2, 0, 0, 0), (0, 2, 2, 2), (0, 0, 2, 2), (2, 2, 2, 2), (0, 0, 0, 0)]:
        assert tuple(sorted((ones, tuple(map(float, other))))) in found, other
    assert ((0.0, 0.0, 1.0, 1.0), (1.0, 1.0, 0.0, 0.0)) in found


def test_box_reaches_single_entries_and_whole_steps():
    space = SearchSpace(size=1000, low=-3.0, high=3.0)
    generator = AllQueries()
    vector = np.array([0.0, 0.06, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.9, -0.8, 0.0])
    pair = generator.decode(space, vector)
    moves = pair.d1 - pair.d0
    assert set(moves[: np.flatnonzero(np.diff(moves))[0] + 1]) == {1.0}
    assert np.flatnonzero(np.diff(moves))[0] == 0, "the first entry alone"
    assert set(moves[1:]) == {-1.0}
    assert math.isclose(moves.sum(), 1.0 - 999.0)
