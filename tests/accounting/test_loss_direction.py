"""One direction alone, against closed forms: normal noise, a mass at +inf, an infinite loss; and finer grids."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from dpverify.accounting.loss_direction import (
    LARGEST_GRID,
    WIDTH,
    Direction,
    certain,
    infinite_mass,
    largest,
    root,
    settled_above,
    settled_below,
    spacing,
)
from dpverify.accounting.loss_grid import GridLaw
from dpverify.accounting.loss_sources import FiniteLoss, GaussianLoss, LaplaceLoss
from dpverify.accounting.loss_sum import add

with np.errstate(divide="ignore"):
    TENTH = FiniteLoss(log_p=np.log([0.9, 0.1]), log_q=np.log([1.0, 0.0]), error=0.0)  # a tenth at +inf
    ALWAYS = FiniteLoss(log_p=np.log([0.0, 1.0]), log_q=np.log([1.0, 0.0]), error=0.0)


def refined(losses, width=WIDTH):
    return Direction.refined(losses, width=width, largest_grid=LARGEST_GRID, floor=0.0)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_normal_noise(epsilon):
    mu = 0.3 * math.sqrt(10)
    truth = norm.sf(epsilon / mu - mu / 2) - math.exp(epsilon) * norm.sf(epsilon / mu + mu / 2)
    one = refined(((GaussianLoss(mu=0.3), 10),))
    low, high = one.delta(epsilon)
    assert low <= truth <= high <= low * 1.01
    low, high = one.epsilon(truth)
    assert low <= epsilon + 1e-9 and epsilon - 1e-9 <= high <= low + 0.01


def test_a_narrower_bracket_takes_a_finer_grid():
    grids = [refined(((GaussianLoss(mu=0.05), 400),), width=width).h for width in (0.1, 1e-3, 1e-5)]
    assert grids == sorted(grids, reverse=True)
    assert grids[-1] < grids[0]


def test_infinite_losses():
    one = refined(((TENTH, 2),))
    low, high = one.delta(0.5)
    assert low <= 1 - 0.9**2 <= high <= low * 1.01
    assert one.epsilon(0.1) == (math.inf, math.inf)
    assert one.epsilon(0.2)[1] == 0
    certain = refined(((ALWAYS, 1), (TENTH, 2)))
    assert certain.delta(3.0) == (1.0, 1.0)
    assert certain.epsilon(0.9) == (math.inf, math.inf)


LAW = GridLaw(first=-1, h=1.0, offset=0.0, p=np.array([0.25, 0.0, 0.75]), infinite=0.0, relative=0.0)
TOTAL = add(((LAW, 1),), 0.0)
DELTAS = (0.01, 0.1, 0.3, 0.47)
deltas = pytest.mark.parametrize("delta", DELTAS)


def truth(delta):
    return 1 + math.log1p(-delta / 0.75)


@deltas
def test_the_root(delta):
    assert root(lambda at: TOTAL.delta(at)[1], delta, TOTAL) == pytest.approx(truth(delta), abs=1e-9)


def test_a_curve_that_starts_below_has_its_root_at_0():
    assert root(lambda at: TOTAL.delta(at)[1], 0.6, TOTAL) == 0


def test_a_curve_that_never_falls_has_none():
    assert root(lambda at: 0.5, 0.1, TOTAL) == math.inf
    assert settled_above(TOTAL, 0.1, math.inf) == math.inf
    assert settled_below(TOTAL, 0.1, math.inf) == 0


@deltas
@pytest.mark.parametrize("missed", [-1e-3, -1e-9, 0.0, 1e-9, 1e-3])
def test_both_ends_are_on_the_side_they_are_said_to_be(delta, missed):
    """Whatever the root's error: what is returned was seen to hold, and lies no farther off than five times that."""
    high = settled_above(TOTAL, delta, truth(delta) + missed)
    low = settled_below(TOTAL, delta, truth(delta) + missed)
    assert TOTAL.delta(high)[1] <= delta < TOTAL.delta(low)[0]
    assert low < truth(delta) < high
    assert high - low < 1e-8 + 5 * abs(missed)


def test_where_no_epsilon_will_do_none_is_claimed():
    tenth = GridLaw(first=0, h=1.0, offset=0.0, p=np.array([0.9]), infinite=0.1, relative=0.0)
    assert settled_above(add(((tenth, 1),), 0.0), 0.05, 0.0) == math.inf
    assert settled_below(TOTAL, 0.6, 1e-3) == 0


with np.errstate(divide="ignore"):
    TENTH = FiniteLoss(log_p=np.log([0.9, 0.1]), log_q=np.log([1.0, 0.0]), error=0.0)  # a tenth at +inf
    ALWAYS = FiniteLoss(log_p=np.log([0.0, 1.0]), log_q=np.log([1.0, 0.0]), error=0.0)
ODDS = FiniteLoss(log_p=np.log([0.75, 0.25]), log_q=np.log([0.25, 0.75]), error=0.0)  # log 3 and -log 3
FALLING = FiniteLoss(log_p=np.log([0.2, 0.3]), log_q=np.log([0.4, 0.6]), error=0.0)  # -log 2 always


def test_the_largest_sum():
    low, high = largest(((ODDS, 2), (LaplaceLoss(shift=0.5), 3)))
    assert low <= 2 * math.log(3) + 1.5 <= high
    assert high - low < 1e-13
    assert largest(((ODDS, 1), (GaussianLoss(mu=1.0), 1))) == (math.inf, math.inf)
    assert largest(((FALLING, 5),)) == (0.0, 0.0)
    assert largest(()) == (0.0, 0.0)


def test_the_mass_at_infinity():
    assert infinite_mass(((TENTH, 3), (ODDS, 9))) == pytest.approx(1 - 0.9**3, rel=1e-14)
    assert infinite_mass(((ODDS, 9),)) == infinite_mass(()) == 0
    assert infinite_mass(((ALWAYS, 1), (TENTH, 1))) == 1


def test_what_is_certain():
    assert certain(((ODDS, 2), (ALWAYS, 1)))
    assert not certain(((ODDS, 2), (TENTH, 5), (GaussianLoss(mu=1.0), 1)))


def test_the_spacing_is_that_of_the_most_frequent_atoms():
    assert spacing(((ODDS, 5), (LaplaceLoss(shift=0.5), 2))) == pytest.approx(2 * math.log(3))
    assert spacing(((ODDS, 5), (LaplaceLoss(shift=0.5), 6))) == pytest.approx(1.0)
    assert spacing(((GaussianLoss(mu=1.0), 7), (TENTH, 9))) == 1.0
