"""Scores against naive twins; events in words, as sets, and as counts."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditors.privacy.event_outputs import Sample
from auditors.privacy.event_scores import Cells, Coordinate, Event, Higher, Statistic, Table, row_keys, statistics_of
from auditors.privacy.event_tables import cell_edges, cells, common_values, table

ROWS = np.random.default_rng(0).integers(0, 3, size=(200, 5)).astype(float)


def sample(values, weights=None):
    values = np.asarray(values)
    return Sample(values=values, weights=weights, size=len(values) if weights is None else int(weights.sum()))


NAIVE = {
    "sum": lambda row, _: sum(row),
    "max": lambda row, _: max(row),
    "min": lambda row, _: min(row),
    "argmax": lambda row, _: row.index(max(row)),
    "argmin": lambda row, _: row.index(min(row)),
    "ties": lambda row, _: sum(a == b for a, b in pairwise(row)),
    "count": lambda row, value: row.count(value),
    "first": lambda row, value: row.index(value) if value in row else len(row),
    "last": lambda row, value: len(row) - 1 - row[::-1].index(value) if value in row else len(row),
}


@pytest.mark.parametrize("name", NAIVE)
def test_statistics_equal_their_naive_twins(name):
    value = 2.0 if name in ("count", "first", "last") else None
    score = Statistic(name=name, value=value)
    assert score(ROWS).tolist() == [NAIVE[name](row, value) for row in ROWS.tolist()]
    assert name in score.text(0.5, above=True)
    assert "> 0.5" in score.text(0.5, above=True)
    assert "<= 0.5" in score.text(0.5, above=False)


def test_all_statistics_are_offered_for_vectors_only():
    names = [score.record()["name"] for score in statistics_of(sample(ROWS), [0.0, 2.0])]
    assert set(names) == set(NAIVE)
    assert statistics_of(sample(ROWS[:, 0]), [0.0]) == []


def test_coordinates():
    assert Coordinate(column=1)(ROWS).tolist() == ROWS[:, 1].tolist()
    assert Coordinate()(ROWS[:, 0]).tolist() == ROWS[:, 0].tolist()
    assert Coordinate(column=1).text(2.0, above=False) == "output[1] <= 2"
    assert Coordinate().text(2.0, above=True) == "output > 2"


def test_events_count_draws_and_weights():
    event = Event(score=Coordinate(), threshold=1.0, above=True)
    assert event.hits(sample([0.0, 1.0, 2.0, 3.0])) == 2
    assert event.hits(sample(np.arange(4), weights=np.array([5, 7, 11, 13]))) == 24
    below = Event(score=Coordinate(), threshold=1.0, above=False)
    assert below.hits(sample(np.arange(4), weights=np.array([5, 7, 11, 13]))) == 12
    assert json.loads(json.dumps(event.record())) == {
        "threshold": 1.0,
        "above": True,
        "kind": "coordinate",
        "column": None,
    }


@given(
    edges=st.lists(st.floats(-5, 5), min_size=1, max_size=6, unique=True).map(sorted),
    steps=st.lists(st.floats(-2, 2), min_size=7, max_size=7),
    threshold=st.floats(-2, 2),
    above=st.booleans(),
    xs=st.lists(st.floats(-6, 6), min_size=1, max_size=20),
)
@settings(max_examples=100, deadline=None)
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
    json.dumps(cells(first, second, (0, 3), 8).record(), allow_nan=False)


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
    json.dumps(score.record(), allow_nan=False)
    counted = table(sample(np.arange(3), np.array([9, 1, 0])), sample(np.arange(3), np.array([1, 9, 0])))
    assert counted(np.array([0, 1, 2])) == pytest.approx([np.log(9.5 / 1.5), np.log(1.5 / 9.5), 0.0])


def test_no_table_of_a_continuum():
    rng = np.random.default_rng(2)
    assert table(sample(rng.normal(size=500)), sample(rng.normal(size=500))) is None


def test_keys_of_outputs():
    values = np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    keys = row_keys(values)
    assert keys[0] == keys[1] == keys[3] != keys[2]
    assert len(np.unique(row_keys(np.arange(100_000)))) == 100_000
    assert np.array_equal(row_keys(np.arange(5)), row_keys(np.arange(5.0)[:, None]))


def test_higher_counts_coordinates_above_their_levels():
    score = Higher(levels=(0.0, 1.0, 2.0))
    assert score(np.array([[0.0, 1.0, 2.0], [1.0, 1.5, 0.0], [1.0, 2.0, 3.0]])).tolist() == [0.0, 2.0, 3.0]
    assert score.record() == {"kind": "higher", "levels": [0.0, 1.0, 2.0]}
    assert score.text(1.0, above=True) == "number of coordinates above their medians > 1"
