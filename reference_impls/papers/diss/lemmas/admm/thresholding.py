"""AM-SOFT: what DISS, section 4.5.2, says of soft thresholding, in exact arithmetic.

(a) ``|S(w) - S(v)| <= |w - v|`` coordinate by coordinate. (b) ``S(w) - S(v) preceq w - v`` "for any threshold", where
``u preceq v`` is printed as ``|u_j| < |v_j|`` and equal signs, for each j. As printed (b) fails on most pairs: with
both points beyond the threshold on one side the two differences are equal, not smaller (the case that the text itself
lists with "="), and where z does not move its difference has no sign. The text's use of it, that delta_x - delta_z is
pushed towards zero, needs no more than the repaired relation: ``|u_j| <= |v_j|``, and u_j is 0 or has v_j's sign.

A coordinate is a number; a relation is counted as broken in it or not, so a lemma bounds 1 + the count by 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import numpy as np

from dpverify.core.ledger_words import Shown
from dpverify.core.rules import NonNegative, OneOf
from reference_impls.models.regularisation import soft_threshold
from reference_impls.papers.equal_up_to_rounding import EqualUpToRounding, exact

RELATIONS = ("distance", "printed", "weak")


@dataclass(frozen=True, kw_only=True)
class Thresholded(EqualUpToRounding):
    """Subject ``soft-threshold``.

    Attributes
    ----------
    about : "distance", "printed" or "weak"
        Whether distances are compared (a), preceq as printed (b), or its repair.
    w, v : float
        One coordinate of two points.
    threshold : float
        t >= 0.
    """

    about: Annotated[str, OneOf(RELATIONS)] = "distance"
    w: float = 0.01
    v: float = -0.01
    threshold: NonNegative = 0.0004

    def moves(self) -> tuple[Fraction, Fraction]:
        """S(w) - S(v) and w - v, exactly."""
        w, v, t = exact((self.w, self.v, self.threshold))
        found = soft_threshold(np.array([w, v], dtype=object), t)  # type: ignore[arg-type]  # fractions all through
        return Fraction(found[0]) - Fraction(found[1]), w - v

    def sides(self) -> tuple[Fraction, Fraction]:
        """The two distances; or 1 + whether the relation is broken, and 1."""
        u, v = self.moves()
        if self.about == "distance":
            return (abs(u), abs(v)) if v else (Fraction(1) + abs(u), Fraction(1))
        if self.about == "printed":
            holds = abs(u) < abs(v) and (u > 0) == (v > 0) and (u < 0) == (v < 0)
        else:
            holds = abs(u) <= abs(v) and u * v >= 0
        return Fraction(1 if holds else 2), Fraction(1)


def shown() -> Shown:
    """The numbers shown beside the remark on AM-SOFT.b."""
    beyond, within = (Thresholded(about="printed", w=w, v=v, threshold=1.0) for w, v in ((3.0, 2.0), (0.5, 0.25)))
    numbers = (
        ("beyond the threshold: |S(w) - S(v)|", float(abs(beyond.moves()[0]))),
        ("beyond the threshold: |w - v|", float(abs(beyond.moves()[1]))),
        ("inside the threshold: S(w) - S(v)", float(within.moves()[0])),
    )
    holds = beyond.moves()[0] == beyond.moves()[1] and within.moves()[0] == 0 != within.moves()[1]
    return Shown(numbers=numbers, holds=holds)
