from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

from dpverify.core.evidence import Measure
from dpverify.laws.balls import at_working_precision
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.report_noisy_max import ReportNoisyMax

CLAIM = Measure(kind="epsilon", argument=0.0, claimed=1.0)
ANSWERS = st.lists(st.floats(-30, 30), min_size=1, max_size=6)


def probabilities(mechanism: ReportNoisyMax, answers: list[float]) -> np.ndarray:
    return np.exp(mechanism.output_law(answers).log_probabilities)


@pytest.mark.parametrize("gap", [0.0, 0.3, 2.0, 25.0])
def test_two_answers_have_a_closed_form(gap: float) -> None:
    # The difference of two Laplace draws of scale b exceeds g with probability (1 + g / (2 b)) e^(-g / b) / 2.
    b = 2.0
    behind = 0.5 * (1 + gap / (2 * b)) * math.exp(-gap / b)
    found = probabilities(ReportNoisyMax(epsilon=1.0), [0.0, gap])
    np.testing.assert_allclose(found, [behind, 1 - behind], rtol=1e-12)


def test_the_law_agrees_with_scipy_quadrature() -> None:
    answers, b = [0.0, 0.4, -3.0, 0.4, 5.0], 2.0
    found = probabilities(ReportNoisyMax(epsilon=1.0), answers)
    for i, own in enumerate(answers):

        def density(x: float, own: float = own, i: int = i) -> float:
            others = [stats.laplace.cdf(x, a, b) for j, a in enumerate(answers) if j != i]
            return float(stats.laplace.pdf(x, own, b) * np.prod(others))

        whole = quad(density, -80, 80, points=sorted(set(answers)), epsabs=1e-13, limit=500)[0]
        assert found[i] == pytest.approx(whole, abs=1e-11)


@given(answers=ANSWERS, epsilon=st.sampled_from([0.1, 1.0, 3.0]))
@settings(max_examples=20, deadline=None)
def test_balls_hold_the_floating_point_law(answers: list[float], epsilon: float) -> None:
    law = ReportNoisyMax(epsilon=epsilon).output_law(answers)
    assert law.enclose is not None
    balls = at_working_precision(law.enclose)()
    assert sum(balls[1:], balls[0]).contains(1)
    for log, ball in zip(law.log_probabilities, balls, strict=True):
        assert abs(log - float(ball.log().mid())) <= law.error


@given(answers=st.lists(st.floats(-5, 5), min_size=2, max_size=5), seed=st.integers(0, 10**6))
@settings(max_examples=50, deadline=None)
def test_no_pair_exceeds_the_claim(answers: list[float], seed: int) -> None:
    moved = np.array(answers) + np.random.default_rng(seed).choice([-1.0, 0.0, 1.0], len(answers))
    mechanism = ReportNoisyMax(epsilon=1.0)
    assert mechanism.output_law(answers).against(mechanism.output_law(moved)).epsilon(0.0).lower <= 1.0


@pytest.mark.parametrize(("multiplier", "low", "high"), [(1.0, 0.9, 1.0), (0.9, 1.02, 1.0 / 0.9)])
def test_far_behind_the_claim_is_nearly_met_and_a_deficit_proved(multiplier: float, low: float, high: float) -> None:
    mechanism = ReportNoisyMax(epsilon=1.0, noise_multiplier=multiplier)
    found = mechanism.output_law([-9.0, 9.0]).against(mechanism.output_law([-10.0, 10.0])).prove(CLAIM)
    assert found is not None
    assert found.proved
    assert low < found.lower
    assert found.upper < high


def test_counts_follow_the_law(fits: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a check, two checks.
    answers = [0.0, 1.0, -2.0, 0.5]
    mechanism = ReportNoisyMax(epsilon=1.0)
    counts = mechanism.counts(answers, 200_000, rng=stream(7, "max"))
    assert fits(counts, probabilities(mechanism, answers))
    assert not fits(counts, probabilities(ReportNoisyMax(epsilon=1.1), answers))
