from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.evidence import Measure
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.exponential_mechanism import ExponentialMechanism

CLAIM = Measure(kind="epsilon", argument=0.0, claimed=1.0)


def softmax(answers: list[float], scale: float) -> np.ndarray:
    weights = np.exp((np.array(answers) - max(answers)) / scale)
    return weights / weights.sum()


@given(answers=st.lists(st.floats(-20, 20), min_size=1, max_size=6))
def test_the_law_is_the_softmax(answers: list[float]) -> None:
    law = ExponentialMechanism(epsilon=1.0).output_law(answers)
    np.testing.assert_allclose(np.exp(law.log_probabilities), softmax(answers, 2.0), rtol=1e-12)


@pytest.mark.parametrize(("multiplier", "low", "high"), [(1.0, 0.97, 1.0), (0.9, 1.07, 1.0 / 0.9)])
def test_one_answer_far_behind_nearly_meets_the_claim(multiplier: float, low: float, high: float) -> None:
    mechanism = ExponentialMechanism(epsilon=1.0, noise_multiplier=multiplier)
    pair = mechanism.output_law([-5.0, 5, 5, 5, 5]).against(mechanism.output_law([-6.0, 6, 6, 6, 6]))
    found = pair.prove(CLAIM)
    assert found is not None
    assert low < found.lower
    assert found.upper < high


@pytest.mark.parametrize(("multiplier", "stands"), [(1.0, True), (0.9, False)])
def test_the_benchmarks_range_is_wide_enough_for_the_deficit_at_a_tenth(multiplier: float, stands: bool) -> None:
    mechanism = ExponentialMechanism(epsilon=0.1, noise_multiplier=multiplier)
    ends = [[-9.0, 9, 9, 9, 9], [-10.0, 10, 10, 10, 10]]
    found = mechanism.output_law(ends[0]).against(mechanism.output_law(ends[1])).prove(CLAIM)
    assert found is not None
    truth = np.log(softmax(ends[0], 20 * multiplier)[0] / softmax(ends[1], 20 * multiplier)[0])
    assert found.lower == pytest.approx(truth, rel=1e-9)
    assert (found.upper < 0.1) if stands else (found.lower > 0.1)


def test_counts_follow_the_law(fits: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a check, two checks.
    answers = [0.0, 1.0, -2.0, 0.5]
    counts = ExponentialMechanism(epsilon=1.0).counts(answers, 200_000, rng=stream(9, "max"))
    assert fits(counts, softmax(answers, 2.0))
    assert not fits(counts, softmax(answers, 1.8))
