"""A lemma both of whose sides are balls: what is compared in floats is proved already.

For formulas that are cheap in ball arithmetic. Lemmas whose truth is an optimum or a long recursion compute it in
doubles and have a `proved_ratio` of their own.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

import flint

from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.laws.balls import at_working_precision
from reference_impls.papers.enclosures import finite, quotient


@dataclass(frozen=True, slots=True, kw_only=True)
class SidesInBalls(Checked):
    """Base of such a lemma at one point of its parameters."""

    @abstractmethod
    def printed_ball(self) -> flint.arb | None:
        """What is printed; None where the lemma says nothing."""

    @abstractmethod
    def true_ball(self) -> flint.arb:
        """What it bounds, or a lower bound on that."""

    @at_working_precision
    def printed(self) -> Enclosed:
        """The printed side, +inf where nothing is said."""
        found = self.printed_ball()
        return Enclosed(value=math.inf) if found is None else finite(found)

    @at_working_precision
    def truth(self) -> Enclosed:
        """The side that the lemma bounds."""
        return finite(self.true_ball())

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The quotient truth / printed, proved; None where the lemma says nothing."""
        found = self.printed_ball()
        return None if found is None else quotient(self.true_ball(), found)
