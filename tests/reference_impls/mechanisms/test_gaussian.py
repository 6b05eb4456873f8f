from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from dpverify.definitions.gdp import GDP
from dpverify.runner.execute import execute
from dpverify.runner.plan import make_plan
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.gaussian import Gaussian, classical_sigma, exact_sigma, renyi_sigma


def profile(sigma: float, epsilon: float) -> float:
    """Dong, Roth, Su 2019, Corollary 2.13, as it is printed."""
    mu = 1.0 / sigma
    return float(stats.norm.cdf(-epsilon / mu + mu / 2) - math.exp(epsilon) * stats.norm.cdf(-epsilon / mu - mu / 2))


def test_golden_values() -> None:
    assert classical_sigma(0.5, 1e-5) == pytest.approx(math.sqrt(2 * math.log(125000)) / 0.5)
    assert renyi_sigma(2.0, 1.0) == 1.0
    # mu = 1 has epsilon(1e-5) = 4.377178 (field's golden value).
    assert exact_sigma(4.377178, 1e-5) == pytest.approx(1.0, abs=1e-6)


@given(epsilon=st.floats(0.05, 5.0), delta=st.floats(1e-8, 0.1))
def test_the_exact_calibration_meets_the_claim_and_a_hair_less_noise_does_not(epsilon: float, delta: float) -> None:
    sigma = exact_sigma(epsilon, delta)
    assert profile(sigma, epsilon) <= delta * (1 + 1e-12)
    assert profile(sigma * (1 - 1e-5), epsilon) > delta


def test_the_classical_claim_has_room_for_a_tenth() -> None:
    # Why its noise deficit stands: 90 % of the classical noise is still more than is needed.
    needed, classical = exact_sigma(0.5, 1e-5), classical_sigma(0.5, 1e-5)
    assert classical / needed == pytest.approx(1.378, abs=1e-3)
    assert profile(classical, 0.5) == pytest.approx(1.61e-8, rel=0.01)
    assert profile(0.9 * classical, 0.5) == pytest.approx(2.00e-7, rel=0.01)
    assert profile(0.72 * classical, 0.5) > 1e-5  # what would break it


def test_the_variant_with_a_tenth_less_is_expected_to_stand_and_does() -> None:
    # The event auditor's false-alarm probability is the plan's, 1e-9.
    entry = registry().entries.get("gaussian-classical-noise-0.9")
    assert (entry.expectation, entry.profile) == ("stands", "full")
    row = execute(make_plan(registry(), [entry], confidence=1 - 1e-9, trials=100_000))[0]
    assert row.verdict.status == Status.NOT_REFUTED
    exact = next(item for item in row.verdict.evidence if item.auditor == "exact")
    assert exact.bound == pytest.approx(0.3954, abs=1e-3)


def test_the_law_is_exactly_one_over_sigma() -> None:
    mechanism = Gaussian(sigma=2.0)
    pair = mechanism.output_law([0.0]).against(mechanism.output_law([1.0]))
    assert pair.delta(0.3).value == pytest.approx(float(GDP(mu=0.5).delta(0.3)), rel=1e-12)
    assert pair.renyi(4.0).value == pytest.approx(4.0 / 8.0, rel=1e-12)
    weak = Gaussian(sigma=2.0, noise_multiplier=0.9)
    assert weak.output_law([0.0]).against(weak.output_law([1.0])).delta(0.3).lower > float(GDP(mu=0.5).delta(0.3))


def test_bad_input_is_refused() -> None:
    for call in (
        lambda: classical_sigma(1.0, 1e-5),
        lambda: classical_sigma(0.5, 0.0),
        lambda: exact_sigma(-1.0, 1e-5),
        lambda: renyi_sigma(2.0, 0.0),
        lambda: Gaussian(sigma=0.0),
    ):
        with pytest.raises(InputError):
            call()


def test_samples_follow_the_law(follows: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9.
    assert follows(Gaussian(sigma=2.0).sample([3.0], 100_000, rng=stream(3, "gaussian")), stats.norm(3.0, 2.0).cdf)
