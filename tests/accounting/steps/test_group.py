"""Groups of records: chains of neighbours attain the bounds or stay below, DP-SGD's worst group by quadrature."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binom, norm

from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.side_by_side import account
from dpverify.accounting.steps.discrete_noise import DiscreteGaussianStep, DiscreteLaplaceStep
from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep
from dpverify.accounting.steps.group import group
from dpverify.accounting.steps.guarantees import ApproxStep, NoOpStep, PureStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition, HasLaws, HasPure
from dpverify.core.errors import InputError

EDGES = np.linspace(-15, 25, 40_001)


def hockey(p, q, epsilon):
    return float(np.sum(np.maximum(p - math.exp(epsilon) * q, 0.0)))


def test_noise_and_pure_guarantees_become_themselves():
    assert group(size=3, step=GaussianStep(sigma=2)) == GaussianStep(sigma=2, sensitivity=3)
    assert group(size=3, step=LaplaceStep(scale=2, sensitivity=0.5)) == LaplaceStep(scale=2, sensitivity=1.5)
    assert group(size=2, step=DiscreteGaussianStep(sigma=2)) == DiscreteGaussianStep(sigma=2, sensitivity=2)
    assert group(size=2, step=DiscreteLaplaceStep(scale=2)) == DiscreteLaplaceStep(scale=2, sensitivity=2)
    assert group(size=3, step=PureStep(epsilon=0.25)) == PureStep(epsilon=0.75)
    assert group(size=1, step=PoissonGaussianStep(q=0.1, sigma=1)) == PoissonGaussianStep(q=0.1, sigma=1)
    assert group(size=9, step=NoOpStep()) == NoOpStep()


def test_responses_in_a_row_attain_the_pure_bound():
    chain = [1 / (1 + math.exp(-0.5 * step)) for step in range(-3, 4, 2)]
    for one, other in pairwise(chain):
        assert max(one / other, (1 - one) / (1 - other), other / one, (1 - other) / (1 - one)) <= math.exp(1.0) + 1e-9
    ratio = max(math.log(chain[-1] / chain[0]), math.log((1 - chain[0]) / (1 - chain[-1])))
    assert ratio == pytest.approx(1.5 + math.log((1 + math.exp(1.5)) / (1 + math.exp(1.5))), rel=1e-6)


def test_delta_grows_as_chains_of_neighbours_let_it():
    """The worst chain of (epsilon, delta)-neighbours on two outcomes: p becomes min(1, e^epsilon p + delta)."""
    step = group(size=4, step=ApproxStep(epsilon=0.3, delta=1e-3))
    epsilon, delta = step.approx()
    assert epsilon == pytest.approx(1.2) and not isinstance(step, HasPure | HasLaws)
    for start in (0.0, 0.01, 0.1):
        p = start
        for _ in range(4):
            p = min(1.0, math.exp(0.3) * p + 1e-3)
        assert p <= math.exp(epsilon) * start + delta + 1e-15
        assert start or p == pytest.approx(delta, rel=1e-12)  # attained from an event of probability 0


@pytest.mark.parametrize(("q", "sigma"), [(0.3, 1.0), (0.05, 0.6)])
def test_no_group_costs_dp_sgd_more_than_one_that_moves_one_way(q, sigma):
    step = group(size=2, step=PoissonGaussianStep(q=q, sigma=sigma))
    still = np.diff(norm.cdf(EDGES / sigma))

    def law(first, second):
        parts = ((1 - q) ** 2, 0.0), (q * (1 - q), first), (q * (1 - q), second), (q * q, first + second)
        return sum(weight * np.diff(norm.cdf((EDGES - at) / sigma)) for weight, at in parts)

    for epsilon in (0.1, 0.7, 2.0):
        found = compose(Composition.of(step)).delta(epsilon)
        worst = max(hockey(law(1, 1), still, epsilon), hockey(still, law(1, 1), epsilon))
        assert found.lower - 1e-7 <= worst <= found.upper + 1e-7
        for first, second in ((1, 0), (1, -1), (0.5, 1), (1, 0.9), (-0.3, -1)):
            moved = law(first, second)
            assert max(hockey(moved, still, epsilon), hockey(still, moved, epsilon)) <= found.upper + 1e-7


def test_weights_of_a_group_are_binomial():
    mixture = group(size=5, step=PoissonGaussianStep(q=0.2, sigma=3))._mixture()
    assert mixture.shifts == (0, 1, 2, 3, 4, 5) and mixture.sigma == 3
    assert mixture.weights == pytest.approx(binom.pmf(np.arange(6), 5, 0.2), rel=1e-12)
    assert group(size=3, step=PoissonGaussianStep(q=0.2, sigma=3)).relation == "add-remove"


def test_the_curve_of_a_group_is_above_its_laws_and_near_at_small_orders():
    step = group(size=3, step=PoissonGaussianStep(q=0.02, sigma=2))
    for order in (1.5, 2.0, 8.0):
        exact = max(pair.renyi(order).value for pair in step._mixture().laws())
        bound = float(step.renyi(np.array([order]))[0])
        assert exact * (1 - 1e-9) <= bound and (order > 2 or bound <= 2.5 * exact)
    for q in (0, 1):
        sure = group(size=3, step=PoissonGaussianStep(q=q, sigma=2)).renyi(np.array([2.0]))
        assert sure == pytest.approx(9 / 4 * q, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("group(size=0, step=laplace(scale=1))", "group: size = 0"),
        ("group(size=2.5, step=laplace(scale=1))", "a whole number in [1, 64]"),
        ("group(size=2, step=randomised-response(epsilon=1))", "gaussian, laplace, discrete-gaussian"),
        ("group(size=2, step=7)", "allowed: a step"),
        ("group(size=64, step=approx(epsilon=2, delta=0.001))", "a delta below 1"),
        ("group(size=2, step=poisson-gaussian-replace(q=0.1, sigma=1))", "gaussian, laplace"),
    ],
)
def test_what_is_not_known_is_refused_in_one_line(text, line):
    with pytest.raises(InputError) as refused:
        account(text)
    assert line in str(refused.value) and "\n" not in str(refused.value)
