from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from dpverify.laws.density import GaussianLaw
from dpverify.runner.execute import execute
from dpverify.runner.plan import make_plan
from dpverify.sampling.streams import stream
from reference_impls.known_broken.expected_batch_size import EDGES, ExpectedBatchSize
from reference_impls.mechanisms.gaussian import exact_sigma

SIGMA = exact_sigma(1.2, 1e-5)
CLAIM = Measure(kind="epsilon", argument=1e-5, claimed=1.2)


def densities(dataset: list[float]) -> GaussianLaw:
    number = len(dataset)
    return GaussianLaw(locations=np.array([sum(dataset) / number]), scales=np.array(SIGMA / number))


@pytest.mark.parametrize(("number", "true"), [(1, 31.37), (2, 14.46), (3, 9.90), (10, 4.50), (1000, 2.61)])
def test_the_true_epsilon_of_the_densities(number: int, true: float) -> None:
    records = [1.0] * number
    assert densities(records).against(densities([*records, -1.0])).epsilon(1e-5).value == pytest.approx(true, abs=0.01)


def test_with_many_records_the_moved_mean_alone_is_left() -> None:
    # A step of 2 / n under noise of sigma / n: the Gaussian mechanism at twice the sensitivity.
    one = GaussianLaw(locations=np.array([0.0]), scales=np.array(SIGMA))
    two = GaussianLaw(locations=np.array([2.0]), scales=np.array(SIGMA))
    assert one.against(two).epsilon(1e-5).value == pytest.approx(2.6, abs=0.01)


@pytest.mark.parametrize("dataset", [[1.0], [1.0, 5.0], [-1.0, 0.5, 0.5, 0.0], []])
@pytest.mark.parametrize("multiplier", [1.0, 0.7])
def test_the_law_is_that_of_the_cells_of_the_noisy_mean(dataset: list[float], multiplier: float) -> None:
    number = max(len(dataset), 1)
    mean = np.clip(dataset, -1.0, 1.0).sum() / number
    cuts = stats.norm.cdf(SIGMA * EDGES, mean, SIGMA * multiplier / number)
    cells = ExpectedBatchSize(sigma=SIGMA, noise_multiplier=multiplier).output_law(dataset).cells
    expected = np.diff(np.concatenate([[0.0], cuts, [1.0]]))
    np.testing.assert_allclose(np.exp(cells.log_probabilities), expected, rtol=1e-9, atol=1e-14)


def test_the_cells_prove_most_of_it_and_never_more() -> None:
    mechanism = ExpectedBatchSize(sigma=SIGMA)
    small, large = [1.0, 1.0], [1.0, 1.0, -1.0]
    proof = mechanism.output_law(small).against(mechanism.output_law(large)).prove(CLAIM)
    assert proof is not None
    assert 10.0 < proof.lower < densities(small).against(densities(large)).epsilon(1e-5).value


def test_samples_follow_the_law(follows: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a check, two checks.
    mechanism = ExpectedBatchSize(sigma=2.0)
    for dataset, law in (([1.0, 5.0], stats.norm(1.0, 1.0)), ([-1.0, 0.5, 0.5, 0.0], stats.norm(0.0, 0.5))):
        out = mechanism.sample(dataset, 100_000, rng=stream(54, len(dataset)))
        assert follows(out, law.cdf)
        assert not follows(out, stats.norm(law.mean(), 1.1 * law.std()).cdf)


def test_it_is_refuted_with_proof() -> None:
    row = execute(
        make_plan(registry(), [registry().entries.get("expected-batch-size")], confidence=1 - 1e-9, trials=20_000)
    )[0]
    assert row.verdict.status == Status.REFUTED
    assert row.verdict.evidence[0].proved


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError):
        ExpectedBatchSize(sigma=0.0)
