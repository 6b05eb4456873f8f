"""The simulated sparse data: its covariance, its labels and its model as printed; coverage; the same records always."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.datasets.sparse_logistic import MODEL, coverage, load_sparse_logistic, simulate_sparse_logistic
from dpverify.sampling.streams import stream

FALSE_ALARM = 1e-9


def test_the_model_is_the_one_printed() -> None:
    assert MODEL[:10].tolist() == [0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5]
    assert MODEL[10:20].tolist() == (-MODEL[:10]).tolist()
    assert MODEL.size == 100 and not MODEL[20:].any()


def test_attributes_have_the_covariance_printed() -> None:
    """Products of neighbours up to three apart, and squares: mean 0.5^lag, sd sqrt(1 + 0.25^lag); 400 tests."""
    table = simulate_sparse_logistic(20_000, rng=stream(0, "covariance"))
    limit = stats.norm.isf(FALSE_ALARM / (2 * 400))
    for lag in range(4):
        products = table.features[:, : 100 - lag] * table.features[:, lag:]
        error = math.sqrt((1 + 0.25**lag) / table.rows)
        assert (np.abs(products.mean(axis=0) - 0.5**lag) < 1.1 * limit * error).all()  # 1.1: tails of a chi-square mean


def test_labels_follow_the_true_model_with_noise() -> None:
    """Ten groups by m.s: counts of +1 against the mean of 1 / (1 + exp(-m.s + iota)) over iota, by quadrature."""
    table = simulate_sparse_logistic(20_000, rng=stream(0, "labels"))
    scores = table.features @ MODEL
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    likely = (1 / (1 + np.exp(nodes - scores[:, None]))) @ weights / math.sqrt(2 * math.pi)
    limit = stats.norm.isf(FALSE_ALARM / 20)
    for group in np.array_split(np.argsort(scores), 10):
        spread = math.sqrt((likely[group] * (1 - likely[group])).sum())
        assert abs((table.labels[group] == 1).sum() - likely[group].sum()) < limit * spread + 30  # 30: the tail of few
    assert 0.45 < (table.labels == 1).mean() < 0.55  # "the frequency of the majority label is 0.500"


def test_a_named_set_is_always_the_same_and_no_other() -> None:
    assert [name for name in registry().datasets if name.startswith("sparse-logistic")] == [
        f"sparse-logistic-{number}" for number in range(10)
    ]
    first, second = registry().datasets.get("sparse-logistic-0").load(), load_sparse_logistic(1)
    assert first.features.shape == (40_000, 100)
    assert first.features[0, :3] == pytest.approx([-0.474384494818764, 0.09283449949388017, -0.4949635382422962])
    assert not np.intersect1d(first.features[:, 0], second.features[:, 0]).size


def test_coverage_is_a_share_of_the_relevant() -> None:
    weights = np.zeros(100)
    assert coverage(weights, 80) == 0.0
    weights[:16], weights[50:64] = -2.0, 1.0
    assert coverage(weights, 30) == 16 / 20  # the text's example
    assert coverage(weights, 10) == 10 / 20
    assert coverage(MODEL, 20) == 1.0
    assert coverage(weights, 100) == 1.0


@pytest.mark.parametrize(("k", "weight"), [(0, 1.0), (101, 1.0), (5, np.nan)])
def test_coverage_of_what_has_none_is_refused(k: int, weight: float) -> None:
    with pytest.raises(InputError, match="coverage"):
        coverage(np.full(100, weight), k)


def test_no_records_are_refused() -> None:
    with pytest.raises(InputError, match="0 records"):
        simulate_sparse_logistic(0, rng=stream(0, "none"))
