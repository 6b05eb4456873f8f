"""BL-FILTER (a) and (b): budgets and costs against naive sums."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.accounting.filters import RenyiFilter
from dpverify.accounting.order_search import classic_log_delta
from dpverify.core.errors import InputError
from reference_impls.papers.blsgd.lemmas.some_order import AnyOrder, EveryOrder, printed_budgets


def divergence(p: np.ndarray, q: np.ndarray, order: float) -> float:
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
    orders, budgets, rho, response = subject.choices()
    p = np.array([math.exp(response), 1.0]) / (1 + math.exp(response))
    costs = []
    for order in orders:
        told = divergence(p, p[::-1], order)
        both = np.logaddexp((order - 1) * order * rho, (order - 1) * told) - math.log(2.0)
        costs.append(float(both) / (order - 1))
    ratios = np.array(costs) / budgets
    assert subject.truth().value / subject.printed().value == pytest.approx(float(ratios.min()), rel=1e-9)
    assert np.any(orders * rho <= budgets)
    assert response <= budgets[-1]


@pytest.mark.parametrize(
    "subject",
    [
        EveryOrder(order=100.0),
        AnyOrder(),
        AnyOrder(kept="one"),
    ],
)
def test_the_proof_is_the_float_ratio(proved_as_floats, subject):
    proved_as_floats(subject, rel=1e-7)


@pytest.mark.parametrize(
    "build",
    [
        lambda: EveryOrder(order=501.0),
        lambda: AnyOrder(epsilon=0.01),
        lambda: AnyOrder(kept="none"),
    ],
)
def test_bad_settings_are_said(build):
    with pytest.raises(InputError):
        build()
