"""Any step on a Poisson sample: the named steps, finite laws by enumeration, bounds, peers' values, refusals."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from dpverify.accounting.accountants.enumeration import EnumerationAccountant
from dpverify.accounting.accountants.pld import PldAccountant, compose
from dpverify.accounting.side_by_side import account
from dpverify.accounting.steps.discrete import DiscreteStep
from dpverify.accounting.steps.discrete_noise import DiscreteGaussianStep, DiscreteLaplaceStep
from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep, MixtureGaussianStep
from dpverify.accounting.steps.guarantees import ApproxStep, PureStep, RandomisedResponseStep
from dpverify.accounting.steps.poisson import poisson
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianReplaceStep, PoissonGaussianStep
from dpverify.accounting.steps.poisson_laplace import PoissonLaplaceReplaceStep, PoissonLaplaceStep
from dpverify.accounting.steps.selections import ZcdpStep
from dpverify.core.composition import Composition, HasApprox, HasPure, HasRenyi
from dpverify.core.errors import InputError


def test_noise_gives_the_steps_that_are_named_for_it():
    assert poisson(q=0.2, step=GaussianStep(sigma=3, sensitivity=1.5)) == PoissonGaussianStep(q=0.2, sigma=2)
    assert poisson(q=0.2, step=LaplaceStep(scale=0.5)) == PoissonLaplaceStep(q=0.2, scale=0.5)
    replaced = {"q": 0.2, "relation": "replace"}
    assert poisson(step=GaussianStep(sigma=2), **replaced) == PoissonGaussianReplaceStep(q=0.2, sigma=2)
    assert poisson(step=LaplaceStep(scale=2), **replaced) == PoissonLaplaceReplaceStep(q=0.2, scale=2)
    sigma = poisson(q=0.5, step=GaussianStep(sigma=1, sensitivity=0.1)).sigma
    assert Fraction(sigma) * Fraction(0.1) <= 1  # never more noise than there is


def test_golden_value_of_dp_accounting():
    """Its own test of a Laplace sample, 2.46964 on its grid; 2.469372 on a finer one."""
    found = account("poisson(q=0.2, step=laplace(scale=0.5))*3", delta=1e-6)
    bracket = next(row.bracket for row in found.rows if row.accountant == "pld")
    assert bracket.lower <= 2.469372 + 1e-6 and 2.469372 - 1e-6 <= bracket.upper < 2.46964


@pytest.mark.parametrize("rate", [0.05, 0.6])
@pytest.mark.parametrize(
    "step",
    [
        RandomisedResponseStep(epsilon=1.5),
        RandomisedResponseStep(epsilon=1, size=5),
        DiscreteLaplaceStep(scale=1, sensitivity=2),
        ApproxStep(epsilon=0.5, delta=1e-5),
        DiscreteStep(p=(0.5, 0.3, 0.2), q=(0.2, 0.3, 0.5)),
        DiscreteStep(p=(0.6, 0.4, 0), q=(0, 0.3, 0.7)),
    ],
    ids=lambda step: step.text(),
)
def test_finite_laws_are_mixed(step, rate):
    """The mixture written out as a discrete step costs the same, within both brackets."""
    pair = step.laws()[0]
    p, q = (np.exp(law) for law in (pair.log_p, pair.log_q))
    p, q = p / p.sum(), q / q.sum()
    written = DiscreteStep(p=tuple((rate * p + (1 - rate) * q).tolist()), q=tuple(q.tolist()))
    for delta in (0.3, 0.01, 1e-4):
        mine, listed = (Composition.repeat(each, 3) for each in (poisson(q=rate, step=step), written))
        exact = EnumerationAccountant().compose(listed).epsilon(delta)
        for accountant in (PldAccountant(), EnumerationAccountant()):
            found = accountant.compose(mine).epsilon(delta)
            assert found.lower <= exact.upper + 1e-9 and exact.lower <= found.upper + 1e-9
        assert found.upper == pytest.approx(exact.upper, rel=1e-9, abs=1e-9)


def test_a_mixture_of_gaussians_takes_one_more_part():
    inner = MixtureGaussianStep(weights=(0.25, 0.75), shifts=(1, 2), sigma=2)
    whole = MixtureGaussianStep(weights=(0.9, 0.025, 0.075), shifts=(0, 1, 2), sigma=2)
    one, other = (compose(Composition.repeat(each, 20)).epsilon(1e-5) for each in (poisson(q=0.1, step=inner), whole))
    assert one.upper == pytest.approx(other.upper, rel=1e-3)
    assert one.lower <= other.upper and other.lower <= one.upper


def test_samples_of_samples_are_samples():
    twice = poisson(q=0.5, step=PoissonLaplaceStep(q=0.4, scale=1))
    once = PoissonLaplaceStep(q=0.2, scale=1)
    one, other = (compose(Composition.repeat(each, 4)).epsilon(1e-5) for each in (twice, once))
    assert one.lower <= other.upper and other.lower <= one.upper
    assert twice.pure_epsilon() == pytest.approx(once.pure_epsilon(), rel=1e-9)


def test_discrete_gaussian_noise_of_many_values_is_gaussian():
    step = poisson(q=0.1, step=DiscreteGaussianStep(sigma=40, sensitivity=40))
    one, other = (
        compose(Composition.repeat(each, 5)).epsilon(1e-4) for each in (step, PoissonGaussianStep(q=0.1, sigma=1))
    )
    assert one.upper == pytest.approx(other.upper, rel=1e-2)


def test_bounds_of_epsilon_and_delta():
    pure, approx = poisson(q=0.1, step=PureStep(epsilon=2)), poisson(q=0.1, step=ApproxStep(epsilon=2, delta=1e-3))
    assert pure.pure_epsilon() == pytest.approx(math.log1p(0.1 * math.expm1(2)), rel=1e-12)
    assert pure.pure_epsilon() >= compose(Composition.of(pure)).epsilon(0).lower
    assert approx.approx() == pytest.approx((pure.pure_epsilon(), 1e-4), rel=1e-12)
    assert not isinstance(approx, HasPure) and not isinstance(pure, HasApprox) and not isinstance(approx, HasRenyi)
    for step in (pure, approx):  # the rule holds both ways
        epsilon, delta = approx.approx() if step is approx else (pure.pure_epsilon(), 0.0)
        assert compose(Composition.of(step)).delta(epsilon).lower <= delta
    huge = poisson(q=0.5, step=PureStep(epsilon=800)).pure_epsilon()
    assert (
        huge == pytest.approx(800 + math.log(0.5), rel=1e-12)
        and poisson(q=0, step=PureStep(epsilon=1)).pure_epsilon() == 0
    )


def test_a_step_of_which_a_curve_is_known():
    """Google's curve of zCDP is the Gaussian's at all orders; this one is as low at whole ones, and never below."""
    step = poisson(q=0.01, step=ZcdpStep(rho=0.5))
    assert not isinstance(step, HasPure) and PldAccountant().refuses(Composition.of(step)) is not None
    orders = np.array([2.0, 2.5, 9.0])
    gaussian = PoissonGaussianStep(q=0.01, sigma=1).renyi(orders)
    assert np.all(step.renyi(orders) >= gaussian * (1 - 1e-9))
    assert step.renyi(orders)[2] == pytest.approx(gaussian[2], rel=1e-7)
    found = account(Composition.repeat(step, 100), delta=1e-5, accountants=["rdp"])
    assert 1.214145 <= found.rows[0].bracket.upper <= 1.214145 * 1.01  # Google's, at orders between, too


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("poisson(q=1.5, step=laplace(scale=1))", "poisson: q = 1.5"),
        ("poisson(q=0.5, step=3)", "allowed: a step"),
        ("poisson(q=0.5)", "step"),
        ('poisson(q=0.5, step=laplace(scale=1), relation="labels")', "add-remove, replace"),
        ('poisson(q=0.5, step=pure(epsilon=1), relation="replace")', "gaussian or laplace under replace"),
        ("poisson(q=0.5, step=poisson-gaussian-replace(q=0.1, sigma=1))", "under add-remove neighbours"),
        ('poisson(q=0.5, step=noisy-btls-laplace(epsilon_1=1, epsilon_2=1), relation="replace")', "under replace"),
    ],
)
def test_what_is_not_known_is_refused_in_one_line(text, line):
    with pytest.raises(InputError) as refused:
        account(text)
    assert line in str(refused.value) and "\n" not in str(refused.value)
