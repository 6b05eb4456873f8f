from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpverify.core.evidence import Measure
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.partial_sum import PartialSum

CLAIM = Measure(kind="epsilon", argument=0.0, claimed=0.1)


@given(entries=st.lists(st.floats(-10, 10), min_size=1, max_size=10), up=st.booleans())
def test_rounding_of_sums_never_carries_a_pair_over_the_claim(entries: list[float], up: bool) -> None:
    mechanism = PartialSum(epsilon=0.1)
    moved = [entries[0] + (1.0 if up else -1.0), *entries[1:]]
    found = mechanism.output_law(entries).against(mechanism.output_law(moved)).prove(CLAIM)
    assert found is not None
    assert found.lower <= 0.1
    assert found.value == pytest.approx(0.1, rel=1e-8)


def test_sums_of_neighbours_can_differ_by_more_than_one() -> None:
    # The fault that the extra 1e-9 of sensitivity is there for.
    gaps = [abs(sum([0.1 * i, 0.7, 3.3]) - sum([0.1 * i + 1.0, 0.7, 3.3])) for i in range(1, 60)]
    assert max(gaps) > 1.0


def test_samples_follow_the_law(follows: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9.
    values = PartialSum(epsilon=0.5).sample(np.array([1.0, 2.0]), 50_000, rng=stream(19))
    assert follows(values, stats.laplace(3.0, 2.0).cdf)
