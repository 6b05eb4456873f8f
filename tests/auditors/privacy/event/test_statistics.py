"""Statistics of vector outputs against naive twins, on rows as they come and by columns."""

from itertools import pairwise
from statistics import median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from auditors.privacy.event.statistics import ENOUGH, Higher, Statistic, higher, medians, statistics_of
from tests.auditors.privacy.samples import sample

ROWS = np.random.default_rng(0).integers(0, 3, size=(200, 5)).astype(float)


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


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", NAIVE)
@given(
    values=arrays.arrays(
        st.sampled_from([np.float64, np.int8]),
        st.tuples(st.integers(1, 9), st.integers(1, 7)),
        elements=st.integers(-2, 2),
    ),
    value=st.integers(-2, 2),
)
@settings(max_examples=40, deadline=None)
def test_statistics_equal_their_naive_twins(name, order, values, value):
    score = Statistic(name=name, value=float(value) if name in ("count", "first", "last") else None)
    rows = np.asarray(values, order=order)
    assert score(rows).tolist() == [NAIVE[name](row, score.value) for row in values.tolist()]


WHOLE = {
    "argmax": lambda rows, _: rows.argmax(axis=1),
    "argmin": lambda rows, _: rows.argmin(axis=1),
    "ties": lambda rows, _: (np.diff(rows, axis=1) == 0).sum(axis=1),
    "count": lambda rows, value: (rows == value).sum(axis=1),
    "first": lambda rows, value: np.where((rows == value).any(axis=1), (rows == value).argmax(axis=1), rows.shape[1]),
    "last": lambda rows, value: np.where(
        (rows == value).any(axis=1), rows.shape[1] - 1 - (rows == value)[:, ::-1].argmax(axis=1), rows.shape[1]
    ),
}


@pytest.mark.parametrize("kind", [np.float64, np.int8])
@pytest.mark.parametrize("name", WHOLE)
def test_rows_of_several_blocks_equal_numpys_and_are_left_as_they_were(name, kind):
    rows = np.asfortranarray(np.random.default_rng(3).integers(0, 4, size=(2500, 6)).astype(kind))
    before = rows.copy()
    score = Statistic(name=name, value=1.0 if name in ("count", "first", "last") else None)
    assert (score(rows) == WHOLE[name](before, 1.0)).all()
    assert (rows == before).all()


@pytest.mark.parametrize("name", NAIVE)
def test_statistics_in_words(name):
    value = 2.0 if name in ("count", "first", "last") else None
    score = Statistic(name=name, value=value)
    assert name in score.text(0.5, above=True)
    assert "> 0.5" in score.text(0.5, above=True)
    assert "<= 0.5" in score.text(0.5, above=False)


def test_all_statistics_are_offered_for_vectors_only():
    names = [score.plain()["name"] for score in statistics_of(sample(ROWS), [0.0, 2.0])]
    assert set(names) == set(NAIVE)
    assert statistics_of(sample(ROWS[:, 0]), [0.0]) == []


def test_higher_counts_coordinates_above_their_levels():
    score = Higher(levels=(0.0, 1.0, 2.0))
    assert score(np.array([[0.0, 1.0, 2.0], [1.0, 1.5, 0.0], [1.0, 2.0, 3.0]])).tolist() == [0.0, 2.0, 3.0]
    assert score.plain() == {"kind": "higher", "levels": [0.0, 1.0, 2.0], "signs": [], "steps": False}
    assert score.text(1.0, above=True) == "number of coordinates above their medians > 1"


@pytest.mark.parametrize("size", [3, ENOUGH // 2, ENOUGH])
def test_medians_are_those_of_both_sides_first_draws(size):
    """A naive twin; the two sides differ, and so do early and late draws."""
    rng = np.random.default_rng(4)
    first, second = (
        rng.normal(size=(size, 3)) + shift + (np.arange(size) >= ENOUGH // 2)[:, None] for shift in (0.0, 2.0)
    )
    used = ENOUGH // 2
    expected = [
        median([*first[:used, column].tolist(), *second[:used, column].tolist()]) for column in range(first.shape[1])
    ]
    assert medians(sample(first), sample(second)) == pytest.approx(expected)


def test_coordinates_that_move_apart_are_counted_each_in_its_own_direction():
    """Two up, one down, one still: their signed count tells what the plain one cannot, and so do signed steps."""
    rng = np.random.default_rng(7)
    shift = np.array([0.5, -0.5, 0.5, 0.0])
    noise = [rng.normal(size=(20_000, 4)) for _ in (0, 1)]
    first, second = (sample(one) for one in (noise[0] + shift, noise[1]))
    plain, signed, *_ = higher(first, second)
    assert plain.signs == ()
    assert signed.signs[:3] == (1.0, -1.0, 1.0), "38 standard errors each"
    gaps = [score(first.values).mean() - score(second.values).mean() for score in (plain, signed)]
    assert gaps[1] > 2.5 * abs(gaps[0])
    sums = [sample(np.cumsum(one.values, axis=1)) for one in (first, second)]
    stepped = next(score for score in higher(*sums) if score.steps)
    assert stepped.signs[:3] == (1.0, -1.0, 1.0)
    assert stepped.levels[1] == pytest.approx(-0.25, abs=0.1)
    assert stepped(sums[0].values[:5]).tolist() == pytest.approx(
        sum(
            sign * (np.diff(sums[0].values[:5], axis=1, prepend=0.0)[:, i] > level)
            for i, (sign, level) in enumerate(zip(stepped.signs, stepped.levels, strict=True))
        ).tolist()
    )
    assert "signed number of steps" in stepped.text(0.0, above=True)
