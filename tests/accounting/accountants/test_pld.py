from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.accounting.accountants.enumeration import EnumerationAccountant
from dpverify.accounting.accountants.pld import PldAccountant, compose
from dpverify.accounting.steps.discrete import DiscreteStep
from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep
from dpverify.accounting.steps.guarantees import ApproxStep, NoOpStep, PureStep, RandomisedResponseStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition, Part
from dpverify.laws.density import GaussianLaw

exact = EnumerationAccountant()
GRID = 1 << 17  # points: enough here


def gdp(mu):
    place = {"scales": np.array(1.0)}
    return GaussianLaw(locations=np.array([mu]), **place).against(GaussianLaw(locations=np.zeros(1), **place))


def meets(bracket, truth):
    """Both contain the truth, so they meet."""
    return bracket.lower <= truth.upper and truth.lower <= bracket.upper


@pytest.mark.parametrize(
    ("q", "sigma", "steps", "golden", "room"),
    [
        (256 / 50000, 1.0, 11700, 3.134, 0.001),
        (0.01, 1.1, 10000, 5.1926, 5e-5),
        (256 / 50000, 8.5, 11700, 0.2149, 1e-4),
    ],
)
def test_known_values_to_one_percent(q, sigma, steps, golden, room):
    found = compose(Composition.repeat(PoissonGaussianStep(q=q, sigma=sigma), steps)).epsilon(1e-5)
    assert found.lower <= golden + room and golden - room <= found.upper
    assert found.upper == pytest.approx(golden, abs=room)
    assert found.width < 0.005
    assert "width" in found.note


@pytest.mark.parametrize(("sigma", "count"), [(10.0, 100), (0.1, 1), (3.0, 7), (1e4, 1), (1e-2, 2), (200.0, 11700)])
@pytest.mark.parametrize("delta", [0.2, 1e-5, 1e-30, 1e-120])
def test_gaussian_steps_bracket_the_closed_form(sigma, count, delta):
    found = compose(Composition.repeat(GaussianStep(sigma=sigma), count)).epsilon(delta)
    truth = gdp(math.sqrt(count) / sigma).epsilon(delta)
    assert found.lower <= truth.upper and truth.lower <= found.upper
    # The grid is as fine as the epsilon at delta = 1e-6 needs.
    scale = max(found.upper, gdp(math.sqrt(count) / sigma).epsilon(1e-6).value)
    assert found.upper - found.lower < 0.005 * scale


@given(st.lists(st.tuples(st.floats(0.2, 30), st.integers(1, 50)), min_size=1, max_size=3), st.floats(0, 12))
@settings(max_examples=12, deadline=None)
def test_delta_of_gaussian_steps(parts, epsilon):
    steps = Composition(parts=tuple(Part(step=GaussianStep(sigma=sigma), count=count) for sigma, count in parts))
    truth = gdp(math.sqrt(sum(count / sigma**2 for sigma, count in parts))).delta(epsilon)
    found = compose(steps, largest_grid=GRID).delta(epsilon)
    assert found.lower <= truth.upper and truth.lower <= found.upper
    assert found.width < 0.5 or truth.value < 1e-200


@st.composite
def finite_steps(draw):
    kind = draw(st.sampled_from(["discrete", "discrete", "response", "approx", "pure"]))
    if kind == "response":
        return RandomisedResponseStep(epsilon=draw(st.floats(0.01, 2)), size=draw(st.integers(2, 5)))
    if kind == "approx":
        return ApproxStep(epsilon=draw(st.floats(0.01, 1)), delta=draw(st.floats(1e-9, 1e-3)))
    if kind == "pure":
        return PureStep(epsilon=draw(st.floats(0.01, 2)))
    size = draw(st.integers(2, 4))
    rows = [draw(st.lists(st.integers(0, 20), min_size=size, max_size=size).filter(any)) for _ in range(2)]
    return DiscreteStep(
        **{name: tuple(Fraction(value, sum(row)) for value in row) for name, row in zip("pq", rows, strict=True)}
    )


