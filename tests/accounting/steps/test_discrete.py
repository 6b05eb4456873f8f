from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.accounting.steps.discrete import DiscreteStep
from dpverify.core.errors import InputError

weights = st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any)


def law(counts):
    return tuple(Fraction(count, sum(counts)) for count in counts)


@given(weights, weights, st.floats(1.01, 50))
def test_the_curve_by_the_definition_in_the_worse_direction(p, q, order):
    p, q = law(p), law(q)

    def divergence(p, q):
        if any(a and not b for a, b in zip(p, q, strict=True)):
            return math.inf
        terms = [float(a) ** order * float(b) ** (1 - order) for a, b in zip(p, q, strict=True) if a]
        return math.log(math.fsum(terms)) / (order - 1)

    truth = max(divergence(p, q), divergence(q, p))
    found = DiscreteStep(p=p, q=q).renyi(np.array([order]))[0]
    assert found == pytest.approx(truth, rel=1e-9, abs=1e-12 / (order - 1))
    assert found >= truth - 1e-14 / (order - 1)


@given(weights, weights)
def test_the_bound_holds_and_its_delta_is_needed(p, q):
    step = DiscreteStep(p=law(p), q=law(q))
    epsilon, delta = step.approx()
    for pair in step.laws():
        assert pair.delta(epsilon).lower <= delta
    assert max(pair.delta(math.inf).upper for pair in step.laws()) >= delta * (1 - 1e-12)


def test_numbers_are_the_decimals_that_they_print_as():
    step = DiscreteStep(p=(0.1, 0.9), q=("1/3", "2/3"))
    assert step.p == (Fraction(1, 10), Fraction(9, 10))
    assert step.text() == "discrete(p=(0.1, 0.9), q=(1/3, 2/3))"
    assert step == DiscreteStep(p=("1/10", "9/10"), q=(Fraction(1, 3), Fraction(2, 3)))
    assert DiscreteStep(p=(np.float64(0.1), 0.9), q=(0.5, 0.5)).p[0] == Fraction(1, 10)
    assert hash(step) == hash(DiscreteStep(p=step.p, q=step.q))


def test_directions():
    step = DiscreteStep(p=(0.01, 0.99, 0), q=(0, 0.98, 0.02))
    assert [pair.delta(math.inf).value for pair in step.laws()] == pytest.approx([0.01, 0.02])
    assert step.approx() == (pytest.approx(math.log(99 / 98)), 0.02)
    assert DiscreteStep(p=(0.5, 0.5), q=(0.5, 0.5)).approx() == (0, 0)
    assert np.array_equal(DiscreteStep(p=(0.5, 0.5), q=(0.5, 0.5)).renyi(np.array([1.001, 2])), [0, 0])


def test_the_largest_ratio_is_rounded_up():
    epsilon, _ = DiscreteStep(p=("1/3", "2/3"), q=("1/4", "3/4")).approx()
    assert math.exp(math.nextafter(epsilon, 0)) <= 4 / 3 * (1 + 1e-15)
    assert epsilon >= math.log1p(1 / 3) and epsilon == pytest.approx(math.log(4 / 3), rel=1e-15)


@pytest.mark.parametrize("outside", [Fraction(1, 3), Fraction(1, 10), Fraction(2, 7), Fraction(1, 2)])
@pytest.mark.parametrize("alike", [False, True])
def test_the_mass_outside_is_rounded_up(outside, alike):
    """Beside an outcome as likely under both laws, and beside two that are not."""
    rest = 1 - outside
    p, q = (outside, rest, 0), (0, rest, outside) if alike else (0, rest / 4, 1 - rest / 4)
    epsilon, delta = DiscreteStep(p=p, q=q).approx()
    beyond = outside if alike else 1 - rest / 4
    assert Fraction(math.nextafter(delta, 0)) < beyond <= Fraction(delta)
    assert (epsilon == 0) is alike


@pytest.mark.parametrize(
    "laws",
    [
        ((0.5, 0.4), (0.5, 0.5)),
        ((0.5, 0.5), (0.5, 0.25, 0.25)),
        ((-0.5, 1.5), (0.5, 0.5)),
        ((), ()),
        ("0.5", (0.5,)),
        ((math.nan, 1), (0.5, 0.5)),
        ((math.inf, 1), (0.5, 0.5)),
        (("1/0", 1), (0.5, 0.5)),
        ((None, 1), (0.5, 0.5)),
        (3, (1,)),
    ],
)
def test_bad_laws_are_refused(laws):
    with pytest.raises(InputError, match="allowed"):
        DiscreteStep(p=laws[0], q=laws[1])
