from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from dpverify.sampling.streams import stream
from reference_impls.mechanisms.prefix_sum import PrefixSum

ENTRIES = np.array([1.0, -2.0, 0.5])


def test_one_moving_entry_costs_epsilon() -> None:
    mechanism = PrefixSum(epsilon=0.5)
    law, moved = mechanism.output_law(ENTRIES), mechanism.output_law([1.0, -1.0, 0.5])
    assert law.against(moved).epsilon(0.0).value == pytest.approx(0.5)
    np.testing.assert_array_equal(mechanism.query(ENTRIES), ENTRIES)


def test_differences_of_the_sums_are_noisy_entries(follows: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 an entry; the first sum is the first entry.
    sums = PrefixSum(epsilon=0.5).sample(ENTRIES, 50_000, rng=stream(18))
    for column, entry in enumerate(ENTRIES):
        assert follows(np.diff(sums, axis=1, prepend=0.0)[:, column], stats.laplace(entry, 2.0).cdf)
