"""The two lemmas on Gaussian noise: naive twins, independent truths, mutants that must fall."""

from __future__ import annotations

import math
from dataclasses import dataclass

import flint
import numpy as np
import pytest
from scipy import integrate, optimize, stats

from dpverify.core.evidence import Enclosed
from dpverify.core.verdict import Status, judge
from dpverify.laws.balls import at_working_precision, enclosed_ball
from reference_impls.papers.accounting.lemmas.gaussian_classic import (
    DELTA,
    GaussianClassic,
    classic_epsilon,
    least_failing,
)
from reference_impls.papers.accounting.lemmas.gaussian_renyi import GaussianRenyi


@pytest.mark.parametrize(("order", "sigma"), [(1.5, 0.7), (2.0, 1.0), (8.0, 3.0), (100.0, 10.0)])
def test_renyi_both_sides(order, sigma):
    subject = GaussianRenyi(order=order, sigma=sigma)
    assert subject.printed().value == pytest.approx(order / (2 * sigma**2), rel=1e-14)

    def integrand(x: float) -> float:
        return math.exp(order * stats.norm.logpdf(x, 1.0, sigma) + (1 - order) * stats.norm.logpdf(x, 0.0, sigma))

    moment, _ = integrate.quad(integrand, order - 12 * sigma, order + 12 * sigma, limit=200, epsabs=0, epsrel=1e-12)
    assert subject.truth().value == pytest.approx(math.log(moment) / (order - 1), rel=1e-9)
    assert float(subject.truth_ball().mid()) == pytest.approx(math.log(moment) / (order - 1), rel=1e-9)
    assert subject.proved_ratio().value == pytest.approx(1.0, abs=1e-12)


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedTwice(GaussianRenyi):
    """A mutant of the truth: twice the distance."""

    def truth_ball(self) -> flint.arb:
        return 4 * GaussianRenyi.truth_ball(self)


def test_the_proof_is_made_of_the_integral_and_not_of_the_lemma():
    assert MovedTwice(order=3.0, sigma=2.0).proved_ratio().value == pytest.approx(4.0, abs=1e-12)


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfSensitivity(GaussianRenyi):
    """A mutant: the factor alpha forgotten."""

    def printed(self) -> Enclosed:
        return Enclosed(value=1 / (2 * self.sigma**2))

    def proved_ratio(self) -> Enclosed | None:
        proof = GaussianRenyi.proved_ratio(self)
        return Enclosed(value=proof.value * self.order, error=proof.error * self.order + 1e-12, proved=True)


def test_a_renyi_mutant_is_refuted(audit):
    evidence = audit(HalfSensitivity, {"order": (1.01, 64.0), "sigma": (0.5, 5.0)}, {"order": 2.0, "sigma": 1.0})
    assert judge(evidence) is Status.REFUTED
    assert evidence.bound == pytest.approx(64.0, rel=1e-6)


def _exact(sigma: float, delta: float) -> float:
    """epsilon(delta) from the textbook profile."""

    def profile(epsilon: float) -> float:
        near, far = epsilon * sigma - 1 / (2 * sigma), epsilon * sigma + 1 / (2 * sigma)
        return stats.norm.sf(near) - math.exp(epsilon + stats.norm.logsf(far)) - delta

    return float(optimize.brentq(profile, 0.0, 500.0, xtol=1e-12))


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-5), (1.0, 1e-8), (8.0, 0.1), (30.0, 1e-3)])
def test_classic_both_sides(epsilon, delta):
    subject = GaussianClassic(epsilon=epsilon, delta=delta)
    assert subject.sigma == pytest.approx(math.sqrt(2 * math.log(1.25 / delta)) / epsilon, rel=1e-14)
    assert subject.printed().value == pytest.approx(epsilon, rel=1e-14)
    assert subject.truth().value == pytest.approx(_exact(subject.sigma, delta), rel=1e-8)
    proof = subject.proved_ratio()
    assert proof.lower <= subject.truth().value / epsilon * (1 + 1e-12)
    assert proof.value == pytest.approx(subject.truth().value / epsilon, rel=1e-10)


def test_classic_fails_beyond_its_edge_and_holds_below_it(audit):
    edge = least_failing(DELTA)
    for share, fails in ((0.999, False), (1.001, True)):
        subject = GaussianClassic(epsilon=share * edge, delta=DELTA)
        assert (subject.proved_ratio().lower > 1) is fails
    boxes = {"epsilon": (0.01, 50.0), "delta": (1e-12, 0.1)}
    assert judge(audit(GaussianClassic, boxes)) is Status.REFUTED
    assert judge(audit(GaussianClassic, boxes | {"epsilon": (0.01, 1.0)})) is Status.NOT_REFUTED


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallConstant(GaussianClassic):
    """A mutant inside the textbook range: a third of the noise."""

    def truth(self) -> Enclosed:
        return GaussianClassic(epsilon=3 * self.epsilon, delta=self.delta).truth()

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        proof = GaussianClassic(epsilon=3 * self.epsilon, delta=self.delta).proved_ratio()
        return enclosed_ball(3 * flint.arb(proof.value, proof.error))


def test_a_classic_mutant_is_refuted_below_one(audit):
    assert judge(audit(SmallConstant, {"epsilon": (0.1, 1.0), "delta": (1e-9, 1e-3)})) is Status.REFUTED


def test_what_is_described_is_the_papers_own_noise():
    table = GaussianClassic().describe()["own noise multipliers"]
    assert [row["sigma"] for row in table] == [8.5, 5.66, 4.25, 2.12, 1.06]
    for row in table:
        assert row["true"] == pytest.approx(_exact(row["sigma"], DELTA), rel=1e-8)
        assert row["claimed"] == pytest.approx(classic_epsilon(row["sigma"], DELTA))
    assert np.all(np.diff([row["ratio"] for row in table]) > 0)


def test_what_fails_fails_from_there_on():
    edges = GaussianClassic().describe()["edge"]
    assert [row["delta"] for row in edges] == [1e-12, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1]
    for row in edges:
        for share, fails in ((0.9999, False), (1.0001, True)):
            epsilon = share * row["fails from epsilon"]
            sigma = math.sqrt(2 * math.log(1.25 / row["delta"])) / epsilon
            assert (_exact(sigma, row["delta"]) > epsilon) is fails
