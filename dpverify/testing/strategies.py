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

Hypothesis strategies for authors: neighbours and data sets like one example, claims, and budgets.

>>> from hypothesis import given
>>> from dpverify.testing import neighbors_of
>>> @given(neighbors_of([0.2, 0.9, 1.0, 0.0], relation="replace"))
... def test_sum_moves_by_one_at_most(pair):
...     assert abs(sum(pair.d1) - sum(pair.d0)) <= 1.0

What a record is and its ranges are read off the example, as ``dpverify.audit`` does it.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from dpverify.core.claim import Claim, SearchSpace
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.subjects import Dataset, Guarantee, NeighborGenerator, Pair
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.definitions.rdp import RDP, ZCDP
from dpverify.neighbourhood.neighbours import Bounds, neighbours_of
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


KINDS = ("pure", "approx", "rdp", "zcdp", "gdp")


def neighbors_of(
    example: Any,
    *,
    relation: str | None = None,
    records: Any = None,
    bounds: Bounds | str | None = None,
    unit: str | None = None,
) -> st.SearchStrategy[Pair]:
    """Pairs of neighbouring data sets like the example.

    Parameters
    ----------
    example, relation, records, bounds, unit : as for ``dpverify.audit``
        ``example`` is its ``data``; ``relation`` is ``add-remove`` where it is None.

    Raises
    ------
    InputError
        For an example whose records cannot be read, or that has no two different neighbours.
    """
    return neighbors(neighbours_of(example, relation=relation, records=records, bounds=bounds, unit=unit))


def datasets_like(
    example: Any, *, records: Any = None, bounds: Bounds | str | None = None, unit: str | None = None
) -> st.SearchStrategy[Dataset]:
    """Data sets of the example's size, or of one record more or less; arguments as for `neighbors_of`."""
    return datasets(neighbours_of(example, records=records, bounds=bounds, unit=unit))


def budgets(low: float = 1e-3, high: float = 10.0) -> st.SearchStrategy[float]:
    """Numbers in [low, high]: simple ones (1, 0.5, ...) and any others; they shrink towards the first simple one.

    Raises
    ------
    InputError
        For anything but 0 < low <= high < inf.
    """
    if not 0 < low <= high < float("inf"):
        raise InputError(f"budgets({low}, {high})", allowed="0 < low <= high, finite")
    plain = [value for value in (1.0, 0.5, 2.0, 0.1, 0.25, 4.0, low, high) if low <= value <= high]
    return st.sampled_from(plain) | st.floats(low, high)


def claims(*kinds: str, low: float = 1e-3, high: float = 10.0) -> st.SearchStrategy[Guarantee]:
    """Claims with budgets in [low, high].

    Parameters
    ----------
    *kinds : str
        Among ``pure``, ``approx``, ``rdp``, ``zcdp``, ``gdp``; none for all.
    low, high : float
        As for `budgets`: epsilon, rho or mu.

    Raises
    ------
    InputError
        For an unknown kind, or bad budgets.
    """
    numbers = budgets(low, high)
    made: dict[str, st.SearchStrategy[Guarantee]] = {
        "pure": st.builds(PureDP, epsilon=numbers),
        "approx": st.builds(
            ApproxDP, epsilon=numbers, delta=st.sampled_from([1e-5, 1e-3, 1e-9]) | st.floats(1e-12, 0.5)
        ),
        "rdp": st.builds(RDP, order=st.sampled_from([2.0, 8.0]) | st.floats(1.01, 256.0), epsilon=numbers),
        "zcdp": st.builds(ZCDP, rho=numbers),
        "gdp": st.builds(GDP, mu=numbers),
    }
    for kind in kinds:
        if kind not in made:
            raise InputError(f"claims of the kind {kind!r}", allowed=", ".join(KINDS))
    return st.one_of([made[kind] for kind in kinds or KINDS])
