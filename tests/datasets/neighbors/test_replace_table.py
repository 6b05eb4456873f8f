"""One record of a table in place of another."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.core.claim import SearchSpace
from dpverify.datasets.neighbors.replace_table import TableReplacement
from dpverify.datasets.neighbors.table import records
from dpverify.datasets.table import Table

GENERATOR = TableReplacement()
SPACE = SearchSpace(size=40, low=0.0, high=1.0, data="breast-cancer", generator="replace/table")
BASE = Table(features=np.array([[0.0, 1.0], [2.0, 3.0]]), labels=np.array([1.0, -1.0]))


@pytest.mark.parametrize(
    "other", [BASE, BASE.replaced(1, np.array([9.0, 9.0]), 1.0), BASE.replaced(0, BASE.features[0], -1.0)]
)
def test_at_most_one_place_differs(other: Table) -> None:
    assert GENERATOR.check(BASE, other) is None
    assert GENERATOR.check(other, BASE) is None


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (BASE.take(np.array([1, 0])), "2 records differ"),
        (Table(features=BASE.features, labels=-BASE.labels), "2 records differ"),
        (BASE.without(0), "shapes must agree"),
        (np.zeros((2, 2)), "both must be tables"),
    ],
)
def test_others_are_no_neighbours(other: object, why: str) -> None:
    assert why in str(GENERATOR.check(BASE, other))


def test_every_candidate_is_a_neighbour_and_the_last_place_comes_first() -> None:
    rng = np.random.default_rng(0)
    pairs = GENERATOR.candidates(SPACE, limit=60, rng=rng)
    assert len(pairs) == 60
    data = records(SPACE)
    places = []
    for pair in pairs:
        assert pair.d0 is data
        assert GENERATOR.check(pair.d0, pair.d1) is None
        moved = (pair.d0.features != pair.d1.features).any(axis=1) | (pair.d0.labels != pair.d1.labels)
        places += np.flatnonzero(moved).tolist()
    assert places[0] == 39
    assert {0, 20, 39} <= set(places)
    assert any(pair.label.endswith("label turned") for pair in pairs)
    again = GENERATOR.candidates(SPACE, limit=60, rng=np.random.default_rng(0))
    assert [pair.label for pair in again] == [pair.label for pair in pairs]


def test_the_box_reaches_every_place_and_both_labels() -> None:
    box = GENERATOR.box(SPACE)
    assert box is not None
    assert box.tolist() == [[0.0, 1.0]] * 4
    seen = set()
    for share in np.linspace(0, 1, 81):
        pair = GENERATOR.decode(SPACE, np.array([share, 0.5, 1.0, share]))
        assert GENERATOR.check(pair.d0, pair.d1) is None
        place = int(pair.label.split()[-1])
        assert pair.d1.labels[place] == (-1.0 if share < 0.5 else 1.0)
        seen.add(place)
    assert seen == set(range(40))
