from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.noisy_mean import NoisyMean, sum_and_size


def test_records_are_clamped_and_counted() -> None:
    np.testing.assert_array_equal(sum_and_size([-1.0, 0.5, 7.0], 0.0, 1.0), [1.5, 3.0])
    np.testing.assert_array_equal(sum_and_size([], 0.0, 1.0), [0.0, 0.0])


@pytest.mark.parametrize("bad", [{"low": 5.0, "high": 6.0}, {"low": 1.0, "high": 0.0}])
def test_ranges_far_from_zero_are_refused(bad: dict[str, float]) -> None:
    # Adding one record then moves the sum by more than the range, which the noise is scaled to.
    with pytest.raises(InputError):
        NoisyMean(**bad)


def test_samples_match_a_plain_numpy_twin(same: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a check, two checks.
    records, epsilon, size = [0.5, 1.0, 0.0, 1.0], 1.0, 100_000
    rng = np.random.default_rng(23)
    counts = np.maximum(4.0 + rng.laplace(scale=2 / epsilon, size=size), 1.0)
    plain = (2.5 + rng.laplace(scale=2 / epsilon, size=size)) / counts
    assert same(NoisyMean(epsilon=epsilon).sample(records, size, rng=stream(23)), plain)
    assert not same(NoisyMean(epsilon=2.0).sample(records, size, rng=stream(23)), plain)
