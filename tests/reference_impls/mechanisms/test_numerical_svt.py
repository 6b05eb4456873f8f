from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from dpverify.core.evidence import Measure
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.sparse_vector_variants import NumericalSvt


def test_scales_are_those_of_the_paper() -> None:
    recipe = NumericalSvt(epsilon=0.1, cutoff=2).recipe()
    assert (recipe.threshold_scale, recipe.query_scale, recipe.fresh_scale) == (30.0, 120.0, 60.0)
    assert (recipe.cutoff, recipe.release) == (2, "fresh")


def test_values_know_nothing_of_the_comparison(follows: Callable[..., bool]) -> None:
    # Fresh noise: the released value is Laplace around the query, whatever the answer before it cost. False alarm 1e-9.
    out = NumericalSvt(epsilon=1.0, threshold=3.0, cutoff=1).sample([0.0, 0.5], 200_000, rng=stream(15))
    released = out[out[:, 1] == 1, 3]
    assert released.size > 20_000
    assert follows(released, stats.laplace(0.5, 3.0).cdf)
    assert np.all(out[out[:, 1] == 2, 3] == 0)


@pytest.mark.parametrize(("multiplier", "low", "high"), [(1.0, 0.0995, 0.1), (0.9, 0.1105, 0.1 / 0.9)])
def test_ten_queries_nearly_meet_the_claim_and_a_deficit_is_proved(multiplier: float, low: float, high: float) -> None:
    mechanism = NumericalSvt(epsilon=0.1, threshold=1.0, cutoff=1, noise_multiplier=multiplier)
    d0, d1 = np.full(10, 9.0), np.full(10, 10.0)
    d0[9], d1[9] = -9.0, -10.0
    found = (
        mechanism.output_law(d0)
        .against(mechanism.output_law(d1))
        .prove(Measure(kind="epsilon", argument=0.0, claimed=0.1))
    )
    assert found is not None
    assert found.proved
    assert low < found.lower
    assert found.upper < high


def test_at_cutoff_one_the_bins_lose_nothing_of_pure_epsilon() -> None:
    # The hit and a fresh Laplace value: the largest ratio of the hit, times that of two shifted Laplace densities.
    mechanism = NumericalSvt(epsilon=0.1, threshold=1.0, cutoff=1)
    d0, d1 = np.array([3.0, -2.0, 5.0]), np.array([2.0, -1.0, 4.5])
    p, q = mechanism.output_law(d0), mechanism.output_law(d1)
    hits = [np.logaddexp.reduce(law.log_probabilities()[:-1].reshape(3, -1), axis=1) for law in (p, q)]
    never = p.log_probabilities()[-1] - q.log_probabilities()[-1]
    truth = max(never, *(hits[0] - hits[1] + np.abs(d0 - d1) / mechanism.recipe().fresh_scale))
    assert p.against(q).epsilon(0.0).value == pytest.approx(truth, abs=1e-12)


@pytest.mark.parametrize("cutoff", [1, 2])
def test_first_hits_follow_the_law(cutoff: int, hits_fit: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a cutoff.
    queries, size = np.array([0.0, 3.0, -1.0]), 300_000
    mechanism = NumericalSvt(epsilon=3.0, threshold=1.5, cutoff=cutoff)
    out = mechanism.sample(queries, size, rng=stream(15, "law", cutoff))
    assert hits_fit(mechanism.output_law(queries), out, 1.5, {1.0: 0})
    weak = NumericalSvt(epsilon=3.0, threshold=1.5, cutoff=cutoff, noise_multiplier=0.9)
    assert not hits_fit(
        mechanism.output_law(queries), weak.sample(queries, size, rng=stream(15, "weak")), 1.5, {1.0: 0}
    )
