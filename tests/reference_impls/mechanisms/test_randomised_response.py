from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.randomised_response import RandomisedResponse

CLAIM = Measure(kind="epsilon", argument=0.0, claimed=1.0)


def law(value: int, *, epsilon: float = 1.0, categories: int = 4) -> np.ndarray:
    weights = np.where(np.arange(categories) == value, math.exp(epsilon), 1.0)
    return weights / weights.sum()


def test_the_law_is_the_closed_form() -> None:
    found = RandomisedResponse(epsilon=1.0).output_law(2)
    np.testing.assert_allclose(np.exp(found.log_probabilities), law(2), rtol=1e-14)


@pytest.mark.parametrize("multiplier", [1.0, 0.9])
def test_every_pair_costs_epsilon_over_the_multiplier_exactly(multiplier: float) -> None:
    mechanism = RandomisedResponse(epsilon=1.0, noise_multiplier=multiplier)
    for first in range(4):
        for second in range(4):
            found = mechanism.output_law(first).against(mechanism.output_law(second)).prove(CLAIM)
            assert found is not None
            assert found.value == pytest.approx(1.0 / multiplier if first != second else 0.0)
            assert (found.lower > 1.0) == (multiplier < 1 and first != second)


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError):
        RandomisedResponse(categories=1)
    with pytest.raises(InputError):
        RandomisedResponse().sample(4, 1, rng=stream(0))


@pytest.mark.parametrize("value", [0, 3])
def test_counts_follow_the_law(value: int, fits: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a check, four checks.
    counts = RandomisedResponse(epsilon=1.0).counts(value, 200_000, rng=stream(4, "rr", value))
    assert counts.shape == (4,)
    assert fits(counts, law(value))
    assert not fits(counts, law(value, epsilon=1.1))
