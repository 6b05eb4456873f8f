"""Composition: naive enumerations beside both sides, and mutants that must fall."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from dpverify.core.evidence import Enclosed
from dpverify.core.verdict import Status, judge
from reference_impls.papers.accounting.lemmas.advanced_composition import AdvancedComposition
from reference_impls.papers.accounting.lemmas.moments import MomentsTail
from reference_impls.papers.accounting.lemmas.renyi_composition import RenyiComposition, RenyiCompositionDrawn

STEPS = AdvancedComposition(count=3.0, low=0.2, high=0.9, bend=2.0, first=1e-3, last=1e-4, rest=0.01)


def _four(epsilon: float, delta: float) -> tuple[list[float], list[float]]:
    """The worst (epsilon, delta)-DP pair: four outcomes."""
    likely, rare = (1 - delta) / (1 + math.exp(-epsilon)), (1 - delta) / (1 + math.exp(epsilon))
    return [delta, likely, rare, 0.0], [0.0, rare, likely, delta]


def test_advanced_both_sides_against_all_sixty_four_outcomes():
    epsilons, deltas = STEPS.budgets()
    assert epsilons.tolist() == pytest.approx([0.2, 0.375, 0.9])
    assert deltas.tolist() == pytest.approx([1e-3, math.sqrt(1e-7), 1e-4])
    drift = sum(e * (math.exp(e) - 1) / (math.exp(e) + 1) for e in epsilons)
    epsilon = math.sqrt(2 * math.log(1 / 0.01) * sum(e * e for e in epsilons)) + drift
    assert STEPS.printed().value == pytest.approx(epsilon, rel=1e-12)
    laws = [_four(e, d) for e, d in zip(epsilons, deltas, strict=True)]
    p = [math.prod(each) for each in itertools.product(*(law[0] for law in laws))]
    q = [math.prod(each) for each in itertools.product(*(law[1] for law in laws))]
    true = STEPS.truth().value
    spent = sum(max(a - math.exp(true) * b, 0.0) for a, b in zip(p, q, strict=True))
    assert spent == pytest.approx(1 - math.prod(1 - d for d in deltas) + 0.01, rel=1e-10)
    proof = STEPS.proved_ratio()
    assert proof.value == pytest.approx(true / epsilon, rel=1e-9)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoDrift(AdvancedComposition):
    """A mutant: only the second sum, the drift, is kept."""

    def printed(self) -> Enclosed:
        epsilons, _ = self.budgets()
        return Enclosed(value=float(np.sum(epsilons * np.tanh(epsilons / 2))))

    def proved_ratio(self) -> Enclosed | None:
        proof = AdvancedComposition.proved_ratio(self)
        if proof is None:
            return None
        factor = AdvancedComposition.printed(self).value / self.printed().value
        return Enclosed(value=proof.value * factor, error=(proof.error + 1e-9) * factor, proved=True)


def test_an_advanced_mutant_is_refuted(audit):
    boxes = {"low": (0.01, 0.99), "high": (0.01, 0.99), "rest": (1e-9, 0.1)}
    assert judge(audit(NoDrift, boxes)) is Status.REFUTED


def _divergence(p: list[float], q: list[float], order: float) -> float:
    return math.log(sum(a**order * b ** (1 - order) for a, b in zip(p, q, strict=True))) / (order - 1)


@pytest.mark.parametrize("order", [1.5, 4.0])
def test_a_tree_of_two_bits_against_its_four_transcripts(order):
    subject = RenyiComposition(order=order)
    first, after = ((0.6, 0.4), {1: (0.6, 0.4), 0: (0.3, 0.5)})
    joint = []
    for side in (0, 1):
        bits = itertools.product((1, 0), repeat=2)
        one = first[side]
        joint.append([(one if a else 1 - one) * (after[a][side] if b else 1 - after[a][side]) for a, b in bits])
    p, q = joint
    assert subject.truth().value == pytest.approx(max(_divergence(p, q, order), _divergence(q, p, order)), rel=1e-12)

    def node(a: float, b: float) -> float:
        return max(_divergence([a, 1 - a], [b, 1 - b], order), _divergence([b, 1 - b], [a, 1 - a], order))

    printed = node(0.6, 0.4) + max(node(0.6, 0.4), node(0.3, 0.5))
    assert subject.printed().value == pytest.approx(printed, rel=1e-12)


def test_whole_orders_are_rounded_up():
    assert RenyiComposition(order=2.1, whole=True).at == 3.0
    assert RenyiComposition(order=1.01, whole=True).at == 2.0


def test_drawn_trees_differ_and_have_thirteen_nodes_that_cost_something():
    trees = [RenyiCompositionDrawn(draw=float(draw)) for draw in (1, 2)]
    assert len(trees[0].tree()) == 13
    assert trees[0].truth().value != trees[1].truth().value
    assert trees[0].truth() == RenyiCompositionDrawn(draw=1.2).truth()
    assert 0 < trees[0].truth().value < trees[0].printed().value


@dataclass(frozen=True, slots=True, kw_only=True)
class LastRoundOnly(RenyiComposition):
    """A mutant: the larger of the two rounds instead of their sum."""

    def printed(self) -> Enclosed:
        return Enclosed(value=0.6 * RenyiComposition.printed(self).value)

    def proved_ratio(self) -> Enclosed | None:
        proof = RenyiComposition.proved_ratio(self)
        return Enclosed(value=proof.value / 0.6, error=proof.error + 1e-12, proved=True)


def test_a_composition_mutant_is_refuted(audit):
    assert judge(audit(LastRoundOnly, {"order": (1.1, 16.0), "p": (0.1, 0.9)})) is Status.REFUTED


def test_moments_against_the_normal_profile_and_the_binomial_table():
    subject = MomentsTail(size=8.0, count=100.0, epsilon=5.0)
    mu = 10 / 8
    exact = stats.norm.sf(5 / mu - mu / 2) - math.exp(5 + stats.norm.logsf(5 / mu + mu / 2))
    assert subject.truth().value == pytest.approx(exact, rel=1e-7)
    least = math.exp(min(100 * k * (k + 1) / (2 * 64) - 5 * k for k in range(1, 256)))
    assert subject.printed().value == pytest.approx(least, rel=1e-9)
    subject = MomentsTail(size=0.3, count=20.0, epsilon=2.0, family="randomised-response")
    p = 1 / (1 + math.exp(-0.3))
    ones = np.arange(21)
    gain = stats.binom.pmf(ones, 20, p) - math.exp(2.0) * stats.binom.pmf(ones, 20, 1 - p)
    assert subject.truth().value == pytest.approx(gain[gain > 0].sum(), rel=1e-9)
    moments = [_divergence([p, 1 - p], [1 - p, p], k + 1.0) * k for k in range(1, 256)]
    least = math.exp(min(20 * m - 2 * (k + 1) for k, m in enumerate(moments)))
    assert subject.printed().value == pytest.approx(least, rel=1e-9)


def test_a_delta_of_one_promises_nothing():
    assert math.isinf(MomentsTail(size=0.5, count=100.0, epsilon=0.1).printed().value)


@dataclass(frozen=True, slots=True, kw_only=True)
class OneStepOnly(MomentsTail):
    """A mutant: moments that do not add."""

    def printed(self) -> Enclosed:
        return MomentsTail(size=self.size, count=1.0, epsilon=self.epsilon).printed()

    def proved_ratio(self) -> Enclosed | None:
        proof = MomentsTail.proved_ratio(self)
        if proof is None:
            return None
        factor = MomentsTail.printed(self).value / self.printed().value
        return Enclosed(value=proof.value * factor, error=(proof.error + 1e-9) * factor, proved=True)


def test_a_moments_mutant_is_refuted(audit):
    boxes = {"size": (4.0, 10.0), "count": (2.0, 100.0), "epsilon": (2.0, 8.0)}
    assert judge(audit(OneStepOnly, boxes)) is Status.REFUTED
