"""The best order of a Gaussian composition by hand, and order infinity."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from dpverify.accounting.renyi_composed import SummedCurve, classic_cost, tight_cost
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.guarantees import PureStep
from dpverify.core.composition import Composition, Part


@pytest.mark.parametrize(("sigma", "count", "delta"), [(1.0, 1, 1e-5), (8.5, 100, 1e-9), (0.5, 7, 0.01)])
def test_the_classic_conversion_at_its_best_order(sigma, count, delta):
    rho = count / (2 * sigma**2)  # tau = alpha rho: the least of it is rho + 2 sqrt(rho log(1/delta))
    closed = rho + 2 * math.sqrt(rho * -math.log(delta))
    steps = Composition.repeat(GaussianStep(sigma=sigma), count)
    assert classic_cost(steps).epsilon(delta).upper == pytest.approx(closed, rel=1e-9)
    assert tight_cost(steps).epsilon(delta).upper < closed
    assert classic_cost(steps).delta(closed).upper == pytest.approx(delta, rel=1e-6)


def test_order_infinity():
    steps = Composition.repeat(PureStep(epsilon=0.5), 3)
    assert tight_cost(steps).epsilon(0.0).upper == classic_cost(steps).epsilon(0.0).upper == 1.5
    assert tight_cost(steps).delta(1.5).upper == 0
    assert tight_cost(Composition.repeat(GaussianStep(sigma=1.0), 1)).epsilon(0.0).upper == math.inf
    assert classic_cost(steps, infinity=False).epsilon(0.0).upper == math.inf
    assert classic_cost(Composition(), infinity=False).epsilon(1e-5).upper == 0


ORDERS = np.array([1.5, 2.0, 64.0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """A step whose class sums on its own, and counts the calls."""

    cost: float
    calls = []  # noqa: RUF012

    relation = "any"

    def text(self):
        return "together()"

    def renyi(self, orders):
        raise AssertionError("the class sums")

    @classmethod
    def renyi_sum(cls, steps, counts, orders):
        cls.calls.append(len(steps))
        return sum(step.cost * count for step, count in zip(steps, counts, strict=True)) * orders


def test_curves_add():
    composition = Composition(
        parts=(
            Part(step=GaussianStep(sigma=2), count=3),
            Part(step=PureStep(epsilon=0.5)),
            Part(step=PureStep(epsilon=1)),
        )
    )
    by_hand = 3 * ORDERS / 8 + PureStep(epsilon=0.5).renyi(ORDERS) + PureStep(epsilon=1).renyi(ORDERS)
    assert SummedCurve(composition=composition)(ORDERS) == pytest.approx(by_hand, rel=1e-14)


def test_many_different_steps_add_up_with_little_rounding():
    sigmas = np.random.default_rng(1).uniform(1, 3, size=5000).tolist()
    curve = SummedCurve(composition=Composition.of(*(GaussianStep(sigma=sigma) for sigma in sigmas)))
    exact = math.fsum(1 / (2 * sigma * sigma) for sigma in sigmas)
    assert curve(np.array([2.0]))[0] == pytest.approx(2 * exact, rel=1e-14)


def test_a_class_that_sums_is_asked_once_and_orders_are_remembered():
    Together.calls.clear()
    parts = tuple(Part(step=Together(cost=cost), count=2) for cost in (1.0, 2.0, 3.0))
    curve = SummedCurve(composition=Composition(parts=(*parts, Part(step=GaussianStep(sigma=1)))))
    assert curve(ORDERS) == pytest.approx(12.5 * ORDERS)
    assert np.array_equal(curve(ORDERS[::-1]), curve(ORDERS)[::-1])
    assert Together.calls == [3]
    curve(np.array([2.0, 7.0]))
    assert Together.calls == [3, 3]


def test_nothing_and_infinity():
    assert np.array_equal(SummedCurve(composition=Composition())(ORDERS), np.zeros(3))
    loud = SummedCurve(composition=Composition.repeat(GaussianStep(sigma=1e-150), 10**10))
    assert np.array_equal(loud(ORDERS), np.full(3, math.inf))
