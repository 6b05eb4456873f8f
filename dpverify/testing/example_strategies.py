"""Hypothesis strategies for authors: neighbours and data sets like one example, claims, and budgets.

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

from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset, Guarantee, Pair
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.definitions.rdp import RDP, ZCDP
from dpverify.neighbourhood.neighbours import Bounds, neighbours_of
from dpverify.testing.strategies import datasets, neighbors

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
