"""The best of a random number of runs: finite mechanisms enumerated, a peer's values, the law of the number."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.accounting.side_by_side import account
from dpverify.accounting.steps.discrete import DiscreteStep
from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep
from dpverify.accounting.steps.guarantees import PureStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.accounting.steps.repeat_and_select import _less, repeat_and_select
from dpverify.core.composition import HasPure
from dpverify.core.errors import InputError

ORDERS = np.array([1.05, 1.5, 2.0, 4.0, 12.5, 80.0])


def numbers(mean, shape):
    """P(K = k), k = 0, 1, ..., by their recursion; cut where nothing is left."""
    if shape == "poisson":
        logs = [k * math.log(mean) - mean - math.lgamma(k + 1) for k in range(600)]
        return np.exp(logs)
    rest = -math.expm1(-_less(mean, shape))  # 1 - g
    masses = [0.0, 1.0]
    for k in range(1, 4000):
        masses.append(masses[-1] * rest * (k + shape) / (k + 1))
    return np.array(masses) / sum(masses)


def best_of(law, weights):
    """The law of the largest outcome; none at all comes last."""
    below = np.concatenate([[0.0], np.cumsum(law)])
    generating = np.polynomial.polynomial.polyval(below, weights)
    return np.concatenate([np.diff(generating), [weights[0]]])


def renyi(p, q, order):
    p, q = p[(p > 0) & (q > 0)], q[(p > 0) & (q > 0)]
    return float(np.logaddexp.reduce(np.log(p) + (order - 1) * (np.log(p) - np.log(q)))) / (order - 1)


@pytest.mark.parametrize("shape", [0, 0.5, 1, 3, "poisson"])
@pytest.mark.parametrize("mean", [1.5, 10])
@pytest.mark.parametrize(
    ("p", "q"), [((0.5, 0.3, 0.2), (0.2, 0.3, 0.5)), ((0.97, 0.03), (0.9, 0.1)), ((0.25,) * 4, (0.2, 0.3, 0.2, 0.3))]
)
def test_no_finite_mechanism_costs_more(p, q, mean, shape):
    step = repeat_and_select(step=DiscreteStep(p=p, q=q), mean=mean, shape=shape)
    weights = numbers(mean, shape)
    bounds = step.renyi(ORDERS)
    for one, other in ((p, q), (q, p), (p[::-1], q[::-1]), (q[::-1], p[::-1])):
        first, second = best_of(np.array(one), weights), best_of(np.array(other), weights)
        for order, bound in zip(ORDERS, bounds, strict=True):
            assert renyi(first, second, order) <= bound + 1e-9


@pytest.mark.parametrize("shape", [0, 1e-3, 0.5, 1, 4.0])
@pytest.mark.parametrize("mean", [1.001, 2, 50])
def test_the_number_of_runs_has_the_mean_that_was_asked(mean, shape):
    weights = numbers(mean, shape)
    assert float(weights @ np.arange(weights.size)) == pytest.approx(mean, rel=1e-6)
    if shape == 1:
        assert _less(mean, shape) == pytest.approx(math.log(mean), rel=1e-8)
    assert _less(1.0, shape) == 0


@pytest.mark.parametrize(("shape", "golden"), [(0, 1.784136), (1, 2.153654)])
def test_a_little_below_the_values_of_dp_accounting(shape, golden):
    """On its grid of orders; ours are real. One run costs 1.012551 there."""
    found = account(f"repeat-and-select(step=gaussian(sigma=4), mean=10, shape={shape})", delta=1e-5)
    upper = next(row.bracket.upper for row in found.rows if row.accountant == "rdp")
    assert golden * (1 - 5e-4) <= upper <= golden
    once = account("repeat-and-select(step=gaussian(sigma=4), mean=1)", delta=1e-5, accountants=["rdp"])
    assert once.rows[0].bracket.upper >= 1.012551 * (1 - 5e-4)


def test_the_pure_bound_is_two_and_the_shape_times_epsilon():
    step = repeat_and_select(step=LaplaceStep(scale=4), mean=20, shape=0.5)
    assert step.pure_epsilon() == pytest.approx(2.5 / 4, rel=1e-11)
    assert np.all(step.renyi(ORDERS) <= step.pure_epsilon())
    assert not isinstance(repeat_and_select(step=PureStep(epsilon=1), mean=2, shape="poisson"), HasPure)
    assert not isinstance(repeat_and_select(step=GaussianStep(sigma=1), mean=2), HasPure)


def test_it_holds_under_the_relation_of_the_inner_step():
    step = repeat_and_select(step=PoissonGaussianStep(q=0.01, sigma=1), mean=3)
    assert step.relation == "add-remove" and repeat_and_select(step=PureStep(epsilon=1), mean=3).relation == "any"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("repeat-and-select(step=gaussian(sigma=4), mean=0.5)", "mean = 0.5"),
        ("repeat-and-select(step=gaussian(sigma=4), mean=2, shape=-0.5)", '"poisson"'),
        ('repeat-and-select(step=gaussian(sigma=4), mean=2, shape="binomial")', "shape"),
        ("repeat-and-select(step=approx(epsilon=1, delta=0.1), mean=2)", "a step with a Renyi curve"),
        ("repeat-and-select(step=2, mean=2)", "allowed: a step"),
        ("repeat-and-select(mean=2)", "step"),
    ],
)
def test_what_is_not_known_is_refused_in_one_line(text, line):
    with pytest.raises(InputError) as refused:
        account(text)
    assert line in str(refused.value) and "\n" not in str(refused.value)
