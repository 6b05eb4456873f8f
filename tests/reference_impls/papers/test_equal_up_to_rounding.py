"""Two computations compared as exact numbers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest

from reference_impls.papers.equal_up_to_rounding import UNIT, EqualUpToRounding, exact, sizes


@dataclass(frozen=True, kw_only=True)
class Thirds(EqualUpToRounding):
    """A third in doubles against three of them, and one rounding."""

    def sides(self) -> tuple[Fraction, Fraction]:
        return abs(3 * Fraction(1 / 3) - 1), UNIT


def test_sides_and_their_quotient() -> None:
    subject = Thirds()
    assert subject.truth().value == 2.0**-54
    assert subject.printed().value == 2.0**-53
    proof = subject.proved_ratio()
    assert proof is not None
    assert (proof.value, proof.error, proof.proved) == (0.5, 0.0, True)


def test_sizes_are_never_nothing() -> None:
    assert sizes(Fraction(-2), Fraction(1, 2)) == pytest.approx(2.5)
    assert sizes() > 0
    assert exact([0.5, -3]) == [Fraction(1, 2), Fraction(-3)]
