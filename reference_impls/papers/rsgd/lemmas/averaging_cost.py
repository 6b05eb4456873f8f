"""RS-AVG-LESS: does averaging with restart lower the noise that RSGD needs?

RSGD, section 1 ("averaging also helps us use less noise", "to further reduce the amount of noise that is necessary")
and 4.3. Noise is lower exactly where, at one sigma, epsilon of (3.9) is: with the averaged recursion it is compared
with epsilon of Algorithm 2 as printed (eta_0 / s, no averaging), that is of the permuted Algorithm 1, at equal T,
eta_0, lambda, m and order. Batches are of one size. Readings:

- ``restart``: RSGD's Algorithm 3 (eta_0 / h), T a multiple of tau, so that the end is an average;
- ``reset``: the same one epoch after an averaging, when the step is eta_0 again;
- ``steps``: DISS's Algorithm 3.3 (eta_0 / s): averaging without restart;
- ``alone``: averaging on and off, both with restarted steps.

**Repaired**, RS-AVG-LESS-R: averaging alone, with equal steps of at most 2 / L, where nothing contracts (mu = 0).
Delta[j] then only grows, and a mean over a run is at most its end. With mu > 0 no such rule holds, however small mu is
(tau = 1, many runs, a large order): the recursion says which of the two is lower.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import flint

from dpverify.core.rules import Between, OneOf
from reference_impls.optimizers.rsgd_sensitivity import step_sizes
from reference_impls.papers.ranges import HUGE, FromOne, FromZero
from reference_impls.papers.rsgd.lemmas.last_place import LastPlace

AGAINST = ("printed", "same")


@dataclass(frozen=True, slots=True, kw_only=True)
class AveragingCost(LastPlace):
    """Subject ``lemma-rsgd-averaging``: epsilon with averaging against epsilon without, at one sigma and order.

    Attributes
    ----------
    runs, past : float
        Averagings, and epochs after the last of them: T = runs * tau + past; `epochs` is not used.
    against : "printed" or "same"
        Without averaging by steps of eta_0 / s, or by the same steps.
    order, noise : float
        alpha > 1, and sigma over the largest Delta[j] without averaging, > 0.
    """

    interval: FromOne = 10
    runs: FromOne = 2
    past: FromZero = 0
    against: Annotated[str, OneOf(AGAINST)] = "printed"
    order: Annotated[float, Between(1 + 1e-6, HUGE)] = 38.0
    noise: Annotated[float, Between(1e-3, HUGE)] = 6.2

    def validate(self) -> None:
        """The number of epochs follows from the other fields."""
        object.__setattr__(self, "epochs", round(self.runs) * round(self.interval) + round(self.past))

    def deltas_ball(self, *, averaged: bool) -> list[flint.arb]:
        """Delta[j] with or without averaging."""
        printed = step_sizes("epoch", self.initial_step, round(self.epochs))
        steps = printed if self.against == "printed" and not averaged else self.steps
        interval = round(self.interval) if averaged else 0
        return [self.recursion_ball(place, steps, self.sizes, interval) for place in range(len(self.sizes))]

    def epsilon_ball(self, *, averaged: bool) -> flint.arb:
        """(3.9) with q_j = 1 / m."""
        plain = self.deltas_ball(averaged=False)
        deltas = self.deltas_ball(averaged=True) if averaged else plain
        order, sigma = flint.arb(self.order), flint.arb(self.noise * max(float(delta.mid()) for delta in plain))
        powers = [(order * (order - 1) * (delta / sigma) ** 2 / 2).exp() for delta in deltas]
        return (sum(powers, flint.arb(0)) / len(powers)).log() / (order - 1)

    def printed_ball(self) -> flint.arb:
        """The epsilon of training without averaging."""
        return self.epsilon_ball(averaged=False)

    def true_ball(self) -> flint.arb:
        """The epsilon of training with averaging."""
        return self.epsilon_ball(averaged=True)

    def describe(self) -> dict[str, Any]:
        """The largest Delta[j] with averaging and without."""
        with_it, without = (max(float(each.mid()) for each in self.deltas_ball(averaged=on)) for on in (True, False))
        return {"largest Delta with averaging": with_it, "largest Delta without": without}
