"""Proved numbers from noisy values: closed forms, an independent quadrature for events, and sides of errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from auditors.privacy.event_bounds import Goal
from auditors.privacy.replay.laws import (
    ProvedPoint,
    allowance,
    bound_by_difference,
    bound_by_laws,
    bound_by_orthant,
    bound_by_scales,
    first_values,
    loss,
)
from dpverify.core.subjects import Pair
from dpverify.core.transcript import Step
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import ApproxDP, PureDP

PAIR = Pair(d0=np.array([0.5, 1.0]), d1=np.array([0.5]))


def noisy(clean, scale, *, law="laplace", value=None, call=1) -> Step:
    clean = np.atleast_1d(np.asarray(clean, dtype=float))
    seen = clean if value is None else np.atleast_1d(np.asarray(value, dtype=float))
    widths = np.broadcast_to(np.asarray(scale, dtype=float), clean.shape).copy()
    return Step(kind="noisy", name="x", law=law, clean=clean, scale=widths, value=seen, call=call)


def two(first, second, scale=1.0, *, law="laplace", value=None, call=1) -> tuple[Step, Step]:
    return noisy(first, scale, law=law, value=value, call=call), noisy(second, scale, law=law, value=value, call=call)


@pytest.mark.parametrize("moves", [[1.0], [0.5, -0.25], [0.1] * 20])
def test_laplace_values_add_up(moves) -> None:
    goal, pairs = Goal(guarantee=PureDP(epsilon=0.3)), [two(np.zeros(len(moves)), moves, 2.0)]
    said = bound_by_laws(goal, first_values(PAIR, pairs))
    truth = sum(map(abs, moves)) / 2.0
    assert said.value.proved
    assert truth * (1 - 1e-9) <= said.value.lower <= truth


def test_gaussian_values_by_their_exact_profile() -> None:
    goal = Goal(guarantee=ApproxDP(epsilon=1.0, delta=1e-5))
    said = bound_by_laws(goal, first_values(PAIR, [two([0.0, 0.0], [0.6, 0.8], law="gaussian")]))
    assert said.measure.kind == "delta" or said.value.lower == pytest.approx(4.377178, abs=1e-5)  # field: mu = 1
    assert said.excess > 0
    assert said.value.proved


def test_what_comes_later_is_not_of_the_first_law() -> None:
    pairs = [two(0.0, 1.0, call=1), two(0.0, 1.0, call=2)]
    said = bound_by_laws(Goal(guarantee=PureDP(epsilon=1.5)), first_values(PAIR, pairs))
    assert said.value.value == pytest.approx(1.0)
    assert loss(PAIR, [two(0.0, -1.0, value=3.0), two(0.0, -1.0, value=3.0, call=2)]).value == pytest.approx(2.0)


def test_the_loss_of_a_history() -> None:
    assert loss(PAIR, [two(0.0, -1.0, 2.0, value=0.25)]).value == pytest.approx(0.5)
    assert loss(PAIR, [two(0.0, 1.0, 1.0, value=0.5)]).value == pytest.approx(0.0, abs=1e-12)
    assert loss(PAIR, [two(0.0, 1.0, 1.0, value=4.0)]).value == 0.0  # no epsilon is less
    assert loss(PAIR, [two(0.0, 1.0, law="gaussian")]).value == math.inf
    assert loss(PAIR, [two(0.0, 0.0, law="gaussian")]).value == pytest.approx(0.0)
    assert loss(PAIR, [(noisy(0.0, 1.0), noisy(0.0, 1.5))]).value == math.inf
    other = two(0.0, 5.0, law="other")
    assert loss(PAIR, [other, two(0.0, -9.0, value=1.0)]).value == pytest.approx(0.0)  # what follows it is left out


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
@pytest.mark.parametrize("direction", [0, 1])
def test_two_scales_give_a_proved_event(law, direction) -> None:
    """The bound lies below the true delta(epsilon), which quadrature gives, and not far below."""
    sides = [noisy(0.3, 1.0, law=law), noisy(0.0, 1.6, law=law)]
    first, second = sides if direction == 0 else sides[::-1]
    family = stats.norm if law == "gaussian" else stats.laplace
    grid = np.linspace(-60, 60, 2_000_001)
    p, q = (family.pdf(grid, step.clean[0], step.scale[0]) for step in (first, second))
    both = [np.maximum(one - math.exp(0.1) * other, 0.0).sum() for one, other in ((p, q), (q, p))]
    truth = max(both) * (grid[1] - grid[0])
    goal = Goal(guarantee=ApproxDP(epsilon=0.1, delta=0.5 * truth))
    said = bound_by_scales(goal, [(first, second)], direction)
    assert said is not None
    assert said.excess > 0
    assert said.value.proved
    exceeded = Goal(guarantee=ApproxDP(epsilon=0.1, delta=min(1.001 * truth, 0.99)))
    held = bound_by_scales(exceeded, [(first, second)], direction)
    assert held is not None
    assert held.excess <= 0


def test_one_scale_gives_none() -> None:
    assert bound_by_scales(Goal(guarantee=PureDP(epsilon=1.0)), [two(0.0, 1.0)], 0) is None


def test_orthants_of_laplace_values() -> None:
    goal = Goal(guarantee=ApproxDP(epsilon=1.0, delta=1e-5))
    said = bound_by_orthant(goal, PAIR, [two([0.0, 0.0], [1.0, -1.0])], 0)
    assert said is not None
    assert said.value.value == pytest.approx(math.log((0.25 - 1e-5) / (0.25 * math.exp(-2.0))), rel=1e-9)
    assert bound_by_orthant(goal, PAIR, [two(0.0, 0.0)], 0) is None
    single = bound_by_orthant(goal, PAIR, [two(0.0, 1.0)], 0)
    assert single is not None
    assert single.excess <= 0


def test_certain_differences() -> None:
    assert bound_by_difference(Goal(guarantee=GDP(mu=1.0)), 0.2, 0, "x").value.value == math.inf
    approx = Goal(guarantee=ApproxDP(epsilon=1.0, delta=0.3))
    assert bound_by_difference(approx, 0.2, 0, "x").excess < 0
    assert bound_by_difference(approx, 0.4, 0, "x").excess > 0
    assert ProvedPoint(p=0.5, q=0.25).minimum(lambda p, q: p - q) == 0.25


def test_the_allowance_grows_with_the_numbers() -> None:
    small, large = (allowance(Pair(d0=[x, 1.0], d1=[x]), *two(x, x + 1.0))[0] for x in (1.0, 1e12))
    assert 0 < small < 1e-12
    assert 1e-3 < large < 1e2
