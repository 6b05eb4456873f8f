from __future__ import annotations

import numpy as np
from scipy import stats

from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from dpverify.runner.execute import execute
from dpverify.runner.plan import make_plan
from dpverify.sampling.streams import stream
from reference_impls.known_broken.half_precision_laplace import HalfPrecisionLaplace


def test_most_outputs_of_one_answer_are_impossible_under_its_neighbour() -> None:
    mechanism = HalfPrecisionLaplace(epsilon=0.1)
    zero, one = mechanism.outputs([0.0]), mechanism.outputs([1.0])
    assert zero.shape == one.shape == (4096,)
    np.testing.assert_array_equal(zero.astype(np.float16), zero)
    assert np.mean(~np.isin(zero, one)) > 0.6
    assert np.mean(~np.isin(one, zero)) > 0.6


def test_seen_coarsely_it_is_the_laplace_mechanism() -> None:
    # Why the fault lives: no enumerated distance of distribution functions above one step of the uniform number.
    outputs = np.sort(HalfPrecisionLaplace(epsilon=0.1).outputs([3.0]))
    wanted = stats.laplace.cdf(outputs, 3.0, 10.0)
    assert np.abs(np.arange(1, 4097) / 4096 - wanted).max() < 1e-3


def test_samples_are_uniform_over_the_outputs() -> None:
    # Chi-square over 64 cells of equally many outputs, false-alarm probability 1e-9.
    mechanism = HalfPrecisionLaplace(epsilon=0.1)
    values, weights = np.unique(mechanism.outputs([3.0]), return_counts=True)
    out = mechanism.sample([3.0], 256_000, rng=stream(55))
    assert np.isin(out, values).all()
    cells = np.cumsum(weights) // 65
    seen = np.bincount(cells[np.searchsorted(values, out)])
    expected = np.bincount(cells, weights) * 256_000 / 4096
    assert stats.chi2.sf(float(np.sum((seen - expected) ** 2 / expected)), seen.size - 1) > 1e-9


def test_single_outputs_give_it_away() -> None:
    row = execute(make_plan(registry(), [registry().entries.get("half-precision-laplace")]))[0]
    assert row.verdict.status == Status.REFUTED
    assert row.verdict.evidence[0].bound > 2.0
