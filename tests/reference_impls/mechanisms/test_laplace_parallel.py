from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.laplace_parallel import LaplaceParallel


@pytest.mark.parametrize("multiplier", [1.0, 0.9])
def test_twenty_answers_cost_a_tenth_together(multiplier: float) -> None:
    mechanism = LaplaceParallel(epsilon=0.1, noise_multiplier=multiplier)
    pair = mechanism.output_law([0.0]).against(mechanism.output_law([1.0]))
    found = pair.prove(Measure(kind="epsilon", argument=0.0, claimed=0.1))
    assert found is not None
    assert found.value == pytest.approx(0.1 / multiplier, rel=1e-12)
    assert (found.lower > 0.1) == (multiplier < 1)


def test_at_least_one_copy() -> None:
    with pytest.raises(InputError):
        LaplaceParallel(copies=0)


def test_samples_follow_the_law(follows: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a column, twenty columns.
    values = LaplaceParallel().sample([3.0], 20_000, rng=stream(22))
    assert values.shape == (20_000, 20)
    for column in range(20):
        assert follows(values[:, column], stats.laplace(3.0, 200.0).cdf)
    assert np.abs(np.corrcoef(values.T) - np.eye(20)).max() < 0.05  # seven standard deviations
