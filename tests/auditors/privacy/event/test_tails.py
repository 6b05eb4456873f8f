"""Thresholds of a score and the shares above them, against a naive twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditors.privacy.event.scores import Coordinate
from auditors.privacy.event.tails import FEW_SORTED, MOST_THRESHOLDS, Tails, in_order
from tests.auditors.privacy.samples import sample


def test_tails_equal_their_naive_twin():
    rng = np.random.default_rng(0)
    sides = sample(rng.integers(0, 9, 200)), sample(rng.integers(3, 12, 200))
    tails = Tails.of(Coordinate(), sides)
    for place, threshold in enumerate(tails.thresholds):
        for side in (0, 1):
            assert tails.above[side, place] == pytest.approx(np.mean(sides[side].values > threshold))
    weighted = [sample(np.arange(12), np.bincount(side.values, minlength=12)) for side in sides]
    again = Tails.of(Coordinate(), (weighted[0], weighted[1]))
    shared = np.searchsorted(again.thresholds, tails.thresholds)
    assert np.allclose(again.above[:, shared], tails.above)
    assert np.allclose(tails.rates()[[1, 3]], 1 - tails.above)
    assert Tails.of(Coordinate(), (sample(np.ones(5)), sample(np.ones(5)))) is None


def test_thresholds_of_many_values_are_few_and_dense_at_both_ends():
    values = np.arange(100_000.0)
    thresholds = Tails.of(Coordinate(), (sample(values), sample(values + 0.5))).thresholds
    assert thresholds.size <= 2 * MOST_THRESHOLDS
    gaps = np.diff(thresholds)
    assert gaps[:4].max() <= 1.0
    assert gaps[-4:].max() <= 1.0
    assert gaps.max() < 2 * 100_000 / (MOST_THRESHOLDS // 2)


@given(
    st.lists(st.integers(-600, 600), min_size=1, max_size=50)
    | st.lists(st.floats(-1e300, 1e300) | st.sampled_from([0.5, 3.0, -0.0, 1024.0, -1024.0]), min_size=1, max_size=50)
)
def test_scores_are_put_in_order_as_numpy_does_it(values):
    scores = np.array(values, dtype=np.float64)
    assert (in_order(scores) == np.sort(scores)).all()


@pytest.mark.parametrize("last", [2.5, 1e6, 2.0])
def test_scores_that_only_begin_as_whole_numbers_are_sorted(last):
    scores = np.append(np.arange(500.0)[::-1] % 7, last)
    assert (in_order(scores) == np.sort(scores)).all()


@pytest.mark.parametrize("whole", [True, False])
def test_of_many_scores_all_are_counted(whole):
    """Thresholds come among the first draws; above each, and at ties with it, all draws are counted as they are."""
    rng = np.random.default_rng(1)
    values = [
        rng.geometric(0.4, FEW_SORTED + 1) if whole else rng.laplace(size=FEW_SORTED + 1) + shift for shift in (0, 1)
    ]
    tails = Tails.of(Coordinate(), (sample(values[0]), sample(values[1])), learned=True, most=FEW_SORTED)
    assert tails.learned
    assert tails.largest == max(part.max() for part in values)
    assert set(tails.thresholds) <= set(np.concatenate([part[: FEW_SORTED // 2] for part in values]).tolist())
    assert (np.diff(tails.thresholds) > 0).all()
    for side in (0, 1):
        assert tails.above[side].tolist() == [np.mean(values[side] > threshold) for threshold in tails.thresholds]


def test_other_draws_are_counted_between_the_same_thresholds():
    rng = np.random.default_rng(2)
    sides = sample(rng.integers(0, 9, 200)), sample(rng.integers(3, 12, 200))
    tails = Tails.of(Coordinate(), sides)
    other = rng.integers(0, 12, 500)
    hits = tails.hits(sample(other))
    assert hits.tolist() == [np.count_nonzero(other > threshold) for threshold in tails.thresholds]
    assert (tails.hits(sample(np.arange(12), np.bincount(other, minlength=12))) == hits).all()
    again = tails.again(np.stack([hits, hits]), 500)
    assert again.size == 500
    assert again.above[1].tolist() == (hits / 500).tolist()
    assert again.thresholds is tails.thresholds
