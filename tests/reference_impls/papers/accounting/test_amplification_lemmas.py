"""Amplification: naive sums and enumerations beside both sides, and mutants that must fall."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import flint
import numpy as np
import pytest
from scipy import integrate, stats

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.core.evidence import Enclosed, Measure
from dpverify.core.verdict import Status, judge
from dpverify.laws.balls import at_working_precision, enclosed_ball, exact_ball
from reference_impls.papers.accounting.lemmas.amplification_balls import (
    gaussian_ball,
    poisson_ball,
    without_replacement_ball,
)
from reference_impls.papers.accounting.lemmas.poisson_amplification import (
    PoissonBits,
    PoissonQuads,
    PoissonResponse,
    PoissonStopping,
)
from reference_impls.papers.accounting.lemmas.poisson_gaussian import PoissonGaussian
from reference_impls.papers.accounting.lemmas.searched_laws import worst_ball, worst_curve
from reference_impls.papers.accounting.lemmas.without_replacement_amplification import WithoutReplacementBits
from reference_impls.papers.accounting.lemmas.without_replacement_subsets import (
    WithoutReplacementSubsets,
    all_samples,
    weakened,
)
from reference_impls.papers.enclosures import proved_renyi, quotient

Curve = Callable[[int], float]


def _poisson(q: float, curve: Curve, order: int, factor: float = 3.0) -> float:
    total = (1 - q) ** (order - 1) * (order * q - q + 1)
    for power in range(2, order + 1):
        weight = math.comb(order, power) * q**power * (1 - q) ** (order - power)
        total += (1 if power == 2 else factor) * weight * math.exp((power - 1) * curve(power))
    return math.log(total) / (order - 1)


def _replaced(q: float, curve: Curve, order: int) -> float:
    second = min(4 * (math.exp(curve(2)) - 1), 2 * math.exp(curve(2)))
    total = 1 + q**2 * math.comb(order, 2) * second
    for power in range(3, order + 1):
        total += q**power * math.comb(order, power) * 2 * math.exp((power - 1) * curve(power))
    return math.log(total) / (order - 1)


def _divergence(p: np.ndarray, q: np.ndarray, order: float) -> float:
    return math.log(float(np.sum(p**order * q ** (1 - order)))) / (order - 1)


def _either(p: np.ndarray, q: np.ndarray, order: float) -> float:
    return max(_divergence(p, q, order), _divergence(q, p, order))


@pytest.mark.parametrize(("q", "sigma", "order"), [(0.01, 1.0, 2), (0.2, 1.0, 5), (0.9, 2.0, 12)])
def test_poisson_gaussian_both_sides(q, sigma, order):
    subject = PoissonGaussian(q=q, sigma=sigma, order=float(order))
    assert subject.printed().value == pytest.approx(_poisson(q, lambda k: k / (2 * sigma**2), order), rel=1e-9)

    def integrand(x: float, sign: int) -> float:
        ratio = 1 - q + q * math.exp((x - 0.5) / sigma**2)
        power = order if sign > 0 else 1 - order
        return math.exp(power * math.log(ratio) + stats.norm.logpdf(x, 0, sigma))

    found = [
        math.log(integrate.quad(integrand, -20 * sigma, order + 20 * sigma, (sign,), limit=500, epsrel=1e-12)[0])
        for sign in (1, -1)
    ]
    assert subject.truth().value == pytest.approx(max(found) / (order - 1), rel=1e-7)
    towards = poisson_ball(flint.arb(q), gaussian_ball(GaussianStep(sigma=sigma)), order, factor=1)
    assert float(towards.mid()) == pytest.approx(found[0] / (order - 1), rel=1e-7)
    assert float(subject.proved_away().mid()) == pytest.approx(found[1] / (order - 1), rel=1e-7)


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfGaussian(PoissonGaussian):
    """A mutant: half of the bound."""

    def printed(self) -> Enclosed:
        whole = PoissonGaussian.printed(self)
        return Enclosed(value=whole.value / 2, error=whole.error)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        proof = PoissonGaussian.proved_ratio(self)
        return None if proof is None else enclosed_ball(2 * flint.arb(proof.value, proof.error))


def test_half_the_poisson_bound_is_refuted_on_the_gaussian(audit):
    boxes = {"q": (1e-4, 1.0), "order": (2.0, 32.0), "sigma": (0.3, 20.0)}
    evidence = audit(HalfGaussian, boxes)
    assert judge(evidence) is Status.REFUTED
    assert evidence.bound == pytest.approx(2.0, rel=1e-3)
    assert judge(audit(PoissonGaussian, boxes)) is Status.NOT_REFUTED


def test_poisson_finite_both_sides():
    subject = PoissonQuads(q=0.3, order=5.0)
    present, absent = (np.exp(np.array(w)) for w in ([1.0, 0.5, -0.5, 0.0], [-1.0, -0.5, 0.5, 0.0]))
    present, absent = present / present.sum(), absent / absent.sum()
    printed = _poisson(0.3, lambda k: _either(present, absent, k), 5)
    assert subject.printed().value == pytest.approx(printed, rel=1e-9)
    mixture = 0.3 * present + 0.7 * absent
    assert subject.truth().value == pytest.approx(_either(mixture, absent, 5), rel=1e-10)
    bits = PoissonBits(q=0.3, order=4.0, present=1.0, absent=-1.0)
    response = PoissonResponse(q=0.3, order=4.0, epsilon=1.0)
    p = 1 / (1 + math.exp(-1.0))
    first, second = np.array([p, 1 - p]), np.array([1 - p, p])
    for each in (bits, response):
        assert each.truth().value == pytest.approx(_either(0.3 * first + 0.7 * second, second, 4), rel=1e-10)
        assert each.printed().value == pytest.approx(_poisson(0.3, lambda k: _either(first, second, k), 4), rel=1e-9)


def test_the_stopping_law_of_one_query_against_quadrature():
    subject = PoissonStopping(q=0.2, order=3.0, epsilon=1.0, ahead=1.0, level=0.5, loss=0.8, before=0.1, after=0.4)

    def law(levels: tuple[float, float]) -> np.ndarray:
        def below(z: float, level: float) -> float:
            return float(stats.laplace.cdf(z - level, scale=4.0))

        def weighed(z: float, which: int) -> float:
            answers = (1 - below(z, levels[0]), below(z, levels[0]) * (1 - below(z, levels[1])))
            return float(stats.laplace.pdf(z, scale=2.0)) * (*answers, below(z, levels[0]) * below(z, levels[1]))[which]

        cuts = [-1.0, -0.5, 0.0, 0.2, 0.5, 0.9]
        return np.array([integrate.quad(weighed, -80, 80, (k,), points=cuts, limit=400)[0] for k in range(3)])

    absent, present = law((-0.5, 0.5)), law((-0.5 + 0.7, 0.5 + 0.4))
    assert subject.truth().value == pytest.approx(_either(0.2 * present + 0.8 * absent, absent, 3), rel=1e-5)
    assert subject.printed().value == pytest.approx(_poisson(0.2, lambda k: _either(present, absent, k), 3), rel=1e-6)


@dataclass(frozen=True, kw_only=True)
class SmallFactor(PoissonResponse):
    """A mutant: 0.3 instead of 3."""

    def printed(self) -> Enclosed:
        p = 1 / (1 + math.exp(-self.epsilon))
        first, second = np.array([p, 1 - p]), np.array([1 - p, p])
        value = _poisson(self.q, lambda k: _either(first, second, k), self.whole, 0.3)
        return Enclosed(value=value, error=1e-12)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        printed = poisson_ball(flint.arb(self.q), worst_ball(self.base()), self.whole, factor=flint.arb(3) / 10)
        return quotient(proved_renyi(self.sampled(), float(self.whole)), printed)


@dataclass(frozen=True, kw_only=True)
class NoSecondTerm(PoissonResponse):
    """A mutant: the term l = 2 is missing."""

    def printed(self) -> Enclosed:
        whole = PoissonResponse.printed(self)
        return Enclosed(value=math.log(max(math.exp(whole.value) - self._second(), 1e-300)), error=1e-12)

    def _second(self) -> float:
        p = 1 / (1 + math.exp(-self.epsilon))
        return self.q**2 * math.exp(_divergence(np.array([p, 1 - p]), np.array([1 - p, p]), 2))

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        q, curve = flint.arb(self.q), worst_ball(self.base())
        printed = (poisson_ball(q, curve, 2).exp() - q**2 * curve(2).exp()).log()
        truth = proved_renyi(self.sampled(), 2.0)
        return Enclosed(value=math.inf, proved=True) if not printed > 0 and truth > 0 else quotient(truth, printed)


def test_poisson_mutants_are_refuted(audit):
    boxes = {"q": (0.01, 0.9), "epsilon": (0.1, 4.0)}
    assert judge(audit(SmallFactor, boxes | {"order": (3.0, 16.0)})) is Status.REFUTED
    assert judge(audit(NoSecondTerm, boxes, {"order": 2.0})) is Status.REFUTED
    assert judge(audit(PoissonResponse, boxes | {"order": (2.0, 16.0)})) is Status.NOT_REFUTED


def test_balls_are_the_naive_sums():
    def curve(order: int) -> float:
        return order / 8

    balls = gaussian_ball(GaussianStep(sigma=2.0))
    assert float(balls(5).mid()) == curve(5)
    for order in (2, 3, 9):
        assert float(poisson_ball(flint.arb(0.1), balls, order).mid()) == pytest.approx(_poisson(0.1, curve, order))
        found = float(without_replacement_ball(flint.arb(0.1), balls, order).mid())
        assert found == pytest.approx(_replaced(0.1, curve, order))


def test_without_replacement_bits_against_all_subsets():
    subject = WithoutReplacementBits(n=5.0, m=2.0, order=4.0, before=1.0, after=-2.0, neither=0.3)
    before, after, neither = (np.array([1 / (1 + math.exp(-x)), 1 / (1 + math.exp(x))]) for x in (1.0, -2.0, 0.3))
    sides = []
    for own in (before, after):
        samples = list(itertools.combinations(range(5), 2))
        sides.append(sum(own if 0 in sample else neither for sample in samples) / len(samples))
    assert subject.truth().value == pytest.approx(_either(*sides, 4), rel=1e-10)
    three = list(itertools.combinations((before, after, neither), 2))
    printed = _replaced(0.4, lambda k: max(_either(p, q, k) for p, q in three), 4)
    assert subject.printed().value == pytest.approx(printed, rel=1e-9)
    ratio = subject.truth().value / subject.printed().value
    assert subject.proved_ratio().value == pytest.approx(ratio, rel=1e-9)


def test_drawn_samples_are_all_of_both_data_sets():
    subject = WithoutReplacementSubsets(n=5.0, m=2.0)
    members = [frozenset(row) for row in all_samples(5, 2)[0].tolist()]
    drawn = subject.weights()
    grown = {key: np.exp(np.append(drawn[list(key)].sum(axis=0), 0.0)) for key in members}
    samples = {key: law / law.sum() for key, law in grown.items()}
    assert len(samples) == math.comb(5, 2) + 4
    first = [law for key, law in samples.items() if 5 not in key]
    second = [law for key, law in samples.items() if 4 not in key]
    assert len(first) == len(second) == math.comb(5, 2)
    assert subject.truth().value == pytest.approx(_either(np.mean(first, 0), np.mean(second, 0), 3), rel=1e-9)
    near = [(a, b) for a, b in itertools.combinations(samples, 2) if len(a & b) == 1]
    printed = _replaced(0.4, lambda k: max(_either(samples[a], samples[b], k) for a, b in near), 3)
    assert subject.printed().value == pytest.approx(printed, rel=1e-9)


def test_the_weaker_constants_include_the_printed_ones():
    subject = WithoutReplacementBits(n=5.0, m=2.0, order=4.0)
    base, _ = subject._pairs()
    found = weakened(0.4, lambda orders: worst_curve(base, orders), 4, (4.0, 2.0, 2.0))
    assert found == pytest.approx(subject.printed().value, rel=1e-9)
    ratios = subject.describe()["ratio with constants"]
    assert ratios["4, 2, 2"] == pytest.approx(subject.truth().value / found, rel=1e-12)
    assert ratios["4, 2, 2"] < ratios["1, 1, 1"] < ratios["0.5, 0.5, 0.5"]


def test_twelve_records_are_listed_whole():
    members, first, second = all_samples(12, 6)
    assert members.shape == (math.comb(12, 6) + math.comb(11, 5), 6)
    assert len(set(map(frozenset, members.tolist()))) == len(members)
    # Of D: six leave, six of the rest of D come in; those without n - 1 may also get n. By symmetry the same for D'.
    both, either = math.comb(11, 6), math.comb(11, 5)
    assert len(first) == len(second) == both * 6 * 7 + 2 * either * (5 * 6 + 6 + 1)


@pytest.mark.parametrize("spread", [0.02, 2.0])
def test_floats_of_drawn_samples_lie_within_their_errors_of_the_balls(spread):
    subject = WithoutReplacementSubsets(n=7.0, m=3.0, order=5.0, draw=1.0, spread=spread)
    logs, error = subject.samples()
    balls = np.array([[float(x.log().mid()) for x in law] for law in subject._balls()])
    assert np.max(np.abs(logs - balls)) <= error + 1e-15
    for pair in subject.mixtures():
        assert abs(pair.renyi(5.0).value - pair.enclosure(Measure(kind="renyi", argument=5.0, claimed=0.0)).value) <= (
            pair.renyi(5.0).error + 1e-15
        )
    assert subject.truth().value / subject.printed().value <= subject.proved_ratio().upper


@dataclass(frozen=True, slots=True, kw_only=True)
class WeakConstants(WithoutReplacementBits):
    """A mutant: every constant of the lemma (4, 2 and 2) is `constant`."""

    constant: float = 0.5

    def printed(self) -> Enclosed:
        base, _ = self._pairs()
        constants = (self.constant, self.constant, self.constant)
        value = weakened(float(self.q), lambda orders: worst_curve(base, orders), self.whole, constants)
        return Enclosed(value=value, error=1e-9 * value + 1e-15)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        base, mixtures = self._pairs()
        curve, q = worst_ball(base), exact_ball(self.q)
        total = 1 + q**2 * math.comb(self.whole, 2) * self.constant * curve(2).expm1().min(curve(2).exp())
        for power in range(3, self.whole + 1):
            total += q**power * math.comb(self.whole, power) * self.constant * ((power - 1) * curve(power)).exp()
        return quotient(proved_renyi(mixtures, float(self.whole)), total.log() / (self.whole - 1))


def test_constants_at_a_half_are_refuted(audit):
    boxes = {"n": (2.0, 12.0), "m": (1.0, 11.0), "order": (2.0, 32.0)}
    boxes |= dict.fromkeys(("before", "after", "neither"), (-7.0, 7.0))
    evidence = audit(WeakConstants, boxes, {"constant": 0.5}, effort=1.0)
    assert judge(evidence) is Status.REFUTED
    assert evidence.bound == pytest.approx(2.0, rel=1e-3)


@dataclass(frozen=True, slots=True, kw_only=True)
class OnesForConstants(WithoutReplacementSubsets):
    """A mutant at order 2: the constants 4 and 2 are 1."""

    def printed(self) -> Enclosed:
        value = weakened(float(self.q), self._curve(), 2, (1.0, 1.0, 1.0))
        return Enclosed(value=value, error=1e-9 * value + 1e-15)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        laws, (_, first, second) = self._balls(), all_samples(*self.size)
        most = flint.arb(0)
        for i, j in zip(first.tolist(), second.tolist(), strict=True):
            most = most.max(sum((p * p / q for p, q in zip(laws[i], laws[j], strict=True)), flint.arb(0)))
        printed = (1 + exact_ball(self.q) ** 2 * (most - 1)).log()
        return quotient(proved_renyi(self.mixtures(), 2.0), printed)


def test_drawn_samples_refute_constants_at_one(audit):
    boxes = {"n": (2.0, 4.0), "m": (1.0, 3.0), "draw": (0.0, 1e6), "spread": (0.02, 2.0)}
    assert judge(audit(OnesForConstants, boxes, {"order": 2.0}, effort=1.0)) is Status.REFUTED
    assert judge(audit(WithoutReplacementSubsets, boxes, {"order": 2.0})) is Status.NOT_REFUTED


@dataclass(frozen=True, slots=True, kw_only=True)
class SquaredRate(WithoutReplacementBits):
    """A mutant: a tenth of the bound."""

    def printed(self) -> Enclosed:
        return Enclosed(value=0.1 * WithoutReplacementBits.printed(self).value)

    def proved_ratio(self) -> Enclosed | None:
        proof = WithoutReplacementBits.proved_ratio(self)
        return None if proof is None else Enclosed(value=10 * proof.value, error=10 * proof.error + 1e-9, proved=True)


def test_a_without_replacement_mutant_is_refuted(audit):
    boxes = {"before": (-2.0, 2.0), "after": (-2.0, 2.0), "neither": (-2.0, 2.0)}
    assert judge(audit(SquaredRate, boxes)) is Status.REFUTED
