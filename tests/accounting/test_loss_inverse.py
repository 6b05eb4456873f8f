"""A two-point loss, whose epsilon(delta) is known: +1 with probability 3/4, so delta = 3/4 (1 - e^(epsilon - 1))."""

import math

import numpy as np
import pytest

from dpverify.accounting.loss_grid import GridLaw
from dpverify.accounting.loss_inverse import root, settled_above, settled_below
from dpverify.accounting.loss_sum import add

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
