"""Cells and tables: as sets, as sums, looked up, and in words."""

import itertools
import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditors.privacy.event import tables
from auditors.privacy.event.tables import (
    Cells,
    Table,
    block_tables,
    cell_edges,
    cells,
    common_values,
    row_keys,
    run_edges,
    table,
)
from tests.auditors.privacy.samples import sample

ROWS = np.random.default_rng(0).integers(0, 3, size=(200, 5)).astype(float)


@given(
    edges=st.lists(st.floats(-5, 5), min_size=1, max_size=6, unique=True).map(sorted),
    steps=st.lists(st.floats(-2, 2), min_size=7, max_size=7),
    threshold=st.floats(-2, 2),
    above=st.booleans(),
    xs=st.lists(st.floats(-6, 6), min_size=1, max_size=20),
)
def test_cells_are_the_union_of_their_intervals(edges, steps, threshold, above, xs):
    score = Cells(columns=(0,), edges=(np.array(edges),), steps=(np.array(steps[: len(edges) + 1]),))
    spans = score.intervals(threshold, above=above)
    inside = (score(np.array(xs)) > threshold) == above
    assert inside.tolist() == [any(low <= x < high for low, high in spans) for x in xs]
    assert all(a[1] < b[0] for a, b in pairwise(spans))
    assert score.text(threshold, above=above).startswith("output[0] in ")


def test_cells_give_atoms_a_cell_of_their_own():
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.normal(size=900), np.full(300, 0.25), np.full(100, -1.0)])
    edges = cell_edges(values, None, 8)
    for atom in (0.25, -1.0):
        assert atom in edges
        assert np.nextafter(atom, np.inf) in edges
    weighted = cell_edges(np.arange(4), np.array([500, 500, 0, 3]), 8)
    assert {0.0, 1.0} <= set(weighted.tolist())
    first, second = sample(values), sample(np.concatenate([rng.normal(size=900), np.full(400, 0.25)]))
    score = cells(first, second, (0,), 8)
    at = score(np.array([0.25, -1.0]))
    assert at[0] == pytest.approx(np.log(300.5 / 400.5))
    assert at[1] > 4.0
    assert common_values(first, second, 0).tolist() == [0.25, -1.0]


def test_cells_of_several_coordinates_add_up():
    first, second = sample(ROWS[:100]), sample(ROWS[100:])
    parts = [cells(first, second, (column,), 8)(ROWS) for column in (0, 3)]
    assert np.allclose(cells(first, second, (0, 3), 8)(ROWS), parts[0] + parts[1])
    assert "2 coordinates" in cells(first, second, (0, 3), 8).text(0.0, above=True)
    json.dumps(cells(first, second, (0, 3), 8).plain(), allow_nan=False)


def test_tables_look_outcomes_up_and_say_which():
    first, second = sample([[0, 1]] * 30 + [[1, 1]] * 10), sample([[0, 1]] * 10 + [[1, 1]] * 10 + [[2, 2]] * 20)
    score = table(first, second)
    assert isinstance(score, Table)
    found = score(np.array([[0, 1], [1, 1], [2, 2], [7, 7]]))
    assert found == pytest.approx([np.log(30.5 / 10.5), 0.0, np.log(0.5 / 20.5), 0.0])
    assert score.text(0.5, above=True) == "output in {[0, 1]}"
    assert score.text(-0.5, above=True) == "output not in {[2, 2]}"
    assert score.text(-0.5, above=False) == "output in {[2, 2]}"
    assert score.text(0.5, above=False) == "output not in {[0, 1]}"
    json.dumps(score.plain(), allow_nan=False)
    counted = table(sample(np.arange(3), np.array([19, 1, 0])), sample(np.arange(3), np.array([1, 19, 0])))
    assert counted(np.array([0, 1, 2])) == pytest.approx([np.log(19.5 / 1.5), np.log(1.5 / 19.5), 0.0])


def test_ratios_that_scatter_no_more_than_counting_makes_them_are_drawn_to_nothing():
    """Equal sides, a thousand draws an outcome: ratios of 0.04 by luck; and none that stands out is touched."""
    rng = np.random.default_rng(5)
    values = np.arange(20)
    even = np.full(20, 1000)
    lucky = table(sample(values, even), sample(values, rng.permutation(even + np.resize([20, -20], 20))))
    assert np.abs(lucky(values)).max() < 1e-12, "a deviation of 20 is less than the 45 that counting allows"
    tilted = even + np.where(values < 2, 500, 0) - np.where(values > 17, 500, 0)
    found = table(sample(values, tilted), sample(values, even))(values)
    assert found[:2] == pytest.approx(np.log(1500.5 / 1000.5))
    assert found[18:] == pytest.approx(np.log(500.5 / 1000.5))
    # between the two: drawn towards 0 by noise / (scatter + noise), where scatter is the precision-weighted excess
    mild = even + np.resize([60, -60], 20)
    ratio, noise = np.log(mild + 0.5) - np.log(1000.5), 1 / (mild + 0.5) + 1 / 1000.5
    scatter = (ratio**2 / noise - 1).sum() / (1 / noise).sum()
    found = table(sample(values, mild), sample(values, even))(values)
    assert found == pytest.approx(ratio * scatter / (scatter + noise))


