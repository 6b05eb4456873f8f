"""RS-COND: do the strong convexity and the bounded gradient of RSGD, section 3.3 (DISS, 3.4.1) hold together?

Conditions 3 (a record's loss is mu-strongly convex) and 4 (its gradient is at most R at every w in Theta) are imposed
on f = loss + (lambda / 2) |w|^2, and "typically the bounded gradient condition is satisfied by ensuring that the
feature vectors lie inside a ball". No algorithm of the papers projects, so Theta is the whole space. Readings:

(a) some R bounds the gradient on the whole space. Refuted for every R: strong convexity makes
    |grad f(w) - grad f(v)| >= mu |w - v|, so w = 2 (R + 1) / lambda exceeds it. R is searched, from 1e-3 to 1e6.
(b) the features' ball gives R: 1 for records in the unit ball, along runs of Algorithm 1 from 0. A record's gradient
    is that of its loss plus lambda w, so it exceeds 1 by lambda |w|, 0.15 % at the papers' lambda and at most twofold
    at any (lambda |w| <= 1 along a run whose steps are at most 1 / L).

**What the proofs need** is less: Lemma 2's last step takes |grad f(w, d) - grad f(w, d')| <= 2 R at *one* w, in which
lambda w cancels. So R of the loss alone will do, here 1, and nothing else in the papers uses condition 4: RS-COND-R.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import flint

from dpverify.core.rules import Between, OneOf
from reference_impls.papers.ranges import HUGE, TINY, Signed
from reference_impls.papers.rsgd.lemmas.one_feature_runs import OneFeatureRuns, slope_ball
from reference_impls.papers.sides_in_balls import SidesInBalls

WHERE = ("space", "run", "difference")


@dataclass(frozen=True, slots=True, kw_only=True)
class GradientBound(OneFeatureRuns, SidesInBalls):
    """Subject ``lemma-rsgd-condition``.

    Attributes
    ----------
    where : "space", "run" or "difference"
        The gradient far out, the largest along a run, or the difference of two records' at one w.
    bound : float
        R, > 0.
    weight, first, second : float
        For the difference: w, and the two records' margins in [-1, 1].
    """

    where: Annotated[str, OneOf(WHERE)] = "run"
    bound: Annotated[float, Between(TINY, HUGE * HUGE)] = 1.0
    weight: Annotated[float, Between(-HUGE, HUGE)] = 0.0
    first: Signed = 1.0
    second: Signed = -1.0

    def gradient_ball(self, w: flint.arb, margin: float) -> flint.arb:
        """Of one record's regularised loss."""
        z = flint.arb(margin)
        return z * slope_ball(z * w) + flint.arb(self.l2) * w

    def true_ball(self) -> flint.arb:
        """The left side of the inequality."""
        if self.where == "space":
            far = 2 * (flint.arb(self.bound) + 1) / flint.arb(self.l2)
            return abs(self.gradient_ball(far, 1.0))
        if self.where == "difference":
            w = flint.arb(self.weight)
            return abs(self.gradient_ball(w, self.first) - self.gradient_ball(w, self.second))
        largest = flint.arb(0)
        for w in self.path_ball(1, self.index)[:-1]:
            for margin in (1.0, -1.0):
                largest = largest.max(abs(self.gradient_ball(w, margin)))
        return largest

    def printed_ball(self) -> flint.arb:
        """R, or 2 R for the difference."""
        return flint.arb(self.bound) * (2 if self.where == "difference" else 1)
