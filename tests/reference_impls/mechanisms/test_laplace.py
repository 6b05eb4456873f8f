from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.laplace import Laplace

CLAIM = Measure(kind="epsilon", argument=0.0, claimed=0.1)


def test_the_claim_is_met_with_equality_and_never_exceeded() -> None:
    mechanism = Laplace(epsilon=0.1)
    found = mechanism.output_law([0.0]).against(mechanism.output_law([1.0])).prove(CLAIM)
    assert found is not None
    assert found.proved
    assert found.value == pytest.approx(0.1, rel=1e-15)
    assert found.lower <= 0.1


@given(epsilon=st.floats(1e-3, 50.0))
def test_no_epsilon_is_exceeded(epsilon: float) -> None:
    mechanism = Laplace(epsilon=epsilon)
    found = mechanism.output_law([0.0]).against(mechanism.output_law([1.0])).prove(CLAIM)
    assert found is not None
    assert found.lower <= epsilon


def test_ninety_percent_of_the_noise_is_caught() -> None:
    mechanism = Laplace(epsilon=0.1, noise_multiplier=0.9)
    found = mechanism.output_law([0.0]).against(mechanism.output_law([1.0])).prove(CLAIM)
    assert found is not None
    assert found.lower > 0.11


def test_only_one_answer() -> None:
    with pytest.raises(InputError):
        Laplace().sample([0.0, 1.0], 1, rng=stream(0))
    np.testing.assert_array_equal(Laplace().query(2.0), [2.0])


def test_samples_follow_the_law(follows: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9.
    values = Laplace(epsilon=0.5).sample([3.0], 100_000, rng=stream(2, "laplace"))
    assert values.shape == (100_000,)
    assert follows(values, stats.laplace(3.0, 2.0).cdf)
