"""Pure to Renyi, and Renyi to (epsilon, delta): naive twins, independent truths, mutants that must fall."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext

import flint
import numpy as np
import pytest

from dpverify.core.evidence import Enclosed
from dpverify.core.verdict import Status, judge
from dpverify.laws.balls import at_working_precision, enclosed_ball
from reference_impls.papers.accounting.lemmas import pure_renyi
from reference_impls.papers.accounting.lemmas.pure_renyi import PureRenyi
from reference_impls.papers.accounting.lemmas.renyi_conversion import RenyiConversion


def _renyi(p: float, q: float, order: float) -> float:
    hit = order * math.log(p) + (1 - order) * math.log(q)
    miss = order * math.log1p(-p) + (1 - order) * math.log1p(-q)
    return float(np.logaddexp(hit, miss)) / (order - 1)


@pytest.mark.parametrize(("epsilon", "order"), [(0.5, 1.5), (1.0, 2.0), (3.0, 7.0), (0.1, 64.0)])
def test_pure_both_sides(epsilon, order):
    subject = PureRenyi(epsilon=epsilon, order=order)
    assert subject.printed().value == pytest.approx(order * epsilon**2 / 2, rel=1e-14)
    p = 1 / (1 + math.exp(-epsilon))
    assert subject.truth().value == pytest.approx(_renyi(p, 1 - p, order), rel=1e-10)
    assert subject.proved_ratio().value == pytest.approx(subject.truth().value / subject.printed().value, rel=1e-12)


@pytest.mark.parametrize(("epsilon", "order"), [(0.5, 1.5), (1e-3, 2.0), (3.0, 7.0), (20.0, 64.0)])
def test_the_pure_proof_encloses_eighty_digits_and_owes_nothing_to_floats(epsilon, order, monkeypatch):
    for name in ("tight_curve", "printed_curve"):
        monkeypatch.setattr(pure_renyi, name, None)
    proof = PureRenyi(epsilon=epsilon, order=order).proved_ratio()
    with localcontext(prec=80):
        e, a = Decimal(epsilon), Decimal(order)
        p, q = 1 / (1 + (-e).exp()), 1 / (1 + e.exp())
        moment = (a * p.ln() + (1 - a) * q.ln()).exp() + (a * q.ln() + (1 - a) * p.ln()).exp()
        ratio = moment.ln() / (a - 1) / (a * e * e / 2)
        assert abs(ratio - Decimal(proof.value)) <= Decimal(proof.error)
    assert proof.error <= 1e-15 * proof.value


@dataclass(frozen=True, slots=True, kw_only=True)
class EighthInsteadOfHalf(PureRenyi):
    """A mutant: alpha epsilon^2 / 8, which bounds ranges and not ratios."""

    def printed(self) -> Enclosed:
        return Enclosed(value=self.order * self.epsilon**2 / 8)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        proof = PureRenyi.proved_ratio(self)
        return enclosed_ball(4 * flint.arb(proof.value, proof.error))


def test_a_pure_mutant_is_refuted(audit):
    evidence = audit(EighthInsteadOfHalf, {"epsilon": (0.01, 5.0), "order": (1.1, 50.0)})
    assert judge(evidence) is Status.REFUTED
    assert evidence.bound == pytest.approx(4.0, rel=0.01)


@pytest.mark.parametrize("order", [1.5, 8.0, 64.0])
@pytest.mark.parametrize("surplus", [0.1, 3.0, 1e3, 9e4])  # the last has p = 0.9: the other direction is the worse
def test_the_bit_costs_tau_and_its_epsilon_is_exact(order, surplus):
    subject = RenyiConversion(order=order, tau=0.7, delta=1e-5, surplus=surplus)
    q = subject._other()
    assert q is not None
    assert max(_renyi(subject.p, q, order), _renyi(q, subject.p, order)) == pytest.approx(0.7, rel=1e-7)
    if subject.truth().value > 0:
        assert subject.p - math.exp(subject.truth().value) * q == pytest.approx(1e-5, rel=1e-8)
        ratio = subject.truth().value / subject.printed().value
        assert subject.proved_ratio().value == pytest.approx(ratio, rel=1e-7)


def test_conversions_are_as_printed():
    classic, tight = (RenyiConversion(order=9.0, tau=0.3, delta=1e-6, conversion=c) for c in ("classic", "tight"))
    assert classic.printed().value == pytest.approx(0.3 + math.log(1e6) / 8, rel=1e-11)
    assert tight.printed().value == pytest.approx(0.3 + math.log(8 / 9) + (math.log(1e6) - math.log(9)) / 8, rel=1e-11)


def test_families_attain_tau():
    response = RenyiConversion(order=4.0, tau=0.5, family="randomised-response")
    p = 1 / (1 + math.exp(-response._budget()))
    assert _renyi(p, 1 - p, 4.0) == pytest.approx(0.5, rel=1e-10)
    described = RenyiConversion(order=4.0, tau=0.5, delta=1e-6).describe()
    assert described["exact"]["bernoulli"] >= max(described["exact"].values()) * (1 - 1e-3)
    assert max(described["exact"].values()) <= described["printed"]["tight"] <= described["printed"]["classic"]


@pytest.mark.parametrize(("order", "tau", "delta"), [(4.0, 0.5, 1e-6), (32.0, 0.5, 1e-8), (2.0, 3.0, 1e-5)])
def test_what_is_described_is_each_family_and_the_best_bit(order, tau, delta):
    """The tight conversion drops what the other outcome, nearly certain under both laws, adds to the moment: 1."""
    point = {"order": order, "tau": tau, "delta": delta}
    described = RenyiConversion(**point).describe()
    classic = tau + math.log(1 / delta) / (order - 1)
    tight = classic + math.log(1 - 1 / order) - math.log(order) / (order - 1)
    assert described["printed"] == pytest.approx({"classic": classic, "tight": tight}, rel=1e-9)
    best = tight + math.log(1 - math.exp(-(order - 1) * tau)) / (order - 1)
    assert best * (1 - 1e-4) <= described["exact"].pop("bernoulli") <= best * (1 + 1e-6)
    for family, value in described["exact"].items():
        assert value == RenyiConversion(**point, family=family).truth().value
    assert set(described["exact"]) == {"gaussian", "randomised-response"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingTerm(RenyiConversion):
    """A mutant: no log(1 / delta) at all."""

    def printed(self) -> Enclosed:
        return Enclosed(value=self.tau)

    def proved_ratio(self) -> Enclosed | None:
        proof = RenyiConversion.proved_ratio(self)
        if proof is None:
            return None
        factor = RenyiConversion.printed(self).value / self.tau
        return Enclosed(value=proof.value * factor, error=(proof.error + 1e-9) * factor, proved=True)


def test_a_conversion_mutant_is_refuted(audit):
    boxes = {"order": (1.5, 64.0), "tau": (0.01, 5.0), "delta": (1e-9, 1e-3), "surplus": (1e-2, 1e5)}
    assert judge(audit(MissingTerm, boxes)) is Status.REFUTED


def test_the_tight_conversion_is_attained_and_no_less(audit):
    boxes = {"order": (1.5, 64.0), "tau": (0.05, 5.0), "delta": (1e-9, 1e-3), "surplus": (1e-2, 1e5)}
    evidence = audit(RenyiConversion, boxes, {"conversion": "tight"}, effort=1.0)
    assert judge(evidence) is Status.NOT_REFUTED
    assert evidence.bound > 0.999


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfConversion(RenyiConversion):
    """A mutant: half of the conversion."""

    def printed(self) -> Enclosed:
        whole = RenyiConversion.printed(self)
        return Enclosed(value=whole.value / 2, error=whole.error)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        proof = RenyiConversion.proved_ratio(self)
        return None if proof is None else enclosed_ball(2 * flint.arb(proof.value, proof.error))


@pytest.mark.parametrize("family", ["gaussian", "randomised-response"])
def test_half_a_conversion_is_refuted_by_each_family(audit, family):
    boxes = {"order": (1.01, 512.0), "tau": (1e-3, 20.0), "delta": (1e-12, 1e-3)}
    assert judge(audit(HalfConversion, boxes, {"family": family})) is Status.REFUTED
    assert judge(audit(RenyiConversion, boxes, {"family": family})) is Status.NOT_REFUTED


@pytest.mark.parametrize(("order", "tau", "delta"), [(32.0, 0.5, 1e-8), (4.0, 2.0, 1e-3), (200.0, 5.0, 1e-12)])
def test_families_are_proved_where_floats_put_them(order, tau, delta):
    for family in ("gaussian", "randomised-response"):
        for conversion in ("classic", "tight"):
            subject = RenyiConversion(order=order, tau=tau, delta=delta, family=family, conversion=conversion)
            ratio = subject.truth().value / subject.printed().value
            assert subject.proved_ratio().value == pytest.approx(ratio, rel=1e-9)


def test_no_randomised_response_no_proof():
    subject = RenyiConversion(tau=1e4, family="randomised-response")
    assert subject.truth().value == 0
    assert subject.proved_ratio() is None
