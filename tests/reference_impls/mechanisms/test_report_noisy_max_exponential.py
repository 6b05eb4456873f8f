from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.core.evidence import Measure
from dpverify.laws.balls import at_working_precision
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.report_noisy_max_exponential import ReportNoisyMaxExponential

CLAIM = Measure(kind="epsilon", argument=0.0, claimed=0.1)


def permute_and_flip(answers: list[float], scale: float) -> np.ndarray:
    """By enumeration of all orders: flip a coin of bias e^((q_i - max q) / scale) for each until one comes up."""
    weights = np.exp((np.array(answers) - max(answers)) / scale)
    total = np.zeros(len(answers))
    orders = list(itertools.permutations(range(len(answers))))
    for order in orders:
        left = 1.0
        for i in order:
            total[i] += left * weights[i]
            left *= 1 - weights[i]
    return total / len(orders)


@given(answers=st.lists(st.floats(-20, 20), min_size=1, max_size=5))
@settings(max_examples=30, deadline=None)
def test_the_law_is_permute_and_flip(answers: list[float]) -> None:
    law = ReportNoisyMaxExponential(epsilon=1.0).output_law(answers)
    np.testing.assert_allclose(np.exp(law.log_probabilities), permute_and_flip(answers, 2.0), rtol=1e-12)
    assert law.enclose is not None
    for log, ball in zip(law.log_probabilities, at_working_precision(law.enclose)(), strict=True):
        assert abs(log - float(ball.log().mid())) <= law.error


@pytest.mark.parametrize("multiplier", [1.0, 0.9])
def test_the_claim_is_met_with_equality_by_two_equal_answers(multiplier: float) -> None:
    mechanism = ReportNoisyMaxExponential(epsilon=0.1, noise_multiplier=multiplier)
    found = mechanism.output_law([0.0, 0.0]).against(mechanism.output_law([-1.0, 1.0])).prove(CLAIM)
    assert found is not None
    assert found.value == pytest.approx(0.1 / multiplier, rel=1e-12)
    assert (found.lower > 0.1) == (multiplier < 1)


def test_one_half_is_the_chance_of_the_event_that_meets_it() -> None:
    law = ReportNoisyMaxExponential(epsilon=0.1).output_law([0.0, 0.0])
    assert math.exp(law.log_probabilities[0]) == pytest.approx(0.5)


def test_counts_follow_the_law(fits: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a check, two checks.
    answers = [0.0, 1.0, -2.0, 0.5]
    counts = ReportNoisyMaxExponential(epsilon=1.0).counts(answers, 200_000, rng=stream(8, "max"))
    assert fits(counts, permute_and_flip(answers, 2.0))
    assert not fits(counts, permute_and_flip(answers, 1.8))
