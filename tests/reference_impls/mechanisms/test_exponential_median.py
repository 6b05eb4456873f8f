"""The median by the exponential mechanism: its draws follow the law of its gaps, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.sampling.streams import stream
from reference_impls.known_broken.exponential_median_unhalved import ExponentialMedianUnhalved
from reference_impls.mechanisms.exponential_median import ExponentialMedian

DATA = [1.0, 1.0, 1.02, 10.0, 17.0]
"""Two alike, and two at the end of the range or beyond."""


@pytest.mark.parametrize("kind", [ExponentialMedian, ExponentialMedianUnhalved])
def test_draws_follow_the_law_of_the_gaps(kind) -> None:
    """Kolmogorov-Smirnov; a true law fails with probability 1e-9."""
    ends, masses = kind(epsilon=1.0).gaps(DATA)
    kept = np.append(np.diff(ends) > 0, True)
    below = np.concatenate([[0.0], np.cumsum(masses)])
    drawn = kind(epsilon=1.0).sample(DATA, 100_000, rng=stream(41))
    assert stats.kstest(drawn, lambda x: np.interp(x, ends[kept], below[kept])).pvalue > 1e-9


def test_gaps_weigh_their_length_times_e_to_the_score() -> None:
    """Scores -2.5, -1.5, -0.5, 0.5 ... of five records; the three gaps that have a length, at epsilon / 2 each."""
    ends, masses = ExponentialMedian(epsilon=2.0).gaps(DATA)
    assert ends.tolist() == [0.0, 1.0, 1.0, 1.02, 10.0, 10.0, 10.0]
    weights = np.array([1.0 * np.exp(-2.5), 0.0, 0.02 * np.exp(-0.5), 8.98 * np.exp(-0.5), 0.0, 0.0])
    assert masses == pytest.approx(weights / weights.sum(), rel=1e-12)


def test_data_without_records_and_ranges_without_length() -> None:
    assert ExponentialMedian().gaps([])[1].tolist() == [1.0]
    with pytest.raises(InputError, match="allowed: low < high"):
        ExponentialMedian(low=1.0, high=1.0)
