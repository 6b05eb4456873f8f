"""The bugs whose laws are Laplace noise: the true epsilon in closed form, proved against the claim."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from dpverify.core.registry import Registry
from dpverify.sampling.streams import stream
from reference_impls.known_broken import (
    double_spend,
    histogram_eps,
    partial_sum_half_noise,
    prefix_sum_all_queries,
    truncated_geometric_natural_log,
    unclipped_sum,
)
from reference_impls.known_broken.partial_sum_half_noise import PartialSumHalfNoise
from reference_impls.known_broken.smart_sum_exact_blocks import SmartSumExactBlocks

ZERO, ONE = np.zeros(10), np.eye(10)[4]
CASES = {
    "noisy-hist-2-0.1": (ZERO[:5], ONE[:5], histogram_eps.true_epsilon(0.1)),
    "bad-partial-sum": (ZERO, ONE, partial_sum_half_noise.true_epsilon(0.1)),
    "prefix-sum-all-queries": (ZERO, ZERO + 1.0, prefix_sum_all_queries.true_epsilon(0.1, 10)),
    "double-spend": ([0.0], [1.0], double_spend.true_epsilon(1.0)),
    "unclipped-sum-privacy": ([1.0, 0.5], [1.0, 0.5, 5.0], unclipped_sum.true_epsilon(1.0, 5.0, 1.0)),
    "truncated-geometric-natural-log": ([2.0], [3.0], truncated_geometric_natural_log.true_epsilon(0.1)),
}


@pytest.mark.parametrize("name", CASES)
def test_the_true_epsilon_is_proved_and_breaks_the_claim(name: str, registered: Registry) -> None:
    d0, d1, truth = CASES[name]
    entry = registered.entries.get(name)
    claim = entry.claim
    mechanism = registered.subject(claim.subject)(**claim.parameters)
    assert registered.neighbors.get(claim.relation).check(d0, d1) is None
    (measure,) = [m for m in claim.guarantee.measures() if m.kind == "epsilon" and m.argument == 0]
    if name.startswith("noisy-hist"):
        d1 = ONE[4:9]
    found = mechanism.output_law(d0).against(mechanism.output_law(d1)).prove(measure)
    assert found is not None
    assert found.value == pytest.approx(truth, rel=1e-9)
    assert entry.expectation == "broken"
    assert found.lower > measure.claimed


def test_the_histogram_bug_does_no_harm_above_one(registered: Registry) -> None:
    entry = registered.entries.get("noisy-hist-2-1.5")
    assert entry.expectation == "stands"
    assert histogram_eps.true_epsilon(1.5) == pytest.approx(2 / 3)
    mechanism = registered.subject("noisy-hist-2")(epsilon=1.5)
    assert mechanism.output_law(ZERO).against(mechanism.output_law(ONE)).epsilon(0.0).upper < 1.5


def test_the_other_logarithm_would_do() -> None:
    assert truncated_geometric_natural_log.true_epsilon(0.1) == pytest.approx(np.log(9 / 8))
    assert np.log1p(2.0 ** -np.ceil(np.log2(2 / 0.1))) <= 0.1


def test_the_unclipped_sum_has_five_times_its_sensitivity(registered: Registry) -> None:
    claim = registered.entries.get("unclipped-sum-sensitivity").claim
    mechanism = registered.subject(claim.subject)(**claim.parameters)
    moved = np.abs(mechanism.query([1.0, 5.0]) - mechanism.query([1.0])).sum()
    assert moved == 5.0 > claim.guarantee.measures()[0].claimed


def test_blocks_end_exactly() -> None:
    entries = np.arange(1.0, 11.0)
    out = SmartSumExactBlocks(epsilon=0.1, block=3).sample(entries, 100, rng=stream(30))
    ends = [2, 5, 8]
    # No noise there, so one moved entry changes an output that was certain: infinite epsilon.
    np.testing.assert_allclose(out[:, ends], np.broadcast_to(np.cumsum(entries)[ends], (100, 3)), rtol=1e-13)
    others = [0, 1, 3, 4, 6, 7, 9]
    # A hundred draws of a scale of 10 would have half their number within 3 of each other: false alarm below 1e-9.
    assert np.all(out[:, others].std(axis=0) > 1.0)


def test_half_of_the_noise(follows: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9.
    values = PartialSumHalfNoise(epsilon=0.5).sample([1.0, 2.0], 50_000, rng=stream(31))
    assert follows(values, stats.laplace(3.0, 1.0).cdf)
