"""BL-FILTER: costs and deltas against naive sums and plain quadrature, mutants."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from dpverify.accounting.conversion import classic_log_delta, tight_log_delta
from dpverify.accounting.filters import RenyiFilter
from dpverify.core.errors import InputError
from dpverify.core.measure import Enclosed
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from reference_impls.line_search.some_order import (
    ORDERS,
    AnyOrder,
    BestOrder,
    EveryOrder,
    log_shares,
    printed_budgets,
)


def _divergence(p: np.ndarray, q: np.ndarray, order: float) -> float:
    """The larger direction, term by term."""
    terms = (
        [order * math.log(a) + (1 - order) * math.log(b) for a, b in zip(*pair, strict=True)]
        for pair in ((p, q), (q, p))
    )
    return max(float(np.logaddexp.reduce(each)) / (order - 1) for each in terms)


def test_budgets_are_proposition_one():
    orders, budgets = printed_budgets(0.2, 1e-8)
    assert orders[0] == 94
    assert np.allclose(classic_log_delta(orders, budgets, 0.2), math.log(1e-8), rtol=1e-12)


def test_shares_are_what_the_tight_conversion_saves():
    orders = np.array([2.0, 3.0, 10.0, 400.0])
    budgets = np.full(4, 0.1)
    saved = tight_log_delta(orders, budgets, 1.0) - classic_log_delta(orders, budgets, 1.0)
    assert np.allclose(log_shares(orders), saved, rtol=1e-10)
    assert log_shares(np.array([2.0]))[0] == pytest.approx(math.log(0.25))


def test_the_rule_lets_the_gaussians_of_a_pass():
    orders, budgets = printed_budgets(0.2, 1e-8)
    subject = EveryOrder()
    rho = subject.truth().value / 500.0
    till = RenyiFilter(orders=orders, budgets=budgets, policy="some")
    for _ in range(10):
        till = till.spend(orders * rho * (1 - 1e-9) / 10)
    assert not till.fits(orders * rho * 1e-6)


def test_the_coin_of_b_by_hand():
    """Two releases and a public bit, enumerated: the Gaussian's divergence is alpha rho in either direction."""
    subject = AnyOrder(epsilon=1.0, delta=1e-5)
    orders, budgets, rho, response = subject._choices()
    p = np.array([math.exp(response), 1.0]) / (1 + math.exp(response))
    costs = []
    for order in orders:
        told = _divergence(p, p[::-1], order)
        both = np.logaddexp((order - 1) * order * rho, (order - 1) * told) - math.log(2.0)
        costs.append(float(both) / (order - 1))
    ratios = np.array(costs) / budgets
    assert subject.truth().value / subject.printed().value == pytest.approx(float(ratios.min()), rel=1e-9)
    assert np.any(orders * rho <= budgets)
    assert response <= budgets[-1]


@pytest.mark.parametrize("settings", [{}, {"conversion": "tight"}, {"epsilon": 2.0, "delta": 1e-5, "spread": 0.07}])
def test_the_adversary_of_c_by_enumeration(settings):
    """Every branch as two outcomes: the joint delta, and each branch's cost within its order's budget."""
    subject = BestOrder(**settings)
    logs, losses = subject._lattice()
    p, q = np.exp(logs), np.exp(logs - losses)
    q /= q.sum()
    orders, added, rare = subject._strategy()
    joint_p, joint_q = [], []
    for index, order in enumerate(orders):
        chance = math.exp(rare[index])
        there = chance * math.exp(-added[index]) if order else 0.0
        joint_p += [p[index] * chance, p[index] * (1 - chance)]
        joint_q += [q[index] * there, q[index] * (1 - there)]
        if order:
            lost = log_shares(np.array([order]))[0] if subject.conversion == "tight" else 0.0
            budget = subject.epsilon + (math.log(subject.delta) - lost) / (order - 1)
            branch = np.array([chance, 1 - chance]), np.array([there, 1 - there])
            assert _divergence(p, q, order) + _divergence(*branch, order) <= budget + 1e-12
    delta = float(np.maximum(np.array(joint_p) - math.exp(subject.epsilon) * np.array(joint_q), 0.0).sum())
    assert subject.truth().value == pytest.approx(delta, rel=1e-6)


def test_a_first_release_that_no_order_pays_for_does_not_run():
    subject = BestOrder(epsilon=0.1, delta=1e-12, spread=2.0, top=2.0)
    assert subject.truth().value == 0.0
    proof = subject.proved_ratio()
    assert proof is not None
    assert proof.value == 0.0


def test_the_sum_is_a_third_filter_bound():
    subject = BestOrder(promised="sum")
    shares = np.exp(log_shares(ORDERS[ORDERS >= 94]))
    assert subject.printed().value == pytest.approx(1e-8 * shares.sum(), rel=1e-9)


@pytest.mark.parametrize(
    "subject",
    [
        EveryOrder(order=100.0),
        AnyOrder(),
        AnyOrder(kept="one"),
        BestOrder(),
        BestOrder(conversion="tight"),
        BestOrder(conversion="tight", kept="one"),
        BestOrder(promised="sum", epsilon=3.0, delta=1e-4, spread=0.1),
    ],
)
def test_the_proof_is_the_float_ratio(subject):
    proof = subject.proved_ratio()
    assert proof is not None
    assert proof.proved
    assert subject.truth().value / subject.printed().value == pytest.approx(proof.value, rel=1e-7)


@dataclass(frozen=True, slots=True, kw_only=True)
class NineTenths(BestOrder):
    """The repaired row at nine tenths of its delta."""

    def printed(self) -> Enclosed:
        return Enclosed(value=0.9 * BestOrder.printed(self).value)

    def proved_ratio(self) -> Enclosed | None:
        found = BestOrder.proved_ratio(self)
        assert found is not None
        return Enclosed(value=found.value / 0.9, error=1e-12, proved=True)


@pytest.mark.parametrize("reading", ["a", "b", "c-tight"])
def test_refuted_as_printed_and_not_as_repaired(status, reading):
    assert status(f"BL-FILTER.{reading}") is Status.REFUTED
    assert status(f"BL-FILTER.{reading}", kept="one") is Status.NOT_REFUTED
    assert status(f"BL-FILTER-R.{reading}") is Status.NOT_REFUTED


def test_proposition_one_and_the_sum_stand(status):
    assert status("BL-FILTER.c") is Status.NOT_REFUTED
    assert status("BL-FILTER-R.c-sum") is Status.NOT_REFUTED


def test_nine_tenths_of_the_repaired_delta_falls(status):
    assert status("BL-FILTER-R.c-tight", NineTenths) is Status.REFUTED


@pytest.mark.parametrize("reading", ["a", "b", "c", "c-tight"])
def test_remarks_show_what_they_say(reading):
    assert registry().remarks.get(f"BL-FILTER.{reading}").shown().holds


@pytest.mark.parametrize(
    "build",
    [
        lambda: EveryOrder(order=501.0),
        lambda: AnyOrder(epsilon=0.01),
        lambda: AnyOrder(kept="none"),
        lambda: BestOrder(conversion="loose"),
        lambda: BestOrder(promised="less"),
    ],
)
def test_bad_settings_are_said(build):
    with pytest.raises(InputError):
        build()
