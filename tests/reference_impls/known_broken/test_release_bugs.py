"""Bugs in what goes out beside the noise: an exact count, a NaN, records that were clipped in vain."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from dpverify.runner.execute import execute
from dpverify.runner.plan import make_plan
from dpverify.sampling.streams import stream
from reference_impls.known_broken.exact_count import ExactCount
from reference_impls.known_broken.nan_passes_clip import NanPassesClip
from reference_impls.known_broken.unclipped_variance import UnclippedVariance, true_epsilon

PURE = Measure(kind="epsilon", argument=0.0, claimed=1.0)


def test_the_number_of_records_goes_out_exactly(follows: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9.
    mechanism = ExactCount(epsilon=0.5)
    out = mechanism.sample([0.5, 7.0, 1.0], 50_000, rng=stream(56))
    np.testing.assert_array_equal(out[:, 1], 3.0)
    assert follows(out[:, 0], stats.laplace(2.5, 2.0).cdf)
    same = mechanism.output_law([0.0, 1.0]).against(mechanism.output_law([1.0, 1.0])).prove(PURE)
    other = mechanism.output_law([0.0, 1.0]).against(mechanism.output_law([1.0])).prove(PURE)
    assert same is not None
    assert other is not None
    assert (same.value, other.value) == (0.0, math.inf)
    for number in (0, 63, 64):
        logs = mechanism.output_law(np.ones(number)).cells.log_probabilities
        assert (logs.size, int(np.argmax(logs)), logs.max()) == (65, number, 0.0)
    with pytest.raises(InputError):
        mechanism.output_law(np.zeros(65))


def test_a_negative_record_becomes_a_nan_that_no_noise_hides(follows: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9.
    mechanism = NanPassesClip(epsilon=0.5)
    fine, lost = (mechanism.sample(data, 50_000, rng=stream(57)) for data in ([0.25, 9.0], [0.25, 9.0, -0.1]))
    np.testing.assert_array_equal(fine[:, 1], 0.0)
    assert follows(fine[:, 0], stats.laplace(1.5, 2.0).cdf)
    np.testing.assert_array_equal(lost, np.tile([0.0, 1.0], (50_000, 1)))
    proof = mechanism.output_law([1.0]).against(mechanism.output_law([1.0, -1.0])).prove(PURE)
    assert proof is not None
    assert math.isinf(proof.value)


def test_a_variance_of_unclipped_records_moves_by_the_square_of_the_range(follows: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9.
    mechanism = UnclippedVariance(epsilon=1.0)
    calm, wild = [5.0, 5.0, 5.0, 5.0], [5.0, 5.0, 5.0, -5.0]
    assert mechanism.query(wild)[0] - mechanism.query(calm)[0] == pytest.approx(25.0)
    proof = mechanism.output_law(calm).against(mechanism.output_law(wild)).prove(PURE)
    assert proof is not None
    assert proof.value == pytest.approx(true_epsilon(1.0, 10.0, 2.0)) == pytest.approx(25.0)
    assert follows(mechanism.sample(wild, 50_000, rng=stream(58)), stats.laplace(25.0, 1.0).cdf)
    for bad in (lambda: mechanism.query([1.0]), lambda: UnclippedVariance(low=1.0, high=1.0)):
        with pytest.raises(InputError):
            bad()


def test_inside_the_range_the_noise_is_enough() -> None:
    # The bound (high - low)^2 / n on how far a sample variance moves, by hand: n - 1 records at one end, one moves.
    mechanism = UnclippedVariance(epsilon=1.0)
    rng = np.random.default_rng(0)
    most = 0.0
    for _ in range(300):
        data = rng.choice([-1.0, 1.0, rng.uniform(-1, 1)], 4)
        moved = data.copy()
        moved[0] = rng.choice([-1.0, 1.0])
        most = max(most, abs(mechanism.query(data)[0] - mechanism.query(moved)[0]))
    assert most == pytest.approx(4.0 / 4)


@pytest.mark.parametrize(
    "name",
    ["exact-count", "nan-passes-clip", "unclipped-variance-privacy", "unclipped-variance-sensitivity"],
)
def test_each_is_refuted_with_proof(name: str) -> None:
    row = execute(make_plan(registry(), [registry().entries.get(name)], confidence=1 - 1e-9, trials=20_000))[0]
    assert row.verdict.status == Status.REFUTED
    assert row.verdict.evidence[0].proved
