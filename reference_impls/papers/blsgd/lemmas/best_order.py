"""BL-FILTER (c): an adversary against the (epsilon, delta) of the best order that is left over.

The budgets and the rule that leaves some order over: :mod:`~reference_impls.papers.blsgd.lemmas.some_order`. The
adversary (:class:`BestOrder`) first lets a lattice Gaussian spread the privacy loss L, then spends what is left at the
order that suits the loss that came out on one rare event, which carries L to epsilon + log(alpha / (alpha - 1)), where
a conversion is tight. Its delta is exact.

What holds of (c): with c_alpha = (1 / alpha) (1 - 1 / alpha)^(alpha - 1), (1 - e^(epsilon - L))_+ is at most c_alpha
e^((alpha - 1) (L - epsilon)), and e^((alpha - 1) (L - S_alpha)) is a supermartingale of mean 1 at every order (S_alpha
the costs so far), so that delta' <= the sum over orders of c_alpha e^((alpha - 1) (epsilon_tot(alpha) - epsilon)). By
Proposition 1's budgets that is the sum of c_alpha, times delta, over the orders with a budget above 0: 0.62 delta at
epsilon = 0.2 and delta = 1e-8, and never above 2.3 delta. By the tight conversion's budgets (``conversion="tight"``,
Canonne, Kamath, Steinke 2020), c_alpha e^(..) = delta at each order, it is delta times the number of orders, and the
adversary exceeds delta.

The repair: one order, fixed before the run (``kept="one"``), or that sum (``promised="sum"``). Costs are the larger
direction's. Not to be confused with filters of one order, which hold (Feldman and Zrnic 2021).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import flint
import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from dpverify.core.evidence import Enclosed
from dpverify.core.rules import Between
from dpverify.laws.balls import at_working_precision, exact_ball
from reference_impls.papers.blsgd.lemmas.some_order import ORDERS, SPARE, RunBudget
from reference_impls.papers.enclosures import quotient

Float = NDArray[np.float64]
USED = np.unique(np.round(np.geomspace(2.0, 500.0, 56)))
"""Orders that the adversary spends: enough for it, and quick."""
POINTS = 24
"""Of the lattice, on each side of 0."""
LARGEST = 700.0
"""Exponents beyond which e^x - 1 is e^x."""


def log_shares(orders: Float) -> Float:
    """The logarithms of c_alpha."""
    return np.asarray(-np.log(orders) + (orders - 1.0) * np.log1p(-1.0 / orders))


@dataclass(frozen=True, slots=True, kw_only=True)
class BestOrder(RunBudget):
    """The adversary of (c); the one order that may be kept is the one with the most left before the run.

    Attributes
    ----------
    spread : float
        s > 0: the lattice Gaussian is exp(-(x - s)^2 / 2) on D and exp(-(x + s)^2 / 2) on D'.
    top : float
        > 1: the lattice reaches 4 beyond s (2 top - 1).
    conversion : "printed" or "tight"
        Which budgets epsilon_tot(alpha) the target gives.
    promised : "target" or "sum"
        The delta that is claimed: the target, or the sum over orders.
    """

    spread: Annotated[float, Between(1e-6, 10)] = 0.008
    top: Annotated[float, Between(1, 1000)] = 24.0
    conversion: Literal["printed", "tight"] = "printed"
    promised: Literal["target", "sum"] = "target"

    def _lattice(self) -> tuple[Float, Float]:
        """Log-probabilities on D and losses of the first release, shape (2 POINTS + 1,)."""
        reach = self.spread * (2.0 * self.top - 1.0) + 4.0
        places = reach / POINTS * np.arange(-POINTS, POINTS + 1.0)
        logs = -np.square(places - self.spread) / 2.0
        return logs - logsumexp(logs), 2.0 * self.spread * places

    def _budgets(self, orders: Float) -> Float:
        """At the orders, maybe below 0."""
        lost = log_shares(orders) if self.conversion == "tight" else 0.0
        return np.asarray(self.epsilon + (math.log(self.delta) - lost) / (orders - 1.0))

    def _open(self) -> tuple[Float, Float]:
        """Orders that the first release leaves something at, and (order - 1) times that; none: it may not run."""
        logs, losses = self._lattice()
        powers = USED - 1.0
        left = powers * self._budgets(USED)
        may = left > 0
        left[may] -= logsumexp(logs[None, :] + powers[may, None] * losses[None, :], axis=1)
        may &= left > SPARE
        if self.kept == "one" and may.any():
            may &= np.arange(USED.size) == np.argmax(np.where(may, log_shares(USED) + left, -np.inf))
        return USED[may], left[may]

    def _strategy(self) -> tuple[Float, Float, Float]:
        """For each place: the order spent (0: stop), the loss added by the rare event, the log of its probability."""
        _, losses = self._lattice()
        orders, left = (each[:, None] for each in self._open())
        powers = orders - 1.0
        added = self.epsilon - losses[None, :] + np.log(orders / powers)
        grown = np.where(left > LARGEST, left, np.log(np.expm1(np.minimum(left, LARGEST))))
        rare = grown - powers * added + math.log1p(-SPARE)
        chance, there = np.exp(np.minimum(rare, -SPARE)), np.exp(-np.maximum(added, 0.0))
        back = np.logaddexp(rare - orders * added, orders * np.log1p(-chance * there) - powers * np.log1p(-chance))
        fits = (rare < -SPARE) & (added > 0) & (back <= left * (1 - SPARE)) & (losses <= self.epsilon)
        gains = np.where(fits, rare - np.log(orders), -np.inf)
        best, at = gains.argmax(axis=0), np.arange(losses.size)
        stops = ~fits[best, at]
        return np.where(stops, 0.0, orders[best, 0]), added[best, at], np.where(stops, -np.inf, rare[best, at])

    def printed(self) -> Enclosed:
        """The delta that is claimed."""
        if self.promised == "target":
            return Enclosed(value=self.delta)
        budgets = self._budgets(ORDERS)
        terms = log_shares(ORDERS) + (ORDERS - 1.0) * (budgets - self.epsilon)
        return Enclosed(value=min(math.exp(float(logsumexp(terms[budgets > 0]))), 1.0))

    def truth(self) -> Enclosed:
        """delta(epsilon) of the whole run."""
        logs, losses = self._lattice()
        if not self._open()[0].size:
            return Enclosed(value=0.0)
        orders, _, rare = self._strategy()
        with np.errstate(divide="ignore"):
            gained = rare - np.log(np.maximum(orders, 1.0))
            passed = np.log(-np.expm1(np.minimum(self.epsilon - losses, 0.0)))
        value = math.exp(float(logsumexp(logs + np.where(orders > 0, gained, passed))))
        return Enclosed(value=value, error=1e-9 * value)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """Every budget checked and delta summed in balls; None where a budget cannot be shown to hold."""
        logs, losses = self._lattice()
        opened, most = self._open()
        if not opened.size:
            return Enclosed(value=0.0, proved=True)
        weights = [flint.arb(log).exp() for log in logs.tolist()]
        total = sum(weights, flint.arb(0))
        # the losses are those of the lattice with probabilities weights / total on D, and these by e^-loss on D'
        back = sum((w * (-flint.arb(x)).exp() for w, x in zip(weights, losses.tolist(), strict=True)), flint.arb(0))
        shift = (back / total).log()
        orders, added, rare = self._strategy()
        epsilon, found = exact_ball(self.epsilon), flint.arb(0)
        first = int(opened[most.argmax()])
        left = {first: self._left(first, weights, total, losses, shift)}
        if not left[first] > 0:
            return None
        for index, order in enumerate(orders.astype(int).tolist()):
            loss = flint.arb(losses[index]) + shift
            if order == 0:
                gain = (1 - (epsilon - loss).exp()).max(flint.arb(0))
                found += weights[index] / total * gain
                continue
            power = order - 1
            if order not in left:
                left[order] = self._left(order, weights, total, losses, shift)
            chance, more = flint.arb(rare[index]).exp(), flint.arb(added[index])
            there = chance * (-more).exp()
            kept, lost = 1 - chance, 1 - there
            forth = chance * (power * more).exp() + kept**order / lost**power
            turned = there**order / chance**power + lost**order / kept**power
            if not (forth < left[order].exp() and turned < left[order].exp()):
                return None
            found += weights[index] / total * (chance - (epsilon - loss).exp() * there).max(flint.arb(0))
        promised = exact_ball(self.delta) if self.promised == "target" else flint.arb(self.printed().value)
        return quotient(found, promised)

    def _left(
        self, order: int, weights: list[flint.arb], total: flint.arb, losses: Float, shift: flint.arb
    ) -> flint.arb:
        """(order - 1) times what the first release leaves, the larger direction."""
        power = order - 1
        forth = back = flint.arb(0)
        for weight, loss in zip(weights, losses.tolist(), strict=True):
            told = flint.arb(loss) + shift
            forth += weight / total * (power * told).exp()
            back += weight / total * (-order * told).exp()
        share = flint.arb(order)
        lost = -share.log() + power * (1 - 1 / share).log() if self.conversion == "tight" else flint.arb(0)
        budget = power * exact_ball(self.epsilon) + exact_ball(self.delta).log() - lost
        return budget - forth.max(back).log()
