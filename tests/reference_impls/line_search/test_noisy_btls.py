"""NoisyBTLS as published: its numbers, its distribution against a naive twin and the exact law."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from dpverify.core.errors import InputError
from dpverify.core.subjects import CAPABILITIES, capabilities
from dpverify.sampling.streams import stream
from reference_impls.line_search.noisy_btls import NoisyBtls
from reference_impls.line_search.noisy_btls_queries import NoisyBtlsQueries


def naive_run(mechanism: NoisyBtls, queries: np.ndarray, rng: np.random.Generator) -> float:
    """Algorithm 1, line by line, with NumPy's own noise: the step size that is put out, or 0."""
    budget, delta = mechanism.budget, mechanism.sensitivity
    if mechanism.noise == "laplace":
        epsilon_1, epsilon_2 = budget / 2, budget / 4
        threshold = rng.laplace(0.0, delta / epsilon_1)
    else:
        threshold = rng.normal(0.0, math.sqrt(delta**2 * 3 / (2 * budget)))
    eta = mechanism.eta0
    for query in queries:
        if mechanism.noise == "laplace":
            noisy = query + rng.laplace(0.0, delta / epsilon_2)
        else:
            noisy = query + rng.normal(0.0, math.sqrt(delta**2 * 3 / budget))
        if noisy >= threshold:
            return eta
        eta = mechanism.beta * eta
    return 0.0


def chi_square(counts: np.ndarray, probabilities: np.ndarray) -> float:
    """p-value of counts against probabilities, outcomes below 5 expected put together."""
    expected = probabilities * counts.sum()
    rare = expected < 5
    if rare.any():
        counts = np.append(counts[~rare], counts[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    return float(chi2.sf(np.sum((counts - expected) ** 2 / expected), expected.size - 1))


def test_the_published_scales() -> None:
    laplace = NoisyBtlsQueries(budget=0.4, sensitivity=3.0)
    assert (laplace.threshold_scale, laplace.query_scale) == pytest.approx((3 / 0.2, 3 / 0.1), rel=1e-15)
    gaussian = NoisyBtlsQueries(noise="gaussian", budget=0.4, sensitivity=3.0)
    assert gaussian.threshold_scale**2 == pytest.approx(9 * 3 / (2 * 0.4), rel=1e-15)
    assert gaussian.query_scale**2 == pytest.approx(9 * 3 / 0.4, rel=1e-15)


@given(st.floats(0.01, 0.99), st.floats(1e-3, 10))
def test_other_splits_cost_what_the_formulas_say(share: float, budget: float) -> None:
    laplace = NoisyBtlsQueries(budget=budget, threshold_share=share)
    assert 1 / laplace.threshold_scale + 2 / laplace.query_scale == pytest.approx(budget)
    assert 1 / laplace.threshold_scale == pytest.approx(share * budget)
    gaussian = NoisyBtlsQueries(noise="gaussian", budget=budget, threshold_share=share)
    first, second = gaussian.threshold_scale**2, gaussian.query_scale**2
    assert (4 * first + second) / (2 * first * second) == pytest.approx(budget)


@pytest.mark.parametrize(("noise", "share"), [("laplace", 1 / 2), ("gaussian", 1 / 3)])
def test_the_published_split_is_a_share(noise: Any, share: float) -> None:
    published, written = NoisyBtlsQueries(noise=noise), NoisyBtlsQueries(noise=noise, threshold_share=share)
    assert published.threshold_scale == pytest.approx(written.threshold_scale, rel=1e-15)
    assert published.query_scale == pytest.approx(written.query_scale, rel=1e-15)


def test_candidate_steps_shrink_and_may_vanish() -> None:
    assert NoisyBtlsQueries(eta0=2.0, beta=0.5, max_it=4).step_sizes.tolist() == [2.0, 1.0, 0.5, 0.25]
    assert NoisyBtlsQueries(beta=0.4, max_it=5000).step_sizes[-1] == 0.0
    assert NoisyBtlsQueries(beta=0.8, max_it=5000).step_sizes[-1] == 1e-323  # 0.8 of it rounds back to it
    steps = NoisyBtlsQueries(eta0=1.3, beta=0.8, max_it=60).step_sizes
    assert steps == pytest.approx(1.3 * 0.8 ** np.arange(60), rel=1e-13)


def test_the_fault_multiplies_every_scale() -> None:
    whole = NoisyBtlsQueries(budget=0.7)
    half = replace(whole, noise_multiplier=0.5)
    assert (half.threshold_scale, half.query_scale) == (whole.threshold_scale / 2, whole.query_scale / 2)


def test_it_offers_every_capability_of_a_mechanism_and_is_frozen() -> None:
    mechanism = NoisyBtlsQueries(max_it=3)
    assert capabilities(mechanism) == frozenset(CAPABILITIES) - {"printed_bound", "transcript", "traces"}
    with pytest.raises(FrozenInstanceError):
        mechanism.budget = 2.0  # type: ignore[misc]  # what is tested


@pytest.mark.parametrize(
    "wrong",
    [
        {"noise": "cauchy"},
        {"budget": 0.0},
        {"budget": math.inf},
        {"sensitivity": -1.0},
        {"beta": 1.0},
        {"alpha": -0.1},
        {"eta0": math.nan},
        {"max_it": 0},
        {"threshold_share": 1.0},
        {"noise_multiplier": 0.0},
    ],
)
def test_bad_settings_are_refused_with_their_value(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=str(next(iter(wrong.values())))):
        NoisyBtlsQueries(**wrong)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_counts_follow_the_exact_law_and_a_fault_is_caught(noise: Any) -> None:
    """Chi-square on 400,000 runs; p < 1e-9 is a false alarm. With 80 % of the noise it must be below 1e-9."""
    mechanism = NoisyBtlsQueries(noise=noise, budget=1.0, max_it=6)
    queries = np.array([-3.0, -1.0, 0.0, -2.0, 1.0, -4.0])
    probabilities = np.exp(mechanism.output_law(queries).log_probabilities())
    counts = mechanism.counts(queries, 400_000, rng=stream(0, "law", noise))
    assert chi_square(counts, probabilities) > 1e-9
    faulty = replace(mechanism, noise_multiplier=0.8).counts(queries, 400_000, rng=stream(0, "fault", noise))
    assert chi_square(faulty, probabilities) < 1e-9


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_the_naive_twin_follows_the_exact_law(noise: Any) -> None:
    """Algorithm 1 in plain Python, 30,000 runs; chi-square, p < 1e-9 is a false alarm."""
    mechanism = NoisyBtlsQueries(noise=noise, budget=2.0, max_it=4, eta0=3.0)
    queries = np.array([-2.0, 0.5, -1.0, 0.0])
    rng = stream(3, "naive", noise)
    steps = [naive_run(mechanism, queries, rng) for _ in range(30_000)]
    outcomes = [*mechanism.step_sizes.tolist(), 0.0]
    counts = np.array([steps.count(step) for step in outcomes])
    assert counts.sum() == 30_000
    assert chi_square(counts, np.exp(mechanism.output_law(queries).log_probabilities())) > 1e-9