@given(
    st.lists(st.tuples(finite_steps(), st.integers(1, 6)), min_size=1, max_size=3),
    st.sampled_from([0.0, 1e-9, 1e-5, 1e-2, 0.3]),
    st.floats(0, 5),
)
@settings(max_examples=settings.default.max_examples // 6, deadline=None)
def test_the_bracket_holds_exact_composition(parts, delta, epsilon):
    steps = Composition(parts=tuple(Part(step=step, count=count) for step, count in parts))
    if exact.refuses(steps):
        return
    found, truth = compose(steps, largest_grid=GRID), exact.compose(steps)
    assert meets(found.delta(epsilon), truth.delta(epsilon))
    assert meets(found.epsilon(delta), truth.epsilon(delta))


def test_many_equal_answers_against_enumeration():
    for step, count in [
        (RandomisedResponseStep(epsilon=0.1, size=2), 11700),
        (ApproxStep(epsilon=0.1, delta=1e-8), 100),
        (DiscreteStep(p=(0.2, 0.3, 0.5), q=(0.25, 0.35, 0.4)), 300),
    ]:
        steps = Composition.repeat(step, count)
        found, truth = compose(steps).epsilon(1e-5), exact.compose(steps).epsilon(1e-5)
        assert meets(found, truth)
        assert found.width < 0.005


def test_laplace_once_is_its_closed_form():
    # delta(epsilon) = 1 - e^((epsilon - 1) / 2)
    found = compose(Composition.of(LaplaceStep(scale=1.0)))
    for epsilon in (0.0, 0.3, 0.9, 0.99999):
        bracket = found.delta(epsilon)
        assert bracket.lower <= -math.expm1((epsilon - 1) / 2) * (1 + 1e-14)
        assert bracket.upper >= -math.expm1((epsilon - 1) / 2) * (1 - 1e-14)
        assert bracket.width < 0.01
    assert found.epsilon(0.0).upper == pytest.approx(1.0, rel=1e-12)
    assert found.delta(1.0001).upper == 0


def test_a_finer_grid_narrows_the_bracket():
    steps = Composition.repeat(PoissonGaussianStep(q=0.01, sigma=1.0), 500)
    widths = [compose(steps, width=width).epsilon(1e-6).width for width in (0.3, 0.03, 0.003, 0.0003)]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.0003 < widths[0]


def test_both_directions_count():
    """Add and remove differ for a Poisson sample; the bracket is of the worse, and holds each."""
    step = PoissonGaussianStep(q=0.2, sigma=0.7)
    found = compose(Composition.of(step))
    for epsilon in (0.05, 0.2, 1.0):
        each = [pair.delta(epsilon) for pair in step.laws()]
        assert each[0].value != pytest.approx(each[1].value, rel=0.01)
        worst = max(each, key=lambda one: one.value)
        bracket = found.delta(epsilon)
        assert bracket.lower <= worst.upper and worst.lower <= bracket.upper
        assert bracket.width < 0.02


@given(st.floats(1e-3, 0.5), st.floats(0.5, 8), st.integers(1, 3000), st.floats(1e-10, 0.1), st.floats(1.05, 3))
@settings(max_examples=6, deadline=None)
def test_monotone_in_everything(q, sigma, count, delta, factor):
    def cost(**changed):
        values = {"q": q, "sigma": sigma, "count": count} | changed
        step = PoissonGaussianStep(q=values["q"], sigma=values["sigma"])
        return compose(Composition.repeat(step, values["count"]), largest_grid=1 << 13)

    same = cost()
    base, surer = same.epsilon(delta), same.epsilon(delta / factor)
    others = (cost(q=min(q * factor, 1)), cost(count=count + 1), cost(sigma=sigma / factor))
    for more in (surer, *(one.epsilon(delta) for one in others)):
        assert base.lower <= more.upper
    assert surer.upper >= base.upper * (1 - 1e-6)


def test_nothing_costs_nothing_and_infinite_is_said():
    nothing = compose(Composition.repeat(NoOpStep(), 3))
    assert nothing.epsilon(0.0).upper == nothing.delta(0.0).upper == 0
    assert math.isinf(compose(Composition.of(GaussianStep(sigma=1.0))).epsilon(0.0).lower)
    certain = compose(Composition.repeat(ApproxStep(epsilon=0.1, delta=1e-6), 10)).epsilon(1e-6)
    assert math.isinf(certain.lower) and "inf" in certain.note


def test_losses_that_hardly_vary_end():
    """One certain loss beside an infinite one, or beside nothing: the grid must not shrink for ever."""
    for p, q in [((0.0, 0.0, 1.0), (0.0, 0.5, 0.5)), ((1.0, 0.0), (0.4, 0.6)), ((0.0, 0.5, 0.5), (0.0, 0.0, 1.0))]:
        steps = Composition.repeat(DiscreteStep(p=p, q=q), 6)
        found, truth = compose(steps), exact.compose(steps)
        for delta in (1e-6, 0.3):
            assert meets(found.epsilon(delta), truth.epsilon(delta))
        assert meets(found.delta(1.0), truth.delta(1.0))


def test_what_has_no_loss_is_refused_in_one_line():
    class Opaque:
        relation = "any"

        def text(self):
            return "opaque()"

    reason = PldAccountant().refuses(Composition.of(Opaque()))
    assert reason is not None and "opaque()" in reason and "\n" not in reason
