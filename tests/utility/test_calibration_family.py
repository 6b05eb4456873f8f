"""The search stops within the budget, close to it, for any monotone cost, and asks few costs."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import UnsupportedError
from dpverify.utility.calibration_family import ENOUGH, found_knob


@given(st.floats(0.3, 20.0), st.floats(-15.0, 15.0), st.floats(-15.0, 15.0), st.booleans())
def test_powers_are_found(power: float, log_scale: float, log_start: float, rising: bool) -> None:
    asked: list[float] = []

    def cost(value: float) -> float:
        asked.append(value)
        log = power * (math.log(value) * (1 if rising else -1) + log_scale)
        return math.inf if log > 600 else math.exp(log)

    value, found = found_knob(cost, 0.5, start=math.exp(log_start), rising=rising)
    assert ENOUGH * 0.5 <= found <= 0.5
    assert found == cost(value)
    assert len(asked) < 45


def test_a_jump_is_met_from_the_safe_side() -> None:
    value, found = found_knob(lambda at: 1.0 if at < 3.0 else 0.1, 0.5, start=1.0, rising=False)
    assert (found, value) == (0.1, pytest.approx(3.0, rel=1e-5))
    assert value >= 3.0


def test_what_cannot_be_reached_is_said() -> None:
    with pytest.raises(UnsupportedError):
        found_knob(lambda at: 1.0 + 1.0 / at, 0.5, start=1.0, rising=False)


@pytest.mark.parametrize("above", [1e-9, 1e-3, 0.01])
def test_a_start_just_above_the_budget_is_not_taken(above: float) -> None:
    _, found = found_knob(lambda at: 1.0 / at, 0.5, start=2.0 / (1 + above), rising=False)
    assert found <= 0.5
