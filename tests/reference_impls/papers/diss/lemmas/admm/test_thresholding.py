"""AM-SOFT: preceq as printed falls on the cases that the text lists, its repair stands, faults fall."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from reference_impls.papers.diss.lemmas.admm.thresholding import Thresholded
from tests.reference_impls.rows import evidence, status

NUMBERS = st.floats(-5.0, 5.0)


def by_hand(x: Fraction, t: Fraction) -> Fraction:
    """(4.11)."""
    return x - t if x > t else x + t if x < -t else Fraction(0)


@given(NUMBERS, NUMBERS, st.floats(0.0, 5.0))
def test_moves_by_cases(w: float, v: float, t: float) -> None:
    u, moved = Thresholded(w=w, v=v, threshold=t).moves()
    assert u == by_hand(Fraction(w), Fraction(t)) - by_hand(Fraction(v), Fraction(t))
    assert moved == Fraction(w) - Fraction(v)
    assert Thresholded(about="weak", w=w, v=v, threshold=t).sides()[0] == 1
    found, allowed = Thresholded(w=w, v=v, threshold=t).sides()
    assert found <= allowed


def test_the_texts_own_cases() -> None:
    """Both beyond, one within, both within, other signs."""
    broken = [
        Thresholded(about="printed", w=w, v=v, threshold=1.0).sides()[0] == 2
        for w, v in ((3.0, 2.0), (2.0, 0.5), (0.5, 0.25), (2.0, -2.0))
    ]
    assert broken == [True, False, True, False]


@dataclass(frozen=True, kw_only=True)
class Hard(Thresholded):
    """Hard thresholding, which moves points apart."""

    def moves(self) -> tuple[Fraction, Fraction]:
        kept = [Fraction(x) if abs(x) > self.threshold else Fraction(0) for x in (self.w, self.v)]
        return kept[0] - kept[1], Fraction(self.w) - Fraction(self.v)


def test_verdicts() -> None:
    assert status("AM-SOFT.a", "lemma") is Status.NOT_REFUTED
    assert status("AM-SOFT.b", "lemma") is Status.REFUTED
    assert evidence("AM-SOFT.b", "lemma").statistics["own"]["ratio"] == 1.0
    assert status("AM-SOFT-R", "lemma") is Status.NOT_REFUTED
    assert status("AM-SOFT.a", "lemma", subject=Hard) is Status.REFUTED
    assert status("AM-SOFT-R", "lemma", subject=Hard) is Status.REFUTED
    assert registry().remarks.get("AM-SOFT.b").shown().holds


@pytest.mark.parametrize("bad", [{"about": "x"}, {"threshold": -1.0}])
def test_bad_numbers(bad: dict[str, float]) -> None:
    with pytest.raises(InputError):
        Thresholded(**bad)  # type: ignore[arg-type]  # wrong on purpose
