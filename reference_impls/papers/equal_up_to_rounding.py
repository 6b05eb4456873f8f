"""Two computations that are said to give the same: how far apart their floats are, over what rounding may do.

Floats are exact numbers, so what two programs answered can be compared exactly; no proof is needed but fractions. The
room for rounding is the claim's own and stands in each subject; 2^-53 is a double's unit roundoff. Not to be confused
with a comparison of two formulas, which is made in balls.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from fractions import Fraction

from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.laws.balls import enclosed_fraction

UNIT = Fraction(1, 2**53)


class EqualUpToRounding(Checked, ABC):
    """A subject whose two sides are exact numbers; subclasses give them."""

    @abstractmethod
    def sides(self) -> tuple[Fraction, Fraction]:
        """What was found, and what is allowed (> 0)."""

    def printed(self) -> Enclosed:
        """The difference that is allowed."""
        return Enclosed(value=float(self.sides()[1]))

    def truth(self) -> Enclosed:
        """The difference that was found."""
        return Enclosed(value=float(self.sides()[0]))

    def proved_ratio(self) -> Enclosed | None:
        """The exact quotient of what was found and what is allowed."""
        found, allowed = self.sides()
        return enclosed_fraction(found / allowed)


def exact(numbers: Iterable[float]) -> list[Fraction]:
    """Finite floats as fractions."""
    return [Fraction(number) for number in numbers]


def sizes(*numbers: Fraction) -> Fraction:
    """The sum of magnitudes, which rounding is relative to; never 0."""
    return sum((abs(number) for number in numbers), Fraction(math.ulp(0.0)))
