from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.truncated_geometric import TruncatedGeometric

CLAIM = Measure(kind="epsilon", argument=0.0, claimed=0.1)


def clipped_geometric(count: int, n: int, epsilon: float) -> np.ndarray:
    """Two-sided geometric noise, clipped to 0..n, from its definition."""
    noise = np.arange(-2000, 2001)
    weights = np.exp(-epsilon * np.abs(noise))
    return np.bincount(np.clip(count + noise, 0, n), weights / weights.sum(), minlength=n + 1)


@pytest.mark.parametrize("count", range(6))
def test_the_integer_law_is_the_clipped_geometric_one(count: int) -> None:
    law = TruncatedGeometric(epsilon=0.1).output_law([float(count)])
    np.testing.assert_allclose(np.exp(law.log_probabilities), clipped_geometric(count, 5, math.log(9 / 8)), rtol=1e-12)


@pytest.mark.parametrize(("multiplier", "truth"), [(1.0, math.log(9 / 8)), (0.9, math.log(8 / 7))])
def test_the_true_epsilon_is_proved(multiplier: float, truth: float) -> None:
    mechanism = TruncatedGeometric(epsilon=0.1, noise_multiplier=multiplier)
    for count in range(5):
        found = mechanism.output_law([float(count)]).against(mechanism.output_law([count + 1.0])).prove(CLAIM)
        assert found is not None
        assert found.value == pytest.approx(truth, rel=1e-14)
        assert found.lower > 0.1


@given(answer=st.floats(-3, 8), move=st.floats(-1, 1))
def test_answers_one_apart_round_to_counts_one_apart(answer: float, move: float) -> None:
    mechanism = TruncatedGeometric()
    moved = answer + move
    if abs(moved - answer) <= 1:
        assert abs(mechanism.query([answer])[0] - mechanism.query([moved])[0]) <= 1


def test_bad_input_is_refused() -> None:
    for bad in ({"n": 0}, {"n": 30, "epsilon": 0.01}):
        with pytest.raises(InputError):
            TruncatedGeometric(**bad)


def test_counts_follow_the_law(fits: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a check, three checks.
    counts = TruncatedGeometric(epsilon=0.1).counts([2.0], 300_000, rng=stream(17))
    assert fits(counts, clipped_geometric(2, 5, math.log(9 / 8)))
    assert not fits(counts, clipped_geometric(2, 5, 0.1))
    sample = TruncatedGeometric(epsilon=0.1).sample([2.0], 300_000, rng=stream(17, "sample"))
    assert fits(np.bincount(sample, minlength=6), clipped_geometric(2, 5, math.log(9 / 8)))


def test_counts_are_those_of_the_sample() -> None:
    mechanism = TruncatedGeometric(epsilon=0.1)
    for answer in (0.0, 2.0, 5.0):
        sample = mechanism.sample([answer], 5000, rng=stream(18))
        np.testing.assert_array_equal(
            mechanism.counts([answer], 5000, rng=stream(18)), np.bincount(sample, minlength=6)
        )
