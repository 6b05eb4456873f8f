"""The private clipped gradient."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.core.claim import SearchSpace
from dpverify.core.errors import InputError
from dpverify.core.subjects import capabilities
from dpverify.datasets.dataset import load_table
from dpverify.datasets.neighbors.table import TableRecords
from dpverify.sampling.streams import stream
from reference_impls.papers.blsgd.lemmas.clipped_gradient import ClippedGradient, noisy_gradient

DATA = "breast-cancer"


def test_the_noise_has_the_papers_scale() -> None:
    assert noisy_gradient(data=DATA, clip=3.0, rho=0.125).noise_scale == pytest.approx(3.0 / 0.5)
    assert noisy_gradient(data=DATA, noise_multiplier=0.5).noise_scale == pytest.approx(1.5)


def test_what_it_offers() -> None:
    mechanism = noisy_gradient(data=DATA)
    assert capabilities(mechanism) == {"sample", "sensitivity", "output_law"}
    draws = mechanism.sample(load_table(DATA), 5, rng=stream(0, "draws"))
    assert draws.shape == (5, 31)
    assert np.array_equal(draws, mechanism.sample(load_table(DATA), 5, rng=stream(0, "draws")))


@pytest.mark.parametrize("loss", ["logistic", "huber-svm"])
def test_candidates_keep_the_sensitivity_and_half_the_bound_is_caught(loss: str) -> None:
    mechanism = noisy_gradient(data=DATA, loss=loss, iterate=0, clip=0.5)
    space = SearchSpace(size=200, low=0.0, high=1.0, data=DATA)
    pairs = TableRecords().candidates(space, limit=20, rng=np.random.default_rng(0))
    moves = [np.linalg.norm(mechanism.query(pair.d1) - mechanism.query(pair.d0)) for pair in pairs]
    assert max(moves) <= 0.5 * (1 + 1e-9)
    assert max(moves) > 0.499


def test_noise_is_gaussian_around_the_query() -> None:
    """20,000 draws in 31 coordinates: a mean beyond 7 standard errors has probability below 1e-10."""
    mechanism, table = noisy_gradient(data=DATA, rho=2.0), load_table(DATA)
    draws = mechanism.sample(table, 20_000, rng=stream(1, "noise")) - mechanism.query(table)
    assert np.abs(draws.mean(axis=0)).max() < 7 * mechanism.noise_scale / 20_000**0.5
    assert draws.std() == pytest.approx(mechanism.noise_scale, rel=7 / (2 * 31 * 20_000) ** 0.5)


def test_its_law_is_one_gaussian_shift() -> None:
    """At order 3, 3 |move|^2 / (2 sigma^2) (Mironov 2017, Prop. 7)."""
    mechanism, table = noisy_gradient(data=DATA, rho=2.0), load_table(DATA)
    shorter = table.without(4)
    move = np.linalg.norm(mechanism.query(table) - mechanism.query(shorter))
    pair = mechanism.output_law(table).against(mechanism.output_law(shorter))
    assert pair.renyi(3.0).value == pytest.approx(1.5 * move**2 / mechanism.noise_scale**2, rel=1e-12, abs=0.0)


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="columns"):
        ClippedGradient(weights=np.zeros(3)).query(load_table(DATA))
    with pytest.raises(InputError, match="iterate"):
        noisy_gradient(data=DATA, iterate=-1)
    with pytest.raises(InputError, match="rho"):
        noisy_gradient(data=DATA, rho=0.0)
    with pytest.raises(InputError, match="model"):
        noisy_gradient(data=DATA, loss="softmax:2")
