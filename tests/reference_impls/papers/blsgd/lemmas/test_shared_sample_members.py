"""Members of BL-AMP-SHARED's families: the algorithm's own queries, plain quadrature, the limits that rows take."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.laws.stopping import StoppingLaw
from reference_impls.line_search.batch_line_search import BatchSearch
from reference_impls.models.linear import LinearModel
from reference_impls.papers.blsgd.lemmas.shared_sample import SharedSample
from reference_impls.papers.blsgd.lemmas.shared_sample_members import (
    ALPHA,
    BETA,
    C_GRAD,
    gauss_points,
    levels,
    steep_divergence,
    turned_divergence,
)

BUDGETS = {"q": 0.2, "rho_grad": 0.8, "budget_bt": 1.5, "max_it": 4}


def _law(subject: SharedSample, queries: np.ndarray) -> np.ndarray:
    of = subject.laws()[0]
    law = StoppingLaw(
        noise=subject.noise, threshold_scale=of.threshold_scale, query_scale=of.query_scale, levels=queries
    )
    return np.exp(law.log_probabilities())


@pytest.mark.parametrize("gradient", [-2.0, -0.01, 0.3, 4.0])
def test_hinge_queries_are_the_searchs_own(gradient):
    steep = 400.0
    search = BatchSearch(
        model=LinearModel(loss="hinge"),
        weights=np.zeros(1),
        direction=np.array([gradient]),
        sensitivity=1.0,
        budget=1.0,
        max_it=6,
        alpha=ALPHA,
        beta=BETA,
        eta0=steep**-0.5,
    )
    both = (
        search.query(Table(features=np.array([[size]]), labels=np.array([1.0]), name="one")) for size in (0.0, steep)
    )
    # a record of length 0 has the same loss everywhere, so it moves nothing: the world without the record
    assert [list(each) for each in both] == [
        pytest.approx(each.tolist(), rel=1e-12, abs=1e-12) for each in levels("hinge", steep, gradient, 6)
    ]


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("loss", ["hinge", "rise"])
def test_a_member_is_the_integral_over_the_gradient(noise, loss):
    subject, steep = SharedSample(**BUDGETS, order=3.0, loss=loss, noise=noise), 50.0
    scale = C_GRAD / math.sqrt(2.0 * subject.rho_grad)
    shifted = -C_GRAD if loss == "hinge" else C_GRAD

    def integrand(u: float) -> float:
        without, present = (_law(subject, each) for each in levels(loss, steep, u, subject.max_it))
        a, p = without * stats.norm.pdf(u, 0.0, scale), present * stats.norm.pdf(u, shifted, scale)
        seen = a > 1e-150  # far out an answer is rarer than any double
        return float(np.sum(((1 - subject.q) * a[seen] + subject.q * p[seen]) ** 3 * a[seen] ** -2.0))

    ends = [(-16 * scale, -0.3), (-0.3, 0.0), (0.0, 0.3), (0.3, 16 * scale)]
    plain = sum(integrate.quad(integrand, *each, epsrel=1e-9, limit=200)[0] for each in ends)
    assert steep_divergence(subject, steep) == pytest.approx(math.log(plain) / 2, rel=1e-6)


@pytest.mark.parametrize("loss", ["hinge", "rise"])
def test_ever_steeper_losses_come_to_the_rows_limit(loss):
    subject = SharedSample(**BUDGETS, order=4.0, loss=loss)
    off = [abs(steep_divergence(subject, steep) / subject.truth().value - 1.0) for steep in (1e4, 1e8, 1e12)]
    assert off[0] > off[1] > off[2]
    assert off[2] < 1e-5


def test_the_other_direction_by_plain_quadrature():
    subject = SharedSample(**BUDGETS, order=3.0, loss="rise")
    without, present = (np.exp(law.log_probabilities()) for law in subject.laws())
    apart = math.sqrt(2.0 * subject.rho_grad)

    def integrand(u: float) -> float:
        ratio = math.exp(apart * u - apart**2 / 2) * present / without
        return float(stats.norm.pdf(u) * np.sum(without * (1 - subject.q + subject.q * ratio) ** -2.0))

    plain = integrate.quad(integrand, -20, 20, epsrel=1e-11)[0]
    assert turned_divergence(subject) == pytest.approx(math.log(plain) / 2, rel=1e-8)


def test_points_carry_the_normal_law():
    points, logs = gauss_points(10.0)
    assert np.exp(logs).sum() == pytest.approx(1.0, rel=1e-9)
    assert np.exp(logs) @ points**2 == pytest.approx(1.0, rel=1e-9)
    assert points.max() > 22.0


@pytest.mark.parametrize(
    "settings", [{"retries": 2.0, "loss": "rise"}, {"loss": "fall"}, {"loss": "hinge", "sample": "own"}]
)
def test_what_has_no_such_member_is_said(settings):
    with pytest.raises(InputError, match="steep_divergence"):
        steep_divergence(SharedSample(**settings), 100.0)
    with pytest.raises(InputError, match="K > 3"):
        steep_divergence(SharedSample(loss="hinge"), 2.0)