def test_a_block_of_symbols_is_looked_up_as_one():
    """Where a run stopped is told by two coordinates together; a real number stands between two blocks."""
    rng = np.random.default_rng(6)

    def rows(same):
        a = rng.integers(0, 2, 4000)
        b = np.where(rng.random(4000) < same, a, 1 - a)
        return np.column_stack([a, b, rng.normal(size=4000), a, rng.integers(0, 3, 4000)])

    first, second = sample(rows(0.7)), sample(rows(0.3))
    found = block_tables(first, second)
    assert [one.columns for one in found] == [(0, 1), (3, 4)]
    told = found[0](np.array([[0, 0, 9.9, 0, 0], [0, 1, 9.9, 0, 0]]))
    assert told == pytest.approx([np.log(7 / 3), -np.log(7 / 3)], abs=0.2)  # 7 standard errors
    assert found[0].plain()["columns"] == [0, 1]
    assert "output[0..1] in" in found[0].text(0.5, above=True)
    assert block_tables(sample(rng.normal(size=50)), sample(rng.normal(size=50))) == []
    whole = sample(rng.integers(0, 2, (4000, 3))), sample(rng.integers(0, 2, (4000, 3)))
    assert block_tables(*whole) == [], "the whole output has a table of its own"


def test_no_table_of_a_continuum():
    rng = np.random.default_rng(2)
    assert table(sample(rng.normal(size=500)), sample(rng.normal(size=500))) is None


def test_keys_of_outputs():
    values = np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    keys = row_keys(values)
    assert keys[0] == keys[1] == keys[3] != keys[2]
    assert len(np.unique(row_keys(np.arange(100_000)))) == 100_000
    assert np.array_equal(row_keys(np.arange(5)), row_keys(np.arange(5.0)[:, None]))


DRAWS = 20_000


def naive(first, second):
    """The ends of the intervals with the largest excesses by trying all of them; several where these are equal."""
    values, found = sorted({*first, *second}), []
    for more, less in ((first, second), (second, first)):
        for slope in tables.SLOPES:
            every = []
            for start, stop in itertools.combinations(range(len(values) + 1), 2):
                inside = values[start:stop]
                k1, k2 = (sum(value in inside for value in side) for side in (more, less))
                every.append((k1 - slope * k2, k1 + slope**2 * max(k2, 1), start, stop))
            best = max(each[0] for each in every)
            found.append([each for each in every if each[0] > best - 1e-9])
    return found, values


@given(first=st.lists(st.integers(0, 5), min_size=1, max_size=60), second=st.lists(st.integers(0, 5), max_size=60))
def test_no_other_interval_has_a_larger_excess(first, second):
    found, values = naive(first, second)
    edges = run_edges(np.array(first), np.array(second)).tolist()
    assert edges == sorted(set(edges) & set(values[1:]))
    for best in found:
        for excess, variance, start, stop in best if len(best) == 1 else []:
            if start > 0 and stop < len(values) and excess > tables.CLEARLY * np.sqrt(variance):
                assert {values[start], values[stop]} <= {*edges}
    ends = {place for best in found for _, _, *pair in best for place in pair}
    assert {*edges} <= {values[place] for place in ends if place < len(values)}


def uniform_with_a_narrow_part(share, rng):
    inside = rng.random(DRAWS) < share
    return np.where(inside, rng.uniform(1.0, 1.02, DRAWS), rng.uniform(0.0, 10.0, DRAWS))


def test_the_ends_of_a_narrow_interval_are_edges_and_make_it_an_event():
    """Share 0.022 against 0.002: its ends lie within a few draws of 1 and 1.02, where one draw takes 0.00005."""
    rng = np.random.default_rng(3)
    first, second = (uniform_with_a_narrow_part(share, rng) for share in (0.02, 0.0))
    edges = run_edges(first, second)
    assert np.abs(edges - 1.0).min() < 0.002
    assert np.abs(edges - 1.02).min() < 0.002
    score = cells(sample(first), sample(second), (0,), 8)
    assert score(np.array([1.01]))[0] == pytest.approx(np.log(0.022 / 0.002), abs=0.7)
    assert np.abs(score(np.array([0.9, 1.1]))).max() < 0.1


def test_alike_sides_and_constants_have_few_runs_or_none():
    rng = np.random.default_rng(4)
    assert run_edges(*rng.normal(size=(2, DRAWS))).size <= 12
    assert run_edges(np.zeros(10), np.zeros(10)).size == 0
    assert run_edges(np.zeros(100), np.ones(100)).size == 0, "half-lines show it"
    assert run_edges(np.repeat([0, 1, 2], 50), np.repeat([0, 2], 50)).tolist() == [1.0, 2.0]
    assert run_edges(*rng.normal(size=(2, DRAWS)) + np.array([[0.0], [1.0]])).size == 0, "so they do here"
