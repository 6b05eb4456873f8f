"""RS-LAST: is a record in the last batch the worst case of NSGD?

RSGD, section 4.1 (DISS, after Theorem 3.1): "it is easy to see that this is the worst case (i.e. the upper bound is
maximized when D and D' differ on the last of the m mini-batches)"; the noise of NSGD is scaled to the last place alone.
Readings: (a) of the upper bounds Delta[j] of Lemma 2's recursion; of the runs themselves, two data sets of one feature
(:mod:`~reference_impls.papers.rsgd.lemmas.one_feature_runs`), (b) with eta_0 up to 2 / L and (c) beyond. All batches
are of one size here; lambda, h and the batch size are the papers', eta_0 and T, which they do not print, 1 and 20.

Here ``Delta[j] = sum_s rho_s^(m - j) (2 eta_s R / |B|) prod_(s' > s) rho_s'^m``. In a run, a first place that is the
worst takes records with curvature where w is: the first batch carries w into the quadratic part of the loss.

**Repaired**, RS-LAST-R: the largest Delta[j] of all places. Up to eta_0 = 2 / L runs attain it. Beyond, rho^k outgrows
by far what any run can do, because gradients of the loss are bounded by R; there (``capped``) a step lets two runs that
are d apart grow apart to at most

    sqrt((1 - eta mu)^2 d^2 + (eta^2 - 2 eta (1 - eta mu) / L') min(L' d, 2 R)^2),   L' = L - mu,

wherever that is more than (1 - eta mu) d. Proof: let h be the difference of the loss's mean gradients at w and v, and
u = w - v. Then |(1 - eta mu) u - eta h|^2 = (1 - eta mu)^2 d^2 - 2 eta (1 - eta mu) <u, h> + eta^2 |h|^2, and
<u, h> >= |h|^2 / L' for a convex loss of smoothness L' (Baillon and Haddad), |h| <= min(L' d, 2 R). With |h| = L' d it
is rho d, so a capped Delta never exceeds the printed one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import flint

from dpverify.core.rules import OneOf
from reference_impls.papers.ranges import FromOne
from reference_impls.papers.rsgd.lemmas.one_feature_runs import H_BAR, OneFeatureRuns
from reference_impls.papers.sides_in_balls import SidesInBalls

COMPARED, TAKEN = ("bounds", "runs"), ("last", "largest", "capped")


@dataclass(frozen=True, slots=True, kw_only=True)
class LastPlace(OneFeatureRuns, SidesInBalls):
    """Subject ``lemma-rsgd-last``: the Delta that NSGD's noise is scaled to against a record in any batch.

    Attributes
    ----------
    batches : float
        m, rounded, all of `batch` records; `rows` is not used.
    compared : "bounds" or "runs"
        With Delta[j] at the record's place, or with how far two runs end apart.
    taken : "last", "largest" or "capped"
        Delta of the last place, as printed, the largest, or the largest with each step's growth capped.
    """

    batches: FromOne = 8
    compared: Annotated[str, OneOf(COMPARED)] = "runs"
    taken: Annotated[str, OneOf(TAKEN)] = "last"

    @property
    def sizes(self) -> tuple[int, ...]:
        """All batches have the nominal size."""
        return (round(self.batch),) * round(self.batches)

    def delta_ball(self, place: int) -> flint.arb:
        """Delta[place] of the recursion."""
        return self.recursion_ball(place, self.steps, self.sizes, 0)

    def believed_ball(self) -> flint.arb:
        """What the noise is scaled to."""
        places = range(len(self.sizes))
        delta = self.capped_ball if self.taken == "capped" else self.delta_ball
        largest = flint.arb(0)
        for place in places[-1:] if self.taken == "last" else places:
            largest = largest.max(delta(place))
        return largest

    def capped_ball(self, place: int) -> flint.arb:
        """Delta[place] with each step's growth capped."""
        delta, mu = flint.arb(0), flint.arb(self.l2)
        for step in self.steps:
            eta = flint.arb(step)
            for j, size in enumerate(self.sizes):
                delta = grown_ball(delta, eta, mu) + (2 * eta / size if j == place else 0)
        return delta

    def printed_ball(self) -> flint.arb | None:
        """What the noise is scaled to."""
        return self.believed_ball()

    def true_ball(self) -> flint.arb:
        """For the record's place: another Delta, or how far two runs end apart."""
        return self.moved_ball() if self.compared == "runs" else self.delta_ball(self.index)

    def describe(self) -> dict[str, Any]:
        """rho of the first epoch, and the step from which on it exceeds 1."""
        smoothness = 1.0 + self.l2
        eta = self.steps[0]
        rho = max(abs(1.0 - eta * self.l2), abs(1.0 - eta * smoothness))
        return {"rho of the first epoch": rho, "2 / L": 2.0 / smoothness}


def grown_ball(distance: flint.arb, eta: flint.arb, mu: flint.arb) -> flint.arb:
    """How far apart one step on one batch takes two points at most, for R = 1; see the module's proof."""
    smoothness, kept = 1 / (2 * flint.arb(H_BAR)), 1 - eta * mu
    if not kept > 0:  # the proof takes 1 - eta mu > 0; Lemma 2 does not
        return distance * abs(kept).max(abs(kept - eta * smoothness))
    spread = (smoothness * distance).min(flint.arb(2))
    more = (eta**2 - 2 * eta * kept / smoothness).max(flint.arb(0))
    return ((kept * distance) ** 2 + more * spread**2).sqrt()
