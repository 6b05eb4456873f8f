"""BL-FILTER (c): what the conversions save, the adversary enumerated, the sum over orders."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.accounting.order_search import classic_log_delta, tight_log_delta
from dpverify.core.errors import InputError
from reference_impls.papers.blsgd.lemmas.best_order import BestOrder, log_shares
from reference_impls.papers.blsgd.lemmas.some_order import ORDERS
from tests.reference_impls.papers.blsgd.lemmas.test_some_order import divergence


def test_shares_are_what_the_tight_conversion_saves():
    orders = np.array([2.0, 3.0, 10.0, 400.0])
    budgets = np.full(4, 0.1)
    saved = tight_log_delta(orders, budgets, 1.0) - classic_log_delta(orders, budgets, 1.0)
    assert np.allclose(log_shares(orders), saved, rtol=1e-10)
    assert log_shares(np.array([2.0]))[0] == pytest.approx(math.log(0.25))


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
            assert divergence(p, q, order) + divergence(*branch, order) <= budget + 1e-12
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
        BestOrder(),
        BestOrder(conversion="tight"),
        BestOrder(conversion="tight", kept="one"),
        BestOrder(promised="sum", epsilon=3.0, delta=1e-4, spread=0.1),
    ],
)
def test_the_proof_is_the_float_ratio(proved_as_floats, subject):
    proved_as_floats(subject, rel=1e-7)


@pytest.mark.parametrize(
    "build",
    [
        lambda: BestOrder(conversion="loose"),
        lambda: BestOrder(promised="less"),
    ],
)
def test_bad_settings_are_said(build):
    with pytest.raises(InputError):
        build()
