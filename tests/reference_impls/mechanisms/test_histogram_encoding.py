from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.histogram_encoding import SummationHistogramEncoding, ThresholdHistogramEncoding

PURE = Measure(kind="epsilon", argument=0.0, claimed=1.0)


def law(value: int, epsilon: float = 1.0, threshold: float = 0.67) -> np.ndarray:
    """Entry by entry, from the Laplace tails."""
    chances = stats.laplace.sf(threshold, np.eye(4)[value], 2.0 / epsilon)
    bits = np.arange(16)[:, None] >> np.arange(4) & 1
    return np.prod(np.where(bits == 1, chances, 1.0 - chances), axis=1)


def test_the_thresholded_law_is_a_product_of_tails() -> None:
    for value in range(4):
        found = np.exp(ThresholdHistogramEncoding(epsilon=1.0).output_law(value).log_probabilities)
        np.testing.assert_allclose(found, law(value), rtol=1e-12)


@pytest.mark.parametrize(("multiplier", "true"), [(1.0, 0.892087), (0.9, 0.981065)])
def test_a_threshold_costs_less_than_epsilon(multiplier: float, true: float) -> None:
    p, q = stats.laplace.sf(0.67, [1.0, 0.0], 2.0 * multiplier)
    assert math.log(p * (1 - q) / (q * (1 - p))) == pytest.approx(true, abs=1e-6)
    mechanism = ThresholdHistogramEncoding(epsilon=1.0, noise_multiplier=multiplier)
    found = mechanism.output_law(0).against(mechanism.output_law(3)).prove(PURE)
    assert found is not None
    assert found.value == pytest.approx(true, abs=1e-6)


@pytest.mark.parametrize("multiplier", [1.0, 0.9])
def test_the_noisy_vector_costs_epsilon(multiplier: float) -> None:
    mechanism = SummationHistogramEncoding(epsilon=1.0, noise_multiplier=multiplier)
    found = mechanism.output_law(0).against(mechanism.output_law(2)).prove(PURE)
    assert found is not None
    assert found.value == pytest.approx(1.0 / multiplier)


def test_samples_follow_the_laws(fits: Callable[..., bool], follows: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a check, six checks.
    counts = ThresholdHistogramEncoding(epsilon=1.0).counts(2, 400_000, rng=stream(52, "the"))
    assert fits(counts, law(2))
    assert not fits(counts, law(2, epsilon=1.1))
    out = SummationHistogramEncoding(epsilon=1.0).sample(2, 100_000, rng=stream(52, "she"))
    noise = out - np.eye(4)[2]
    for column in range(4):
        assert follows(noise[:, column], stats.laplace(0.0, 2.0).cdf)
    # Entry by entry independent: all quarters of the four noises are as likely together.
    quarters = np.searchsorted(stats.laplace(0.0, 2.0).ppf([0.25, 0.5, 0.75]), noise)
    together = np.bincount(quarters @ 4 ** np.arange(4), minlength=256)
    assert fits(together, np.full(256, 1 / 256))
    assert not fits(np.bincount(quarters[:, [0, 1, 2, 0]] @ 4 ** np.arange(4), minlength=256), np.full(256, 1 / 256))


def test_bad_input_is_refused() -> None:
    for call in (
        lambda: SummationHistogramEncoding(categories=1),
        lambda: ThresholdHistogramEncoding(threshold=1.5),
        lambda: ThresholdHistogramEncoding().output_law(4),
    ):
        with pytest.raises(InputError):
            call()
