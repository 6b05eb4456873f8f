"""The least noise: closed forms, a naive twin, and what cannot be solved."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import ndtr

from dpverify.accounting.least_sigma import DIGITS, LEAST, MOST, TOLERANCE, smallest, solve_sigma
from dpverify.accounting.side_by_side import account
from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError, UnsupportedError

SLACK = 1 + TOLERANCE + 10.0 ** (1 - DIGITS)


def solved(step, runs, *, accountant, **asked):
    found = solve_sigma(lambda s: Composition.repeat(step(s), runs), text="x", accountants=(accountant,), **asked)
    return found.rows[0].bracket.upper


def test_laplace_by_sums():
    scale = solved(lambda s: LaplaceStep(scale=s), 10, accountant="basic", epsilon=3, delta=0)
    assert 10 / 3 <= scale <= 10 / 3 * SLACK


def test_the_gaussian_mechanism_exactly():
    def delta(sigma):  # Balle and Wang 2018, Theorem 8
        return ndtr(0.5 / sigma - sigma) - math.e * ndtr(-0.5 / sigma - sigma)

    true = brentq(lambda sigma: delta(sigma) - 1e-5, 1, 10, xtol=1e-14)
    assert true <= solved(lambda s: GaussianStep(sigma=s), 1, accountant="gdp", epsilon=1) <= true * SLACK


def test_a_budget_of_advantage_exactly():
    """The Gaussian pair of mu = 1 / sigma has the advantage 2 Phi(mu / 2) - 1."""
    sigma = solved(lambda s: GaussianStep(sigma=s), 1, accountant="gdp", advantage=0.1)
    true = brentq(lambda s: 2 * ndtr(0.5 / s) - 1 - 0.1, 1, 10, xtol=1e-14)
    assert true <= sigma <= true * SLACK


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"advantage": 1.0}, "advantage = 1"),
        ({"advantage": 0.1, "epsilon": 1.0}, "one budget|epsilon or delta"),
        ({}, "no budget"),
    ],
)
def test_a_budget_is_one_and_sound(asked, said):
    with pytest.raises(InputError, match=said):
        solved(lambda s: GaussianStep(sigma=s), 1, accountant="gdp", **asked)


def test_dp_sgd_against_plain_bisection():
    def cost(sigma):
        composition = Composition.repeat(PoissonGaussianStep(q=0.01, sigma=sigma), 10000)
        return account(composition, accountants=("rdp",)).rows[0].bracket.upper

    low, high = 0.5, 8.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if cost(middle) <= 2 else (middle, high)
    sigma = solved(lambda s: PoissonGaussianStep(q=0.01, sigma=s), 10000, accountant="rdp", epsilon=2)
    assert high * (1 - 1e-9) <= sigma <= high * SLACK
    assert cost(sigma) <= 2


@given(scale=st.floats(1e-3, 1e3), power=st.floats(0.2, 4), target=st.floats(1e-2, 1e2))
@example(scale=1.0, power=1.0, target=2.0)  # met exactly at a power of 2
@example(scale=1.0, power=1.0, target=4.0)
def test_powers(scale, power, target):
    true = (scale / target) ** (1 / power)
    asked = []

    def cost(sigma):
        asked.append(sigma)
        return scale * sigma**-power

    if true > MOST:
        with pytest.raises(UnsupportedError, match="no sigma up to"):
            smallest(cost, target)
        return
    found = smallest(cost, target)
    assert found.sigma in asked
    assert found.cost == cost(found.sigma) <= target
    assert found.short == 0 or (found.short in asked and cost(found.short) > target)
    assert found.short == 0 or found.sigma <= found.short * SLACK
    assert found.sigma <= max(true, LEAST) * SLACK
    # Powers of 2 to there, and a few more.
    assert len(set(asked)) <= 2 + abs(math.log2(found.sigma)) + 15


@pytest.mark.parametrize("wave", [0.01, 0.3])
def test_a_jagged_cost_is_asked_where_it_is_reported(wave):
    def cost(sigma):
        return 10 / sigma * (1 + wave * math.sin(1e3 * sigma))

    found = smallest(cost, 1)
    assert cost(found.sigma) <= 1 < cost(found.short)
    assert found.short < found.sigma <= found.short * SLACK


def test_infinite_costs():
    found = smallest(lambda sigma: math.inf if sigma < 3 else 1 / sigma, 1)
    assert 3 <= found.sigma <= 3 * SLACK
    with pytest.raises(UnsupportedError, match="no sigma up to"):
        smallest(lambda _: math.inf, 1)


def test_what_costs_nothing_needs_no_noise():
    found = smallest(lambda _: 0.0, 1)
    assert (found.sigma, found.short, found.cost) == (LEAST, 0, 0)


def test_refusals_and_bad_budgets():
    def build(sigma):
        return Composition.of(GaussianStep(sigma=sigma))

    found = solve_sigma(build, epsilon=1, text="x", accountants=("basic", "gdp"))
    assert [item.accountant for item in found.refusals] == ["basic"]
    assert (found.asked, found.given) == ("sigma", {"epsilon": 1.0, "delta": 1e-5})
    assert "is not shown" in found.rows[0].bracket.note
    for asked in ({"epsilon": 0}, {"epsilon": -1}, {"epsilon": 1, "delta": 1}):
        with pytest.raises(InputError):
            solve_sigma(build, text="x", **asked)
