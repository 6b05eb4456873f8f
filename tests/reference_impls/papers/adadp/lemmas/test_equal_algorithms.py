"""AD-SCALE and AD-FED-EQ: fractions follow the rule, and what parts the runs that are said to be one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpverify.core.verdict import Status, judge
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import stream
from reference_impls.optimizers.adadp_step_rule import StepRule
from reference_impls.papers.adadp.lemmas.equal_algorithms import (
    ClientUpdate,
    ScaledExactly,
    ScaledRuns,
    exact_iterates,
    first_error,
)


def test_fractions_follow_the_rule() -> None:
    sums, step, tol = [Fraction(-3), Fraction(2), Fraction(5), Fraction(-7)], Fraction(1, 4), Fraction(1, 2)
    found = exact_iterates(sums, [2] * 4, step, tol)
    given = iter([float(each) / 2 for each in sums])
    weights, size, rule = np.zeros(1), float(step), StepRule(tol=float(tol))
    tape = Tape.recording(stream(0, "rule"))
    for expected in found:
        weights, size = rule.advanced(weights, size, lambda at: np.array([next(given)]), tape)
        assert weights[0] == pytest.approx(float(expected), rel=1e-14)


def test_a_shared_factor_only_scales_and_another_one_does_not(examined) -> None:
    assert ScaledExactly(nominal=7.0).difference == 0.0
    assert ScaledRuns(doublings=4).difference == 0.0
    assert ScaledExactly(nominal=0.0).difference > 0
    alike = ScaledExactly(nominal=0.0, first=4, second=4, third=4, fourth=4)
    assert alike.difference == 0.0
    assert judge(examined("AD-SCALE.realised")) is Status.REFUTED
    assert (
        judge(examined("AD-SCALE.nominal", lambda **each: ScaledExactly(**{**each, "nominal": 0.0}))) is Status.REFUTED
    )


def test_a_client_parts_from_algorithm_2_where_a_step_is_discarded(examined) -> None:
    own = ClientUpdate()
    assert first_error(own.step, 10) == pytest.approx(0.25)
    assert own.difference == 1.0  # the client stays at 0, Algorithm 2 goes to eta |B| and stays there
    assert ClientUpdate(step=0.01).difference == 0.0
    assert ClientUpdate(discard=True).difference == 0.0
    assert judge(examined("AD-FED-EQ-R", lambda **each: ClientUpdate(**{**each, "discard": False}))) is Status.REFUTED
