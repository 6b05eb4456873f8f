"""Hypothesis strategies over neighbouring data sets and parameters, for property tests of your own mechanisms.

>>> from hypothesis import given
>>> from dpverify.testing.strategies import neighbors
>>> @given(neighbors("replace", size=5, low=0.0, high=1.0))
... def test_sum_moves_by_one_at_most(pair):
...     assert abs(sum(pair.d1) - sum(pair.d0)) <= 1.0

Pairs come from the relation's own generator (`dpverify list relations`): its listed pairs, plain ones first, and points
of its box. They shrink towards the first listed pair, parameters towards the claim's own. Limits: what a generator does
not list and its box does not hold is not drawn. Not to be confused with an audit: a property that holds on every
example drawn is no proof, and a stochastic property needs a threshold that chance does not reach (an e-value, say), or
it will fail one day without a fault.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from dpverify.core.claim import Claim, SearchSpace
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.subjects import Dataset, NeighborGenerator, Pair
from dpverify.sampling.streams import stream
from dpverify.testing.search_points import Point, flipped_parameters, flipped_point

LISTED = 64
"""Plain pairs of the generator that are drawn beside its box."""


def neighbors(relation: str | NeighborGenerator, *, limit: int = LISTED, **space: Any) -> st.SearchStrategy[Pair]:
    """Pairs of neighbouring data sets.

    Parameters
    ----------
    relation : str or NeighborGenerator
        A registered one by name, or your own.
    limit : int
        How many of its listed pairs take part.
    **space
        Fields of `SearchSpace`: `size`, `low`, `high`, `data`.

    Raises
    ------
    InputError
        For an unknown relation or field, or a space without two different neighbours.
    """
    try:
        asked = SearchSpace(**space)
    except TypeError as problem:
        raise InputError(f"neighbors: {problem}", allowed="fields of SearchSpace, such as size, low, high") from None
    generator = registry().neighbors.get(relation) if isinstance(relation, str) else relation
    return _points(asked, generator, limit).map(lambda point: point.pair)


def datasets(relation: str | NeighborGenerator, *, limit: int = LISTED, **space: Any) -> st.SearchStrategy[Dataset]:
    """Single data sets: one side of a pair; arguments as for `neighbors`."""
    pairs = neighbors(relation, limit=limit, **space)
    return st.tuples(pairs, st.booleans()).map(lambda drawn: drawn[0].d1 if drawn[1] else drawn[0].d0)


def parameters(space: SearchSpace) -> st.SearchStrategy[dict[str, float]]:
    """Values for searched parameters, inside their boxes; those left out stay as the claim has them."""

    @st.composite
    def drawn(draw: Any) -> dict[str, float]:
        coin = st.booleans()
        return flipped_parameters(lambda: bool(draw(coin)), space)

    return drawn()


def points(claim: Claim, *, limit: int = LISTED) -> st.SearchStrategy[Point]:
    """Pairs and searched parameters of a claim, as its search space and relation have them.

    Raises
    ------
    InputError
        For an unknown relation, or a space without two different neighbours.
    """
    generator = registry().neighbors.get(claim.space.generator or claim.relation)
    return _points(claim.space.at(claim.space.size), generator, limit)


def _points(space: SearchSpace, generator: NeighborGenerator, limit: int) -> st.SearchStrategy[Point]:
    listed = generator.candidates(space, limit=limit, rng=stream(0, "strategies", generator.name))
    if not listed:
        raise InputError(
            f"the relation {generator.relation!r} has no two different neighbours in this space",
            allowed="a space with a pair",
            remedy="widen size, low or high",
        )

    @st.composite
    def drawn(draw: Any) -> Point:
        coin = st.booleans()
        return flipped_point(lambda: bool(draw(coin)), space, generator, listed)

    return drawn()
