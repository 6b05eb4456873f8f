"""One record of a table more or less."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.core.claim import SearchSpace
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.subjects import NeighborGenerator
from dpverify.datasets.adult import ADULT
from dpverify.datasets.dataset import load_table
from dpverify.datasets.neighbors import table as module
from dpverify.datasets.neighbors.table import TableRecords, records
from dpverify.datasets.table import Table

GENERATOR = TableRecords()
NAMES = ["breast-cancer"] + ["adult"] * ADULT.available()


def small(rows: list[list[float]], labels: list[float]) -> Table:
    return Table(features=np.array(rows), labels=np.array(labels))


BASE = small([[0.0, 1.0], [2.0, 3.0], [0.0, 1.0]], [1, -1, 1])


def test_it_is_a_generator() -> None:
    registry = Registry()
    module.register(registry)
    found = registry.neighbors.get("add-remove/table")
    assert isinstance(found, NeighborGenerator)
    assert found.count(SearchSpace(data="breast-cancer")) is None


@pytest.mark.parametrize(
    "other",
    [
        small([[0.0, 1.0], [2.0, 3.0], [0.0, 1.0], [9.0, 9.0]], [1, -1, 1, 1]),
        small([[9.0, 9.0], [0.0, 1.0], [2.0, 3.0], [0.0, 1.0]], [1, 1, -1, 1]),
        small([[2.0, 3.0], [-0.0, 1.0], [0.0, 1.0], [2.0, 3.0]], [-1, 1, 1, 1]),
        small([[0.0, 1.0], [2.0, 3.0]], [1, -1]),
    ],
)
def test_neighbours_either_way_in_any_order(other: Table) -> None:
    assert GENERATOR.check(BASE, other) is None
    assert GENERATOR.check(other, BASE) is None


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (BASE, "exactly one"),
        (small([[0.0, 1.0]], [1]), "exactly one"),
        (small([[0.0, 1.0], [2.0, 3.0], [0.0, 1.5], [9.0, 9.0]], [1, -1, 1, 1]), "1 records"),
        (small([[0.0, 1.0], [2.0, 3.0]], [1, 1]), "1 records"),
        (small([[2.0, 3.0], [2.0, 3.0]], [-1, -1]), "1 records"),
        (small([[0.0], [2.0]], [1, 1]), "columns"),
        (np.zeros((2, 2)), "tables"),
    ],
)
def test_what_are_no_neighbours(other: Table, why: str) -> None:
    assert why in (GENERATOR.check(BASE, other) or "")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [40, 10**9])
def test_candidates_are_neighbours_of_one_fixed_data_set(name: str, size: int) -> None:
    space = SearchSpace(size=size, low=0.0, high=1.0, data=name)
    pairs = GENERATOR.candidates(space, limit=8, rng=np.random.default_rng(0))
    assert len(pairs) == 8
    for pair in pairs:
        assert GENERATOR.check(pair.d0, pair.d1) is None, pair.label
        assert pair.d0.rows == min(size, load_table(name).rows)
        assert np.array_equal(pair.d0.features, pairs[0].d0.features)
        assert 0.0 <= pair.d1.features.min() <= pair.d1.features.max() <= 1.0
        assert (pair.d1.features[:, -1] == 1).all()
        assert pair.d1.name != pair.d0.name


@pytest.mark.parametrize("name", NAMES)
def test_a_subset_is_made_of_records_of_the_data(name: str) -> None:
    whole, part = load_table(name), records(SearchSpace(size=7, data=name))
    assert part.rows == 7
    rows = {row.tobytes() for row in whole.features}
    assert all(row.tobytes() in rows for row in part.features)
    assert np.array_equal(records(SearchSpace(size=7, data=name)).features, part.features)


@pytest.mark.parametrize("size", [40, 10**9])
def test_all_pairs_hold_the_same_data_set_itself(size: int) -> None:
    """So what a subject remembers of it holds for all of them."""
    space, other = (SearchSpace(size=n, low=0.0, high=1.0, data="breast-cancer") for n in (size, 6))
    corner = np.array([0.5, 1.0, 1.0])
    first, between, second = (GENERATOR.decode(each, corner) for each in (space, other, space))
    assert first.d0 is second.d0
    assert first.d0 is not between.d0
    assert not np.array_equal(first.d1.features[-1], between.d1.features[-1])  # each has the covariance of its own


def test_corners_reach_the_ends_of_the_range() -> None:
    space = SearchSpace(size=50, low=-2.0, high=3.0, data="breast-cancer")
    for side, label in ((0.2, -1.0), (0.8, 1.0)):
        pair = GENERATOR.decode(space, np.array([0.5, 1.0, side]))
        assert set(pair.d1.features[-1, :-1]) == {-2.0, 3.0}
        assert pair.d1.labels[-1] == label
    shrunk = GENERATOR.decode(space, np.array([0.5, 0.5, 0.0])).d1
    assert set(shrunk.features[-1, :-1]) == {-1.0, 1.5}
    assert shrunk.features[-1, -1] == 1.0


def test_a_space_without_data_is_refused() -> None:
    with pytest.raises(InputError, match="without a data set"):
        GENERATOR.candidates(SearchSpace(size=3), limit=1, rng=np.random.default_rng(0))


def test_worst_case_records_move_a_linear_score_most() -> None:
    """The corner at the middle cut beats every record of the data along the labels' covariance."""
    space = SearchSpace(size=10**9, low=0.0, high=1.0, data="breast-cancer")
    data = records(space)
    along = data.labels @ data.features - data.labels.sum() * data.features.mean(axis=0)
    sides = [GENERATOR.decode(space, np.array([cut, 1.0, 1.0])).d1.features[-1] @ along for cut in (0.0, 0.5, 1.0)]
    assert max(sides) > (data.features @ along).max()
