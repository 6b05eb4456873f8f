from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from dpverify.runner.execute import execute
from dpverify.runner.plan import make_plan
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.randomised_response import RandomisedResponse
from reference_impls.mechanisms.subset_selection import SubsetSelection

PURE = Measure(kind="epsilon", argument=0.0, claimed=1.0)


def law(value: int, epsilon: float = 1.0, k: int = 6, w: int = 2) -> np.ndarray:
    """Ye and Barg's formula."""
    inside = math.exp(epsilon) / (math.comb(k - 1, w - 1) * math.exp(epsilon) + math.comb(k - 1, w))
    sets = itertools.combinations(range(k), w)
    return np.array([inside if value in each else inside * math.exp(-epsilon) for each in sets])


def test_the_law_is_the_papers() -> None:
    assert SubsetSelection(epsilon=1.0).width() == 2
    for value in range(6):
        found = SubsetSelection(epsilon=1.0).output_law(value)
        np.testing.assert_allclose(np.exp(found.log_probabilities), law(value), rtol=1e-13)
        assert np.exp(found.log_probabilities).sum() == pytest.approx(1.0)


def test_sets_of_one_are_randomised_response() -> None:
    mechanism = SubsetSelection(epsilon=2.0, categories=4)
    assert mechanism.width() == 1
    twin = RandomisedResponse(epsilon=2.0, categories=4)
    np.testing.assert_allclose(mechanism.output_law(1).log_probabilities, twin.output_law(1).log_probabilities)


@pytest.mark.parametrize("multiplier", [1.0, 0.9])
def test_every_pair_costs_epsilon_over_the_multiplier_exactly(multiplier: float) -> None:
    mechanism = SubsetSelection(epsilon=1.0, noise_multiplier=multiplier)
    for first, second in itertools.permutations(range(6), 2):
        found = mechanism.output_law(first).against(mechanism.output_law(second)).prove(PURE)
        assert found is not None
        assert found.value == pytest.approx(1.0 / multiplier)
        assert (found.lower > 1.0) == (multiplier < 1)


@pytest.mark.parametrize("multiplier", [1.0, 0.9])
def test_counts_follow_the_law(multiplier: float, fits: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a case, two cases.
    mechanism = SubsetSelection(epsilon=1.0, noise_multiplier=multiplier)
    counts = mechanism.counts(3, 400_000, rng=stream(51, "subset"))
    assert counts.shape == (15,)
    assert fits(counts, law(3, epsilon=1.0 / multiplier))
    assert not fits(counts, law(3, epsilon=1.1 / multiplier))
    assert not fits(counts, law(3, epsilon=0.9 / multiplier))


def test_verdicts() -> None:
    # By enumeration; what is sampled beside it has a false-alarm probability of 1e-9.
    for suffix, status in (("", Status.CERTIFIED), ("-noise-0.9", Status.REFUTED)):
        row = execute(
            make_plan(
                registry(), [registry().entries.get("subset-selection" + suffix)], confidence=1 - 1e-9, trials=20_000
            )
        )[0]
        assert row.verdict.status == status


def test_bad_input_is_refused() -> None:
    for call in (lambda: SubsetSelection(categories=17), lambda: SubsetSelection().output_law(6)):
        with pytest.raises(InputError):
            call()
