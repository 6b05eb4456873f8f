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
from typing import Annotated

import flint

from dpverify.core.ledger_words import Shown
from dpverify.core.rules import Between
from reference_impls.papers.ranges import HUGE
from reference_impls.papers.rsgd.lemmas.last_place import LastPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class PermutationCost(LastPlace):
    """Subject ``lemma-rsgd-permutation``: epsilon of (3.9) against NSGD's, at one sigma.

    Attributes
    ----------
    order, noise : float
        alpha > 1, and sigma over NSGD's Delta, > 0.
    """

    order: Annotated[float, Between(1 + 1e-6, HUGE)] = 38.0
    noise: Annotated[float, Between(1e-3, HUGE)] = 6.2

    def true_ball(self) -> flint.arb:
        """(3.9) at the noise that is `noise` times NSGD's Delta."""
        unit, order = self.believed_ball() * flint.arb(self.noise), flint.arb(self.order)
        deltas = [self.delta_ball(place) for place in range(len(self.sizes))]
        powers = [(order * (order - 1) * (delta / unit) ** 2 / 2).exp() for delta in deltas]
        return (sum(powers, flint.arb(0)) / len(powers)).log() / (order - 1)

    def printed_ball(self) -> flint.arb:
        """The epsilon of NSGD at the same noise."""
        return flint.arb(self.order) / (2 * flint.arb(self.noise) ** 2)


def beyond() -> Shown:
    """The numbers shown beside the remark on RS-PERM.b."""
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
