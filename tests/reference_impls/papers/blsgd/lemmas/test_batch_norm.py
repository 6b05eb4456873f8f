"""BL-BATCH-NORM: the divergence of cells against closed forms and quadrature, the algorithm's own samples."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.papers.blsgd.lemmas.batch_norm import NormalisedGradient
from reference_impls.papers.blsgd.lemmas.blsgd_step import BlsgdStep


def _worse(without: Callable[[float], float], present: Callable[[float], float], q: float, ends: list[float]) -> float:
    """The larger direction at order 2, by quadrature."""

    def integrand(x: float, turned: bool) -> float:
        absent = without(x)
        mixed = (1 - q) * absent + q * present(x)
        return absent**2 / mixed if turned else mixed**2 / absent

    return max(
        math.log(sum(integrate.quad(integrand, *part, (turned,), limit=400)[0] for part in pairwise(ends)))
        for turned in (False, True)
    )


@pytest.mark.parametrize("dimension", [1, 3, 20])
def test_two_records_without_gradients(dimension):
    """n = 1: |B| is 2 with probability q^2, else it counts as 1; the squared length is sufficient."""
    subject = NormalisedGradient(records=1.0, dimension=float(dimension), q=0.3, gradient=0.0)

    def single(r: float) -> float:
        return float(stats.chi2.pdf(r, dimension))

    def second(r: float) -> float:
        return 0.7 * single(r) + 0.3 * 4 * float(stats.chi2.pdf(4 * r, dimension))

    exact = _worse(single, second, 0.3, [1e-12, 1.0, 5.0, 20.0, 100.0])
    assert 0.95 * exact <= subject.truth().value <= exact * (1 + 1e-6)


def test_one_dimension_with_a_gradient():
    subject = NormalisedGradient(records=3.0, dimension=1.0, q=0.4, order=2.0, rho_grad=0.5)
    ks = np.arange(4)
    weights = stats.binom.pmf(ks, 3, 0.4)

    def without(x: float) -> float:
        return float(np.sum(weights * stats.norm.pdf(x, 0, 1 / np.maximum(ks, 1))))

    def present(x: float) -> float:
        return float(np.sum(weights * stats.norm.pdf(x, 1 / (ks + 1), 1 / (ks + 1))))

    exact = _worse(without, present, 0.4, [-12.0, -1.0, 0.0, 1.0, 12.0])
    assert 0.95 * exact <= subject.truth().value <= exact * (1 + 1e-6)


def test_the_cells_are_how_often_the_algorithm_falls_into_them():
    """dp-blsgd's own gradient, all gradients 0 but the last record's, on n + 1 records: |u| and r told apart at their
    medians without the record; 5.7 standard deviations of each of 4 counts: false alarms below 5e-8."""
    n, dimension, q, size = 4, 6, 0.5, 100_000
    features = np.zeros((n + 1, dimension))
    features[n, 0] = 10.0
    step = BlsgdStep(
        model="hinge", q=q, rho_grad=0.5, c_grad=3.0, retries=0, l2=0.0, divisor="realised", at=(0.0,) * dimension
    )
    table = Table(features=features, labels=np.ones(n + 1), name="line")
    drawn = step.sample(table, size, rng=stream(0, "batch-norm"))[:, :dimension] / 3.0
    u, r = -drawn[:, 0], np.square(drawn[:, 1:]).sum(axis=1)
    ks = np.arange(n + 1)
    weights = stats.binom.pmf(ks, n, q)
    for high in (False, True):
        for long in (False, True):
            found = np.count_nonzero(((u > 0.2) == high) & ((r > 0.5) == long))
            share = 0.0
            for more, part in ((0, 1 - q), (1, q)):
                divisors = np.maximum(ks + more, 1)
                above = stats.norm.sf(0.2 * divisors - more)
                beyond = stats.chi2.sf(0.5 * divisors**2, dimension - 1)
                share += part * float(
                    np.sum(weights * (above if high else 1 - above) * (beyond if long else 1 - beyond))
                )
            assert abs(found - size * share) <= 5.7 * math.sqrt(size * share * (1 - share)) + 1


@pytest.mark.parametrize(
    "settings",
    [
        {"records": 1.0, "dimension": 1.0},
        {"records": 8.0, "dimension": 20.0, "q": 0.3, "order": 5.0, "rho_grad": 0.1},
        {"records": 3.0, "dimension": 2.0, "empty": "shown"},
        {"divisor": "expected", "rho_grad": 0.5, "order": 4.0},
    ],
)
def test_the_proof_is_the_float_ratio_where_the_cells_are_the_same(proved_as_floats, settings):
    subject = NormalisedGradient(**settings)
    proved_as_floats(subject, rel=1e-6)


def test_at_the_papers_numbers_the_proof_lies_just_below():
    subject = NormalisedGradient()
    proof, ratio = subject.proved_ratio(), subject.truth().value / subject.printed().value
    assert proof is not None
    assert 0.95 * ratio < proof.lower <= proof.upper < ratio
    # what the size tells: chi^2 = q / (n (1 - q)) of it shows, as far as p coordinates measure a scale
    spread, sharpness = (1 - 0.1) / (48842 * 0.1), 1 / (2 * 124)
    told = 0.1 / (48842 * 0.9) * spread / (spread + sharpness)
    assert NormalisedGradient(gradient=0.0).truth().value == pytest.approx(told, rel=0.05)


@pytest.mark.parametrize("settings", [{"records": 0.0}, {"dimension": 0.0}, {"divisor": "n"}, {"empty": "nan"}])
def test_bad_settings_are_said(settings):
    with pytest.raises(InputError):
        NormalisedGradient(**settings)
