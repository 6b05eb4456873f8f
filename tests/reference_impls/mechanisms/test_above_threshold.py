from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.above_threshold import AboveThreshold

CLAIM = Measure(kind="epsilon", argument=0.0, claimed=0.1)
LEVELS = st.floats(-10, 10)


def test_the_law_agrees_with_scipy_quadrature() -> None:
    answers, mechanism = [1.0, -2.0, 4.0], AboveThreshold(epsilon=0.5, threshold=0.5)
    found = mechanism.output_law(answers).log_probabilities()
    for stop in range(4):

        def density(x: float, stop: int = stop) -> float:
            below = [stats.laplace.cdf(x, answer - 0.5, 8.0) for answer in answers]
            last = 1 - below[stop] if stop < 3 else 1.0
            return float(stats.laplace.pdf(x, 0.0, 4.0) * np.prod(below[:stop]) * last)

        points = sorted({0.0, *(answer - 0.5 for answer in answers)})
        whole = quad(density, -200, 200, points=points, epsabs=1e-13, limit=800)[0]
        assert found[stop] == pytest.approx(math.log(whole), abs=1e-9)


@given(answers=st.lists(LEVELS, min_size=1, max_size=10), seed=st.integers(0, 10**6))
@settings(max_examples=50, deadline=None)
def test_no_pair_exceeds_the_claim(answers: list[float], seed: int) -> None:
    moved = np.array(answers) + np.random.default_rng(seed).choice([-1.0, 0.0, 1.0], len(answers))
    mechanism = AboveThreshold(epsilon=0.1)
    assert mechanism.output_law(answers).against(mechanism.output_law(moved)).epsilon(0.0).lower <= 0.1


@pytest.mark.parametrize(("multiplier", "low", "high"), [(1.0, 0.099, 0.1), (0.9, 0.110, 0.1 / 0.9)])
def test_ten_queries_nearly_meet_the_claim_and_a_deficit_is_proved(multiplier: float, low: float, high: float) -> None:
    mechanism = AboveThreshold(epsilon=0.1, noise_multiplier=multiplier)
    d0, d1 = np.full(10, 9.0), np.full(10, 10.0)
    d0[9], d1[9] = 1.0, 0.0
    found = mechanism.output_law(d0).against(mechanism.output_law(d1)).prove(CLAIM)
    assert found is not None
    assert found.proved
    assert low < found.lower
    assert found.upper < high


def test_bad_data_are_refused() -> None:
    with pytest.raises(InputError):
        AboveThreshold().counts([], 1, rng=stream(0))


def test_counts_and_samples_follow_the_law(fits: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a check, three checks.
    answers = [1.0, -2.0, 4.0, 0.0]
    mechanism = AboveThreshold(epsilon=0.5)
    probabilities = np.exp(mechanism.output_law(answers).log_probabilities())
    assert fits(mechanism.counts(answers, 500_000, rng=stream(11, "counts")), probabilities)
    sample = mechanism.sample(answers, 200_000, rng=stream(11, "sample"))
    assert fits(np.bincount(sample, minlength=5), probabilities)
    weak = AboveThreshold(epsilon=0.5, noise_multiplier=0.9)
    assert not fits(weak.counts(answers, 500_000, rng=stream(11, "weak")), probabilities)
