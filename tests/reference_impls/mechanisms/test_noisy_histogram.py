from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from dpverify.sampling.streams import stream
from reference_impls.mechanisms.noisy_histogram import NoisyHistogram

COUNTS = [4.0, 0.0, 1.0]


def test_one_count_costs_epsilon_and_all_of_them_three() -> None:
    mechanism = NoisyHistogram(epsilon=0.5)
    law = mechanism.output_law(COUNTS)
    assert law.against(mechanism.output_law([4.0, 1.0, 1.0])).epsilon(0.0).value == pytest.approx(0.5)
    assert law.against(mechanism.output_law([5.0, 1.0, 2.0])).epsilon(0.0).value == pytest.approx(1.5)
    np.testing.assert_array_equal(mechanism.query(COUNTS), COUNTS)


def test_samples_follow_the_law(follows: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a column.
    noisy = NoisyHistogram(epsilon=0.5).sample(COUNTS, 50_000, rng=stream(5, "histogram"))
    for column, count in enumerate(COUNTS):
        assert follows(noisy[:, column], stats.laplace(count, 2.0).cdf)
