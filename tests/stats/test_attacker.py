"""An attacker's limits: closed forms, both sides of a rate, and laws that have exactly the excess."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from dpverify.stats.attacker import equivalent_mu, posterior, posterior_of_loss, power_of_excess, power_of_rates


def best_power(p, q, rate):
    """Neyman and Pearson for finite laws: outcomes by their ratio, the last one by a coin."""
    order = np.argsort(-(np.asarray(p) / np.maximum(q, 1e-300)), kind="stable")
    spent = power = 0.0
    for place in order:
        share = 1.0 if q[place] == 0 else min(1.0, max(0.0, (rate - spent) / q[place]))
        spent, power = spent + share * q[place], power + share * p[place]
    return power


RATES = st.floats(1e-6, 0.999)


@given(fpr=st.floats(1e-4, 0.9), more=st.floats(1e-3, 0.99), rate=RATES)
def test_rates_of_a_test_are_those_of_two_outcomes(fpr, more, rate):
    tpr = fpr + (1.0 - fpr) * more
    exact = best_power([tpr, 1.0 - tpr], [fpr, 1.0 - fpr], rate)
    assert exact * (1 - 1e-9) - 1e-12 <= power_of_rates(fpr, tpr)(rate) <= exact * (1 + 1e-9) + 1e-15


@given(epsilon=st.floats(0.0, 5.0), delta=st.floats(0.0, 0.9), part=st.floats(0.0, 1.0), rate=RATES)
def test_no_law_with_the_excess_has_less_power_and_one_has_no_more(epsilon, delta, part, rate):
    told = power_of_excess(epsilon, delta)(rate)
    most = (1.0 - delta) * math.exp(-epsilon)

    def law(q):
        p = min(math.exp(epsilon) * q + delta, 1.0)
        return [p, 1.0 - p], [q, 1.0 - q]

    assert told <= best_power(*law(part * most), rate) + 1e-9
    worst = min(best_power(*law(q), rate) for q in (0.0, most))
    assert told >= worst * (1 - 1e-9)


def test_an_excess_without_delta_shows_no_power():
    assert power_of_excess(3.0, 0.0)(0.01) == 0.01
    assert power_of_excess(0.0, 1.0)(0.01) == pytest.approx(1.0)


def test_posteriors_are_bayes_and_round_to_their_sides():
    exact = 0.1 * 0.5 / (0.1 * 0.5 + 0.9 * 0.01)
    assert posterior(0.5, 0.01, 0.1, up=False) < exact < posterior(0.5, 0.01, 0.1, up=True) < exact + 1e-9
    assert posterior_of_loss(math.log(50.0), 0.1) == pytest.approx(exact, abs=1e-9)
    assert posterior_of_loss(math.inf, 0.1) == pytest.approx(1.0) and posterior_of_loss(0.0, 0.1) < 0.1 + 1e-15


@pytest.mark.parametrize("mu", [1e-8, 0.1, 1.0, 6.0])
def test_mu_has_the_advantage(mu):
    advantage = 2.0 * ndtr(mu / 2.0) - 1.0 if mu > 1e-4 else mu / math.sqrt(2.0 * math.pi)
    low, high = equivalent_mu(advantage, up=False), equivalent_mu(advantage, up=True)
    assert low <= high and (low + high) / 2.0 == pytest.approx(mu, rel=1e-9)
    assert equivalent_mu(1.0, up=True) == math.inf and equivalent_mu(-0.1, up=False) == 0.0
