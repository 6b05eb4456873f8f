"""Renyi divergences of compositions at given orders: closed forms, both orders of the neighbours, what is not known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.accounting.accountants.enumeration import EnumerationAccountant
from dpverify.accounting.renyi_points import renyi_points
from dpverify.accounting.steps.discrete import DiscreteStep
from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep, MixtureStep
from dpverify.accounting.steps.group import group
from dpverify.accounting.steps.guarantees import ApproxStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.accounting.steps.truncated_poisson import truncated_poisson
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError


def test_gaussian_noise_costs_order_over_twice_sigma_squared():
    found = renyi_points(Composition.repeat(GaussianStep(sigma=2), 6), [8, 1.5])
    assert list(found) == [8.0, 1.5]
    for order, point in found.items():
        assert point.lower <= 6 * order / 8 <= point.upper and point.width < 1e-11 and not point.note


def test_the_same_order_of_the_neighbours_counts_for_all_steps():
    """The one step is worse one way, the other the other way: the lower end adds one way, the upper both worse."""
    one, other = DiscreteStep(p=(0.9, 0.1), q=(0.5, 0.5)), DiscreteStep(p=(0.5, 0.5), q=(0.9, 0.1))
    both = Composition.of(one, other)
    point, exact = renyi_points(both, [3.0])[3.0], EnumerationAccountant().compose(both).renyi(3.0)
    assert point.lower == pytest.approx(exact.lower, rel=1e-9) and point.lower <= exact.upper
    worse = max(pair.renyi(3.0).value for pair in one.laws())
    assert point.upper == pytest.approx(2 * worse, rel=1e-9) and point.upper > 1.05 * point.lower


def test_the_laws_count_where_there_is_no_curve():
    infinite = renyi_points(Composition.of(ApproxStep(epsilon=1, delta=0.1)), [2.0])[2.0]
    assert infinite.lower == infinite.upper == math.inf  # what one law alone produces
    finite = renyi_points(Composition.repeat(ApproxStep(epsilon=1, delta=0), 2), [2.0])[2.0]
    p = math.e / (1 + math.e)
    assert finite.lower <= 2 * math.log(p * math.e + (1 - p) / math.e) <= finite.upper and finite.width < 1e-9


def test_a_bound_and_dp_sgd_have_both_ends_where_laws_are_known():
    step = PoissonGaussianStep(q=0.1, sigma=1)
    for order, point in renyi_points(Composition.repeat(step, 10), [2.0, 2.7, 20.0]).items():
        assert 0 < point.lower <= point.upper <= 10 * step.renyi(np.array([order]))[0] * (1 + 1e-11)
        assert point.width < 1e-6


def test_what_is_not_known_is_said():
    mixture = MixtureStep(weights=(1,), shifts=(1,), sigma=1)
    point = renyi_points(Composition.of(LaplaceStep(scale=1), mixture), [2.0])[2.0]
    assert point.lower == 0 < point.upper < math.inf and "no lower end" in point.note
    cut = truncated_poisson(records=10, q=0.5, most=3, step=GaussianStep(sigma=1))
    assert renyi_points(Composition.of(cut), [2.0])[2.0].lower == 0
    nothing = renyi_points(Composition.of(group(size=2, step=ApproxStep(epsilon=1, delta=0.01))), [2.0])[2.0]
    assert nothing.upper == math.inf and "has no Renyi curve" in nothing.note
    for order in (1.0, math.inf, math.nan):
        with pytest.raises(InputError, match="order"):
            renyi_points(Composition.of(LaplaceStep(scale=1)), [order])
