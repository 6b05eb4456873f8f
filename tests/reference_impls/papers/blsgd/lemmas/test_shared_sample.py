"""BL-AMP-SHARED: moments against quadrature and enumerated paths, the algorithm's own samples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.papers.blsgd.lemmas.blsgd_step import BlsgdStep
from reference_impls.papers.blsgd.lemmas.shared_sample import SharedSample

BUDGETS = {"q": 0.2, "rho_grad": 0.4, "budget_bt": 1.5}


def _probabilities(subject: SharedSample) -> list[np.ndarray]:
    return [np.exp(law.log_probabilities()) for law in subject.laws()]


def _quadrature(subject: SharedSample, *, hinge: bool) -> float:
    """log E_A[((1 - q) + q P / A)^alpha] / (alpha - 1), one search, straight from the two densities."""
    without, present = _probabilities(subject)
    apart = math.sqrt(2 * subject.rho_grad)

    def integrand(u: float) -> float:
        ratio = math.exp(-apart * u - apart**2 / 2)
        moved = present if not hinge or u < 0 else without
        whole = (1 - subject.q) + subject.q * ratio * moved / without
        return float(stats.norm.pdf(u) * np.sum(without * whole**subject.whole))

    parts = [integrate.quad(integrand, *ends, epsrel=1e-12)[0] for ends in ((-40, 0), (0, 40))]
    return math.log(sum(parts)) / (subject.whole - 1)


@pytest.mark.parametrize("loss", ["fall", "rise", "hinge"])
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("order", [2.0, 5.0])
def test_one_search_is_the_integral_over_the_gradient(loss, noise, order):
    subject = SharedSample(**BUDGETS, order=order, loss=loss, noise=noise)
    assert subject.truth().value == pytest.approx(_quadrature(subject, hinge=loss == "hinge"), rel=1e-8)


def test_several_searches_are_the_sum_over_paths():
    subject = SharedSample(**BUDGETS, order=3.0, loss="rise", retries=3.0)
    without, present = _probabilities(subject)
    q, order = subject.q, subject.whole
    own = []
    for power in range(order + 1):
        chance = math.comb(order, power) * q**power * (1 - q) ** (order - power)
        own.append(chance * math.exp(power * (power - 1) * subject.rho_grad))
    again = sum(own)
    total = 0.0
    for power, weight in enumerate(own):
        moments = (present / without) ** power * without
        for failures in range(3):  # then a success, or the last failure
            ends = moments.sum() if failures == 2 else moments[:-1].sum()
            total += weight * (moments[-1] * again) ** failures * ends
    assert subject.truth().value == pytest.approx(math.log(total) / (order - 1), rel=1e-10)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"loss": "hinge", "order": 4.0, "rho_grad": 1.0, "budget_bt": 2.0},
        {"retries": 4.0, "order": 7.0, "noise": "gaussian", "rho_grad": 0.2, "budget_bt": 0.1},
        {"retries": 2.0, "charge": "together", "order": 3.0, "rho_grad": 0.5, "budget_bt": 1.0},
        {"retries": 3.0, "sample": "own", "order": 3.0, "rho_grad": 0.5, "budget_bt": 1.0},
    ],
)
def test_the_proof_is_the_float_ratio(proved_as_floats, settings):
    subject = SharedSample(**settings)
    proved_as_floats(subject, rel=2e-8)


def test_the_algorithm_itself_has_these_laws():
    """dp-blsgd's own iteration on {(K x, 1)}, hinge loss: how often (sign of u, answer) comes; 5.7 standard deviations
    of each of 8 counts: a false alarm has a probability below 1e-7."""
    subject = SharedSample(**BUDGETS, loss="hinge", max_it=3)
    step = BlsgdStep(
        model="hinge", q=0.2, rho_grad=0.4, budget_bt=1.5, max_it=3, beta=0.5, eta0=1e-4, l2=0.0, divisor="realised"
    )
    record = Table(features=np.array([[1e9]]), labels=np.array([1.0]), name="one")
    size = 200_000
    drawn = step.sample(record, size, rng=stream(0, "shared-sample"))
    without, present = _probabilities(subject)
    apart = math.sqrt(2 * subject.rho_grad)
    for sign in (-1, 1):
        for answer in range(4):
            found = np.count_nonzero((np.sign(drawn[:, 0]) == sign) & (drawn[:, 1] == answer))
            moved = present if sign < 0 else without
            share = 0.8 * 0.5 * without[answer] + 0.2 * stats.norm.cdf(-sign * apart) * moved[answer]
            assert abs(found - size * share) <= 5.7 * math.sqrt(size * share * (1 - share)) + 1


@pytest.mark.parametrize(
    "settings", [{"q": 0.0}, {"order": 1.0}, {"loss": "flat"}, {"loss": "hinge", "retries": 2.0}, {"charge": "never"}]
)
def test_bad_settings_are_said(settings):
    with pytest.raises(InputError):
        SharedSample(**settings)
