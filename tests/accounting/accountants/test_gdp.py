from __future__ import annotations

import math

import flint
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.accounting.accountants.gdp import GdpAccountant
from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep
from dpverify.accounting.steps.guarantees import NoOpStep
from dpverify.core.composition import Composition, Part
from dpverify.laws.balls import working_precision
from dpverify.laws.density import GaussianLaw
from dpverify.laws.epsilon_at_delta import proved_epsilon

gdp = GdpAccountant()


def joint(mus):
    """The law of all outputs at once: one shifted coordinate per step."""
    moved = GaussianLaw(locations=np.array(mus), scales=np.array(1.0))
    return moved.against(GaussianLaw(locations=np.zeros(len(mus)), scales=np.array(1.0)))


@given(st.lists(st.floats(0.01, 3), min_size=1, max_size=6), st.floats(1e-12, 0.5), st.floats(0, 10))
def test_the_bracket_holds_the_law_of_all_outputs(mus, delta, epsilon):
    cost = gdp.compose(Composition.of(*(GaussianStep(sigma=1, sensitivity=mu) for mu in mus)))
    pair = joint(mus)
    exact, found = pair.delta(epsilon), cost.delta(epsilon)
    assert found.lower <= exact.upper and exact.lower <= found.upper
    assert found.width < 1e-10 or found.upper < 1e-300
    proof = proved_epsilon(pair.delta_ball, delta, near=pair.epsilon(delta).value)
    bracket = cost.epsilon(delta)
    assert bracket.lower <= proof.lower and proof.upper <= bracket.upper
    assert bracket.upper - bracket.lower < 1e-9 * (1 + bracket.upper)
    assert cost.delta(bracket.upper).upper <= delta


@given(st.integers(2, 1000), st.floats(0.01, 300), st.floats(0, 1))
def test_the_bracket_holds_the_profile_in_balls_far_out(count, mu, share):
    """At 36 standard deviations and mu = 1000 a rounding of mu moves delta 40,000 times as far, relatively."""
    cost = gdp.compose(Composition.repeat(GaussianStep(sigma=1, sensitivity=mu), count))
    total = mu * math.sqrt(count)
    epsilon = total * (total / 2 + 36 * share)
    found = cost.delta(epsilon)
    with working_precision():
        square = count * flint.arb(mu) ** 2
        root, half = square.sqrt(), flint.arb(2).sqrt()
        near, far = ((epsilon / root - side * root / 2) / half for side in (1, -1))
        exact = (near.erfc() - flint.arb(epsilon).exp() * far.erfc()) / 2
        assert flint.arb(found.lower) <= exact <= flint.arb(found.upper)


def test_mu_is_the_root_of_the_sum_of_squares():
    parts = (Part(step=GaussianStep(sigma=2), count=4), Part(step=GaussianStep(sigma=1)), Part(step=NoOpStep()))
    assert gdp.compose(Composition(parts=parts)) == gdp.compose(
        Composition.of(GaussianStep(sigma=1, sensitivity=math.sqrt(2)))
    )


def test_other_steps_are_refused():
    assert gdp.refuses(Composition.of(LaplaceStep(scale=1))) == "laplace(scale=1, sensitivity=1) does not offer `mu`"


@pytest.mark.parametrize("mu", [1e-150, 1e-6, 1e3, 1e100])
def test_extremes(mu):
    cost = gdp.compose(Composition.of(GaussianStep(sigma=1, sensitivity=mu)))
    assert cost.epsilon(0).lower == math.inf
    for delta in (5e-324, 1e-300, 1e-5, 1 - 1e-12):
        bracket = cost.epsilon(delta)
        assert 0 <= bracket.lower <= bracket.upper
        assert mu > 1 or bracket.upper < 1e-3
    for epsilon in (0.0, 1.0, 1e300):
        bracket = cost.delta(epsilon)
        assert 0 <= bracket.lower <= bracket.upper <= 1


def test_squares_that_underflow_still_count():
    one = gdp.compose(Composition.of(GaussianStep(sigma=1e160))).delta(0).upper
    four = gdp.compose(Composition.repeat(GaussianStep(sigma=1e160), 4)).delta(0).upper
    assert four == pytest.approx(2 * one) and one > 0
