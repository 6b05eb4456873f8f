"""AM-ONEPARTY: one iteration by hand; wrong step sizes and wrong noise fall; a regulariser separates the two."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from reference_impls.papers.diss.lemmas.admm.one_party import OneParty
from tests.reference_impls.rows import evidence, status


def test_the_first_step_differs_by_the_threshold() -> None:
    """From 0 DP-ADMM's subgradient is 0, and DP-SGD's step is shortened by lambda eta / (1 + eta rho), up to 0."""
    l1 = 0.01
    admm, sgd = OneParty(l1=l1).paths()
    step = 1.0 / 1.25
    expected = np.sign(admm[1]) * np.maximum(np.abs(admm[1]) - l1 * step, 0.0)
    assert sgd[1] == pytest.approx(expected, rel=1e-12, abs=1e-15)
    plain, same = OneParty().paths()
    assert plain[1] == pytest.approx(admm[1], rel=1e-12)
    assert plain == pytest.approx(same, rel=1e-12, abs=1e-14)


@dataclass(frozen=True, kw_only=True)
class PlainStep(OneParty):
    """DP-SGD at the step size eta, as a reader of section 4.6.4 might take it."""

    def paths(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        admm, sgd = OneParty.paths(self)
        return admm, sgd * (1.0 + self.eta * self.rho)


def test_verdicts() -> None:
    assert status("AM-ONEPARTY.smooth", "lemma") is Status.NOT_REFUTED
    assert status("AM-ONEPARTY-R", "lemma") is Status.NOT_REFUTED
    assert status("AM-ONEPARTY.smooth", "lemma", subject=PlainStep) is Status.REFUTED
    fallen = evidence("AM-ONEPARTY.l1", "lemma")
    assert fallen.excess > 0
    own = fallen.statistics["own"]
    assert own["truth"] == pytest.approx(0.0001 * 0.8, rel=0.5)  # about lambda times a step
    assert registry().remarks.get("AM-ONEPARTY.l1").shown().holds


def test_sides_are_exact() -> None:
    subject = OneParty(seed=3.0)
    first, second = subject.paths()
    found, allowed = subject.sides()
    assert float(found) == np.abs(first - second).max()
    assert allowed == Fraction(1, 10**11) * Fraction(max(np.abs(first).max(), np.abs(second).max()))


@pytest.mark.parametrize("bad", [{"eta": 0.0}, {"noise": -1.0}, {"l1": -1.0}])
def test_bad_numbers(bad: dict[str, float]) -> None:
    with pytest.raises(InputError):
        OneParty(**bad)
