"""RS-CONTRACT and RS-RHO: is the SGD operator a contraction, and which step contracts most?

RSGD, sections 3.4 and 4.1 (DISS 3.4.2, 3.5.1): "when the loss function f satisfies condition 1, 2, and 3", the
operator "is a contraction", rho < 1, with no word on the step. Readings: (a) eta < 2 / L; (b) any eta. DISS's proof of
Theorem 3.1: rho has its least value (L - mu) / (L + mu) at eta = 2 / (L + mu).

**Where (b) breaks.** rho = max(|1 - eta mu|, |1 - eta L|) is below 1 exactly for eta < 2 / L. Beyond, two points on a
part of the loss with curvature L move apart by eta L - 1 > 1: eta_0 / s does so in its first epochs wherever eta_0 is
large, and what rests on "contraction" there (RS-LAST, RS-FIXED.b) falls with it. **Repaired**, RS-CONTRACT-R: below
2 / L, which is reading (a), or with rho in the place of 1 at any step (RS-LEMMA).
"""

from __future__ import annotations

from dataclasses import dataclass

import flint

from dpverify.core.claim import Claim, Reading, SearchSpace, Source
from dpverify.core.measure import Enclosed
from dpverify.core.registry import Registry
from dpverify.core.remark import Remark, Shown
from dpverify.definitions.upper_bound import UpperBound
from dpverify.laws.balls import at_working_precision
from reference_impls.papers.lemma import HUGE, TINY, checked, lemma_claim, quotient
from reference_impls.papers.rsgd.lemmas.line import L2, found
from reference_impls.papers.rsgd.lemmas.operator import SameBatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Contraction(SameBatch):
    """Subject ``lemma-rsgd-distance``: two points after a step against the two before it, one batch."""

    def bound_ball(self) -> flint.arb:
        """|w - v|."""
        return abs(flint.arb(self.w) - flint.arb(self.v))


@dataclass(frozen=True, slots=True, kw_only=True)
class LeastRho:
    """Subject ``lemma-rsgd-rho``: (L - mu) / (L + mu) against rho at a step.

    Attributes
    ----------
    mu, ratio : float
        mu > 0 and L / mu >= 1.
    share : float
        eta over 2 / (L + mu), > 0.
    """

    mu: float = L2
    ratio: float = (1.0 + L2) / L2
    share: float = 1.0

    def __post_init__(self) -> None:
        checked(self, mu=(TINY, HUGE), ratio=(1, HUGE * HUGE), share=(TINY, HUGE))

    def both_balls(self) -> tuple[flint.arb, flint.arb]:
        """(least, at this step)."""
        mu = flint.arb(self.mu)
        smoothness = flint.arb(self.ratio) * mu
        eta = 2 * flint.arb(self.share) / (smoothness + mu)
        return (smoothness - mu) / (smoothness + mu), abs(1 - eta * mu).max(abs(1 - eta * smoothness))

    @at_working_precision
    def printed(self) -> Enclosed:
        """rho at this step: claimed to be no less."""
        return found(self.both_balls()[1])

    @at_working_precision
    def truth(self) -> Enclosed:
        """(L - mu) / (L + mu)."""
        return found(self.both_balls()[0])

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """Both in balls already."""
        least, here = self.both_balls()
        return quotient(least, here)


def _apart() -> Shown:
    """Two points in the quadratic part, at a step beyond 2 / L and at one below."""
    far, near = (Contraction(step=step, w=1.1, v=1.0, rest=1.0) for step in (3.0, 1.0))
    numbers = (
        ("distance before", far.printed().value),
        ("after a step of 3, with 2 / L just below 2", far.truth().value),
        ("after a step of 1", near.truth().value),
    )
    return Shown(numbers=numbers, holds=near.truth().value < far.printed().value < far.truth().value)


REMARK = Remark(
    claim="RS-CONTRACT.b",
    breaks="Conditions 1 to 3 bound the Hessian between mu and L; that makes 1 - eta H shorter than 1 only for "
    "eta < 2 / L. Neither text restricts the step.",
    means="Code that takes rho < 1 for granted has the wrong worst batch and the wrong sensitivity in the first "
    "epochs.",
    instead="Refuse eta_0 > 2 / L, or carry rho along and allow it to exceed 1, as the recursion does.",
    shown=_apart,
)


def register(registry: Registry) -> None:
    """Register the subjects, the claims and the remark."""
    registry.mechanisms.add("lemma-rsgd-distance", Contraction)
    registry.mechanisms.add("lemma-rsgd-rho", LeastRho)
    points = {"w": (-3.0, 3.0), "v": (-3.0, 3.0), "size": (1.0, 20.0), "record": (-1.0, 1.0), "rest": (-1.0, 1.0)}
    own = {"step": 1.0, "l2": L2, "w": 1.1, "v": 1.0, "size": 4000.0, "record": 1.0, "rest": 1.0}
    below = SearchSpace(parameters={"step": (0.01, 1.99)} | points)
    for name, source, statement, readings in (
        (
            "RS-CONTRACT",
            Source(paper="RSGD", locus="sections 3.4, 4.1 (DISS 3.4.2, 3.5.1)"),
            "A step on one batch moves no two points apart",
            (
                Reading(key="a", text="eta < 2 / L"),
                Reading(key="b", text="any eta", space=SearchSpace(parameters={"step": (0.01, 20.0)} | points)),
            ),
        ),
        (
            "RS-CONTRACT-R",
            Source(paper="dpverify", locus="repair of RSGD section 4.1"),
            "A step of less than 2 / L on one batch moves no two points apart.",
            (),
        ),
    ):
        registry.add_claim(
            Claim(
                id=name,
                guarantee=UpperBound(quantity="number"),
                relation="numbers",
                subject="lemma-rsgd-distance",
                parameters=own,
                space=below,
                source=source,
                statement=statement,
                readings=readings,
            )
        )
    registry.add_claim(
        lemma_claim(
            "RS-RHO",
            subject="lemma-rsgd-rho",
            quantity="number",
            source=("DISS", "Thm 3.1, proof"),
            statement="rho is least at eta = 2 / (L + mu), where it is (L - mu) / (L + mu).",
            parameters={"mu": L2, "ratio": (1.0 + L2) / L2, "share": 1.0},
            boxes={"mu": (1e-6, 1e3), "ratio": (1.001, 1e6), "share": (0.01, 100.0)},
        )
    )
    registry.remarks.add(REMARK.claim, REMARK)
