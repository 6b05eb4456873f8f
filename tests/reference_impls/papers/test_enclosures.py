"""Proved numbers: the worst of several, quotients, divergences, and balls that are not finite."""

from __future__ import annotations

import math

import flint
import pytest

from dpverify.core.errors import AuditError
from dpverify.core.evidence import Enclosed, Measure
from reference_impls.papers.enclosures import finite, proved_renyi, quotient, worst


def test_the_worst_of_several_keeps_what_is_unsure():
    found = worst([Enclosed(value=1.0, error=0.5), Enclosed(value=1.2, error=0.1), Enclosed(value=0.3)])
    assert found.value == 1.2
    assert found.lower <= 1.1
    assert found.upper >= 1.5
    assert math.isinf(worst([Enclosed(value=math.inf), Enclosed(value=1.0)]).value)


def test_a_quotient_is_proved_or_none():
    found = quotient(flint.arb(1), flint.arb(3))
    assert found.proved
    assert found.lower <= 1 / 3 <= found.upper
    assert quotient(None, flint.arb(1)) is None
    assert quotient(flint.arb(1), flint.arb(0)) is None
    assert quotient(flint.arb(1), flint.arb(0, 1)) is None
    assert quotient(flint.arb(1), flint.arb(0.5, 1)) is None
    assert quotient(flint.arb(1), flint.arb(-1)) is None


class _FromBelow:
    """A pair whose proof is a lower bound only."""

    def prove(self, measure: Measure) -> Enclosed:
        return Enclosed(value=1.0, proved=True)


class _BothSides(_FromBelow):
    """One that encloses, further up than its proof."""

    def enclosure(self, measure: Measure) -> Enclosed:
        return Enclosed(value=2.0, proved=True)


def test_a_divergence_is_taken_from_enclosures_only():
    assert proved_renyi([_BothSides()], 2.0) == 2
    assert proved_renyi([_FromBelow()], 2.0) is None
    assert proved_renyi([_BothSides(), _FromBelow()], 2.0) is None


def test_a_ball_that_is_not_finite_is_an_error() -> None:
    assert finite(flint.arb(1) / 3).lower <= 1 / 3 <= finite(flint.arb(1) / 3).upper
    with pytest.raises(AuditError, match="no ball could hold"):
        finite(flint.arb(1) / 0)
