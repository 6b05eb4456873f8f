from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from dpverify.core.errors import UnsupportedError
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.above_threshold import AboveThreshold
from reference_impls.mechanisms.sparse_vector_variants import Svt1

QUERIES = np.array([0.0, 2.0, -1.0, 1.0])


def exact(mechanism: Svt1, queries: np.ndarray) -> np.ndarray:
    """All answer vectors' probabilities by integration over the threshold noise (trapezoid, 1e-6)."""
    recipe = mechanism.recipe()
    x = np.linspace(-40 * recipe.threshold_scale, 40 * recipe.threshold_scale, 40_001)
    density = stats.laplace.pdf(x, scale=recipe.threshold_scale)
    above = [stats.laplace.sf(x + mechanism.threshold - query, scale=recipe.query_scale) for query in queries]
    total = np.zeros(2**queries.size)
    states = [(0, 0, density)]
    for i, chance in enumerate(above):
        following = []
        for code, found, weight in states:
            if found == mechanism.cutoff:
                following.append((code, found, weight))
            else:
                following += [(code, found, weight * (1 - chance)), (code | 1 << i, found + 1, weight * chance)]
        states = following
    for code, _, weight in states:
        total[code] += np.trapezoid(weight, x)
    return total


def test_scales_are_those_of_the_paper() -> None:
    recipe = Svt1(epsilon=0.1, cutoff=3).recipe()
    assert (recipe.threshold_scale, recipe.query_scale, recipe.cutoff) == (20.0, 120.0, 3)
    assert recipe.release == "nothing"


def test_at_cutoff_one_it_is_above_threshold(fits: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9.
    mechanism = Svt1(epsilon=0.5, threshold=0.5)
    counts = mechanism.counts(QUERIES, 300_000, rng=stream(13, "one"))
    law = mechanism.output_law(QUERIES).log_probabilities()
    np.testing.assert_array_equal(
        law, AboveThreshold(epsilon=0.5, threshold=0.5).output_law(QUERIES).log_probabilities()
    )
    np.testing.assert_allclose(np.exp(law), exact(mechanism, QUERIES)[[1, 2, 4, 8, 0]], atol=1e-5)
    assert fits(counts[[1, 2, 4, 8, 0]], np.exp(law))
    assert counts.sum() == counts[[1, 2, 4, 8, 0]].sum()


def test_counts_follow_the_exact_law_at_cutoff_two(fits: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9.
    mechanism = Svt1(epsilon=2.0, cutoff=2)
    probabilities = exact(mechanism, QUERIES)
    assert probabilities.sum() == pytest.approx(1.0, abs=1e-5)
    assert fits(mechanism.counts(QUERIES, 300_000, rng=stream(13, "two")), probabilities)


def test_no_pair_tried_exceeds_the_claim() -> None:
    mechanism = Svt1(epsilon=1.0, cutoff=2)
    for shift in (np.array([1, 1, -1, -1]), np.array([-1, 1, -1, 1]), np.array([1, 1, 1, -1])):
        p, q = exact(mechanism, QUERIES), exact(mechanism, QUERIES + shift)
        possible = p > 0
        assert np.abs(np.log(p[possible] / q[possible])).max() <= 1.0 + 1e-5


def test_there_is_no_law_of_several_above() -> None:
    with pytest.raises(UnsupportedError, match="cutoff 1"):
        Svt1(cutoff=2).output_law(QUERIES)
