"""How many draws count an event that a look saw: doubled until they do, and all that there are at the last."""

from __future__ import annotations

import numpy as np
import pytest

from auditors.privacy.event.expected_gain import Choice
from auditors.privacy.event.scores import Event, OneOf
from auditors.privacy.event_bounds import Goal
from auditors.privacy.gate.sought import LEAST, draws_alone
from dpverify.definitions.pure_dp import PureDP

GOAL = Goal(guarantee=PureDP(epsilon=1.0))
ONCE = Choice(
    event=Event(score=OneOf(values=(3.0,), column=None), threshold=0.5, above=True),
    direction=0,
    p=0.003,
    q=0.0,
    gain=1.0,
)


def draws(most):
    return draws_alone(GOAL, ONCE, alpha=1e-4, most=most, part=1.0)


def test_all_that_there_are_is_tried_before_it_is_given_up():
    enough = next(most for most in range(LEAST, 64 * LEAST, 100) if draws(most) is not None)
    assert draws(enough) == enough  # no doubling of the least ends there
    assert draws(enough - 100) is None
    assert np.log2(draws(100 * enough) / LEAST) == pytest.approx(round(np.log2(draws(100 * enough) / LEAST)))
