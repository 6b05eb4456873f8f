"""RS-PERM: does permuting the records first lower the noise that RSGD needs?

RSGD, section 4.2 (DISS 3.5.2): "this allows us to add less noise because, with randomized batches, it is no longer
possible to create bad neighbors that always differ in the last batch". Compared at one sigma and order: epsilon of NSGD
by the Delta of the last place, alpha Delta[m]^2 / (2 sigma^2), with that of (3.9) over all places, q_j = 1 / m. Batches
are of one size; readings: (a) eta_0 <= 2 / L, (b) beyond, which the texts do not exclude.

(a) stands, and gains little: every Delta[j] is at most the last, but at least rho^m times it, within half a percent at
the papers' lambda. **Where (b) breaks**: there the last place is not the worst (RS-LAST), so an average over all places
is more than the last one's. **Repaired**, RS-PERM-R: against the largest Delta[j], which NSGD needs there.
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
from reference_impls.papers.lemma import HUGE, checked, quotient
from reference_impls.papers.rsgd.lemmas.last_place import LastPlace
from reference_impls.papers.rsgd.lemmas.line import L2, found


@dataclass(frozen=True, slots=True, kw_only=True)
class PermutationCost(LastPlace):
    """Subject ``lemma-rsgd-permutation``: epsilon of (3.9) against NSGD's, at one sigma.

    Attributes
    ----------
    order, noise : float
        alpha > 1, and sigma over NSGD's Delta, > 0.
    """

    order: float = 38.0
    noise: float = 6.2

    def __post_init__(self) -> None:
        LastPlace.__post_init__(self)
        checked(self, order=(1.0 + 1e-6, HUGE), noise=(1e-3, HUGE))

    def mixed_ball(self) -> flint.arb:
        """(3.9) at the noise that is `noise` times NSGD's Delta."""
        unit, order = self.believed_ball() * flint.arb(self.noise), flint.arb(self.order)
        deltas = [self.delta_ball(place) for place in range(len(self.sizes))]
        powers = [(order * (order - 1) * (delta / unit) ** 2 / 2).exp() for delta in deltas]
        return (sum(powers, flint.arb(0)) / len(powers)).log() / (order - 1)

    def plain_ball(self) -> flint.arb:
        """NSGD's."""
        return flint.arb(self.order) / (2 * flint.arb(self.noise) ** 2)

    @at_working_precision
    def printed(self) -> Enclosed:
        """epsilon of NSGD."""
        return found(self.plain_ball())

    @at_working_precision
    def truth(self) -> Enclosed:
        """epsilon after a permutation, at the same noise."""
        return found(self.mixed_ball())

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """Both in balls already."""
        return quotient(self.mixed_ball(), self.plain_ball())


def _beyond() -> Shown:
    large, small = PermutationCost(initial_step=3.0, epochs=1), PermutationCost(initial_step=1.0, epochs=1)
    repaired = PermutationCost(initial_step=3.0, epochs=1, taken="largest")
    numbers = (
        ("epsilon of NSGD at this noise", large.printed().value),
        ("permuted, eta_0 = 3", large.truth().value),
        ("permuted, eta_0 = 3, the noise scaled to the largest Delta", repaired.truth().value),
        ("permuted, eta_0 = 1", small.truth().value),
    )
    holds = max(small.truth().value, repaired.truth().value) <= large.printed().value < large.truth().value
    return Shown(numbers=numbers, holds=holds)


REMARK = Remark(
    claim="RS-PERM.b",
    breaks="The last batch is taken for the bad place; with eta_0 > 2 / L earlier ones are worse, so drawing the place "
    "at random makes it worse than the last on average.",
    means="With first steps above 2 / L shuffling saves nothing: NSGD's noise, to which it is compared, is itself "
    "too small (RS-LAST). Below 2 / L the saving is small, since all places count almost the same where little "
    "contracts within an epoch.",
    instead="Scale NSGD's noise to the largest Delta[j] before comparing; then a random place never costs more.",
    shown=_beyond,
)


def register(registry: Registry) -> None:
    """Register the subject, the claims and the remark."""
    registry.mechanisms.add("lemma-rsgd-permutation", PermutationCost)
    shared = {"epochs": (1.0, 20.0), "batches": (1.0, 10.0), "l2": (1e-4, 0.1)}
    shared |= {"order": (1.1, 64.0), "noise": (0.5, 20.0)}
    small, large, any_step = (
        SearchSpace(parameters={"initial_step": box} | shared) for box in ((0.01, 1.8), (2.1, 10.0), (0.01, 10.0))
    )
    own = {"initial_step": 1.0, "epochs": 20.0, "batches": 8.0, "l2": L2, "order": 38.0, "noise": 6.2}
    for name, source, taken, statement, readings in (
        (
            "RS-PERM",
            Source(paper="RSGD", locus="section 4.2 (DISS 3.5.2)"),
            "last",
            "Permuting the records first lowers epsilon at the same noise",
            (
                Reading(key="a", text="eta_0 <= 2 / L"),
                Reading(key="b", text="eta_0 > 2 / L", parameters={"initial_step": 3.0}, space=large),
            ),
        ),
        (
            "RS-PERM-R",
            Source(paper="dpverify", locus="repair of RSGD section 4.2"),
            "largest",
            "A random place costs no more than the worst one, at the same noise.",
            (),
        ),
    ):
        registry.add_claim(
            Claim(
                id=name,
                guarantee=UpperBound(quantity="renyi"),
                relation="numbers",
                subject="lemma-rsgd-permutation",
                parameters=own | {"taken": taken},
                space=any_step if taken == "largest" else small,
                source=source,
                statement=statement,
                readings=readings,
            )
        )
    registry.remarks.add(REMARK.claim, REMARK)
