"""One record more or less, known by its losses along a ray."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.claim import SearchSpace
from dpverify.core.registry import Registry
from dpverify.core.subjects import NeighborGenerator
from dpverify.datasets.neighbors import losses
from dpverify.datasets.neighbors.losses import FEW, MANY, TabulatedLosses, check_losses

GENERATOR = TabulatedLosses()


def table(*rows: tuple[float, ...]) -> np.ndarray:
    return np.array(rows, dtype=np.float64)


def test_it_is_a_generator_in_two_sizes() -> None:
    registry = Registry()
    losses.register(registry)
    assert list(registry.neighbors) == ["add-remove/losses", "add-remove/losses-few"]
    for name, most in (("add-remove/losses", MANY), ("add-remove/losses-few", FEW)):
        found = registry.neighbors.get(name)
        assert isinstance(found, NeighborGenerator)
        assert (found.name, found.relation) == (name, "add-remove")
        space = SearchSpace(size=5, low=0.0, high=1.0)
        pairs = found.candidates(space, limit=200, rng=np.random.default_rng(0))
        assert max(pair.d0[0, 0] for pair in pairs) == most
        assert found.count(space) is None


@pytest.mark.parametrize(
    ("d0", "d1"),
    [
        (table((3, 0.5, 0.1)), table((4, 0.5, 0.1))),
        (table((3, 0.5, 0.1)), table((3, 0.5, 0.1), (1, 0, 1))),
        (table((2, 0.5, 0.1), (1, 0, 1)), table((1, 0, 1), (1, 0.5, 0.1), (2, 0.5, 0.1))),
        (table((1, 0.0, 1)), table((2, -0.0, 1))),
        (np.zeros((0, 3)), table((1, 0, 1))),
    ],
)
def test_neighbours_either_way(d0: np.ndarray, d1: np.ndarray) -> None:
    assert GENERATOR.check(d0, d1) is None
    assert GENERATOR.check(d1, d0) is None


@pytest.mark.parametrize(
    ("d0", "d1", "why"),
    [
        (table((3, 0.5, 0.1)), table((3, 0.5, 0.1)), "0 records differ"),
        (table((3, 0.5, 0.1)), table((5, 0.5, 0.1)), "2 records differ"),
        (table((3, 0.5, 0.1)), table((2, 0.5, 0.1), (1, 0.5, 0.2)), "2 records differ"),
        (table((3, 0.5, 0.1)), table((4, 0.5, 0.2)), "7 records differ"),
        (table((3, 0.5, 0.1)), table((4, 0.5, 0.1, 0.1)), "columns"),
        (table((3, 0.5, 0.1)), table((3.5, 0.5, 0.1)), "whole numbers"),
        (table((3, 0.5, 0.1)), table((0, 0.5, 0.1)), "whole numbers"),
        (table((3, 0.5, 0.1)), table((4, np.nan, 0.1)), "finite"),
        (table((3, 0.5, 0.1)), np.ones(3), "two-dimensional"),
        (table((3, 0.5, 0.1)), "text", "no table"),
    ],
)
def test_what_are_no_neighbours(d0: np.ndarray, d1: np.ndarray, why: str) -> None:
    assert why in (GENERATOR.check(d0, d1) or "")


@pytest.mark.parametrize("low", [0.0, -1.0])
@pytest.mark.parametrize("size", [1, 2, 30, 1000])
def test_candidates_are_distinct_neighbours_inside_the_range(size: int, low: float) -> None:
    space = SearchSpace(size=size, low=low, high=1.0)
    pairs = GENERATOR.candidates(space, limit=60, rng=np.random.default_rng(1))
    assert len(pairs) == 60
    for pair in pairs:
        assert GENERATOR.check(pair.d0, pair.d1) is None, pair.label
        for side in (pair.d0, pair.d1):
            assert side.shape[1] == size + 2
            assert low <= side[:, 1:].min() <= side[:, 1:].max() <= 1.0
    again = GENERATOR.candidates(space, limit=60, rng=np.random.default_rng(1))
    assert all(np.array_equal(one.d1, two.d1) for one, two in zip(pairs, again, strict=True))


@given(st.data())
def test_decoded_pairs_are_neighbours_and_move_queries_exactly(data: st.DataObject) -> None:
    """Every sum is exact, so the queries move by the record's own f_w - h_i as rationals, whatever the background."""
    size, low = data.draw(st.integers(1, 40)), data.draw(st.sampled_from([0.0, -1.0]))
    space = SearchSpace(size=size, low=low, high=1.0)
    box = GENERATOR.box(space)
    assert box is not None
    share = data.draw(st.lists(st.floats(0, 1), min_size=len(box), max_size=len(box)))
    pair = GENERATOR.decode(space, box[:, 0] + np.array(share) * (box[:, 1] - box[:, 0]))
    assert GENERATOR.check(pair.d0, pair.d1) is None
    before, after = (side[:, 0] @ (side[:, 1:2] - side[:, 2:]) for side in (pair.d0, pair.d1))
    record = [Fraction(value) for value in pair.d1[-1, 1:].tolist()]
    assert [Fraction(b) - Fraction(a) for a, b in zip(before.tolist(), after.tolist(), strict=True)] == [
        record[0] - loss for loss in record[1:]
    ]


def test_the_box_reaches_both_ends_of_the_range() -> None:
    space = SearchSpace(size=10, low=0.0, high=1.0)
    pair = GENERATOR.decode(space, np.array([3.0, 0.3, 0.7, 1.0, -1.0, 0.0, 1.0, -1.0, 1.0, 0.0]))
    background, record = pair.d1
    assert background[0] == 1000
    assert {0.0, 0.5, 1.0} <= set(background[1:])
    assert record[1] == 1.0
    assert {0.0, 0.5, 1.0} <= set(record[2:])


def test_tables_of_another_width_are_named() -> None:
    assert check_losses(table((1, 0, 1)), columns=3) is None
    assert "4 columns" in (check_losses(table((1, 0, 1)), columns=4) or "")
