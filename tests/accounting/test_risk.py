"""An attacker's chances: closed forms, all tests of finite outcomes, published values, and the side of the error."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

import dpverify as dpv
from dpverify.accounting.risk import power_at, risk
from dpverify.core.errors import InputError
from dpverify.definitions.gdp import GDP
from dpverify.stats.attacker import RATES

SHARP = 1e-5
"""How far above the truth a bound may lie where delta is known exactly."""


@pytest.mark.parametrize("mu", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("rate", [0.3, 0.01, 1e-5])
def test_the_gaussian_pair(mu, rate):
    found = power_at(lambda epsilon: float(GDP(mu=mu).delta(epsilon)), rate)
    true = ndtr(ndtri(rate) + mu)
    assert true * (1 - 1e-12) <= found <= true * (1 + SHARP)


def most(p, q, rate):
    """The power of the best test of two finite laws, by Neyman and Pearson."""
    order = np.argsort(-np.asarray(p) / np.asarray(q))
    power, left = 0.0, rate
    for place in order:
        share = min(1.0, left / q[place])
        power, left = power + share * p[place], left - share * q[place]
        if left <= 0:
            break
    return power


def coins(*epsilons):
    """The two laws of randomised responses together."""
    p = [math.exp(each) / (1 + math.exp(each)) for each in epsilons]
    signs = list(itertools.product((True, False), repeat=len(p)))
    one = [math.prod(a if yes else 1 - a for a, yes in zip(p, row, strict=True)) for row in signs]
    return one, [math.prod(1 - a if yes else a for a, yes in zip(p, row, strict=True)) for row in signs]


@pytest.mark.parametrize("rate", [0.5, 0.1, 0.01, 1e-5])
def test_randomised_responses_by_all_outcomes(rate):
    found = risk("randomised-response(epsilon=1) + randomised-response(epsilon=2)", rates=[rate])
    true = most(*coins(1.0, 2.0), rate)
    assert true * (1 - 1e-12) <= found.power[rate] <= true * (1 + SHARP)
    assert found.advantage == pytest.approx(sum(max(a - b, 0) for a, b in zip(*coins(1.0, 2.0), strict=True)))


@given(rate=st.floats(1e-6, 0.9), mu=st.floats(0.01, 5))
def test_no_bound_lies_below_the_truth(rate, mu):
    assert power_at(lambda epsilon: float(GDP(mu=mu).delta(epsilon)), rate) >= ndtr(ndtri(rate) + mu) * (1 - 1e-11)


def test_published_values():
    """dp_accounting's read-outs of a PLD: true positives at .1, and the mu with the same advantage."""
    third = math.sqrt(3)
    gaussian = risk(f"gaussian(sigma={third!r})*3", rates=[0.1])
    assert gaussian.power[0.1] == pytest.approx(0.38914, abs=1e-5) and gaussian.mu == pytest.approx(1.0)
    pure = risk("pure(epsilon=1) + pure(epsilon=2)", rates=[0.1])
    assert pure.power[0.1] == pytest.approx(0.8286, abs=1e-4) and pure.mu == pytest.approx(2.358, abs=1e-3)
    both = risk("approx(epsilon=1, delta=0.1) + approx(epsilon=2, delta=0.2)", rates=[0.1])
    assert both.power[0.1] == pytest.approx(0.91938, abs=2e-5)


@pytest.mark.ci
def test_the_published_curve_of_dp_sgd():
    """riskcal: false negatives .945, .821, .711 at false positives .01, .05, .1."""
    found = risk("poisson-gaussian(q=256/50000, sigma=1)*11700", rates=[0.01, 0.05, 0.1], accountants=["pld"])
    assert [round(1 - each, 3) for each in found.power.values()] == [0.945, 0.821, 0.711]


def test_power_is_at_least_guessing_and_falls_with_the_rate():
    found = risk("laplace(scale=1)")
    powers = [found.power[rate] for rate in RATES]
    assert powers == sorted(powers, reverse=True)
    assert all(rate <= power <= 1 for rate, power in found.power.items())
    assert found.power[0.01] == pytest.approx(0.01 * math.e, rel=1e-6)
    assert found.reconstruction == found.power


def test_posterior_is_bayes():
    told = risk("pure(epsilon=1)", prior=0.25)
    for after in told.posterior.values():
        assert after <= 0.25 * math.e / (0.25 * math.e + 0.75) * (1 + 1e-6)


def test_nothing_is_released():
    found = risk("no-op()*5")
    assert found.advantage == 0.0 and found.mu == 0.0
    assert all(power == pytest.approx(rate) for rate, power in found.power.items())


def test_printed_formulas_are_no_bounds():
    """rdp-printed may be wrong, so it is never used, however small its number."""
    found = risk("gaussian(sigma=1)*10")
    assert not {"rdp-printed"} & set(found.accountants)
    with pytest.raises(InputError, match="no accountant with an upper end"):
        risk("gaussian(sigma=1)*10", accountants=["rdp-printed"])


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"rates": [0.0]}, "a false-positive rate = 0"),
        ({"rates": [1.5]}, "a false-positive rate = 1.5"),
        ({"prior": 1.0}, "prior = 1"),
        ({"prior": math.nan}, "prior = nan"),
        ({"accountants": ["gdp"]}, "does not offer"),
        ({"accountants": ["nobody"]}, "nobody"),
    ],
)
def test_bad_input_is_one_line(asked, said):
    with pytest.raises(InputError, match=said) as problem:
        risk("laplace(scale=1)", **asked)
    assert "\n" not in str(problem.value)


def test_it_is_shown_and_plain():
    found = dpv.risk("laplace(scale=1)")
    assert isinstance(found, dpv.Risk)
    assert found.record()["power"]["0.01"] == found.power[0.01]
    assert "0.0271829" in found._repr_html_()
