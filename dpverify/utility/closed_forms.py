"""Costs in closed form, for algorithms that are one release or keep a budget of their own.

Each answers epsilon at a delta and delta at an epsilon as an accountant's result does. Side: upper, but for `Stated`.

How the papers accounted: the moments accountant is a theorem about the steps that it is given; whether these are the
algorithm's is another question (fixed-size or shuffled batches accounted for as Poisson samples, a replaced record as
an added one). Printed curves are formulas as they stand. So neither certifies an algorithm, and both have floors:
whatever the noise, M moments certify no epsilon below ln(1 / delta) / M.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import brentq

from dpverify.accounting import order_search
from dpverify.accounting.accountant_inputs import checked_delta, checked_epsilon, probability
from dpverify.accounting.accountants.rdp_printed import PrintedRdpAccountant
from dpverify.accounting.order_search import Objective, least_whole
from dpverify.accounting.renyi_composed import classic_cost
from dpverify.core.composition import Bracket, Composed, Composition
from dpverify.core.subjects import Float
from dpverify.definitions.gdp import GDP

FARTHEST = 1e6
"""The largest epsilon that is looked for."""
SLACK = 1e-9
"""Relative rise of results, far above their rounding."""


MOMENTS = 32
"""Abadi et al. 2016 look at so many; their orders as Renyi divergences are one more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """An epsilon that a paper states for one delta; at other deltas nothing is said."""

    value: float
    at: float

    def epsilon(self, delta: float) -> Bracket:
        """The stated one, at the stated delta or above."""
        return Bracket(upper=self.value if delta >= self.at else math.inf, note="as stated")

    def delta(self, epsilon: float) -> Bracket:
        """The stated one, at the stated epsilon or above."""
        return Bracket(upper=self.at if epsilon >= self.value else 1.0, note="as stated")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Profile:
    """A bound delta(epsilon), falling; epsilon is its inverse, from the safe side."""

    curve: Callable[[float], float]
    """epsilon >= 0 to an upper bound on delta."""
    note: str = ""
    """What the bound is."""

    def epsilon(self, delta: float) -> Bracket:
        """An upper bound; +inf where none up to `FARTHEST` is enough."""
        delta = checked_delta(delta)
        if delta == 0:
            return Bracket(note="no bound at delta = 0")
        if self._raised(0.0) <= delta:
            return Bracket(upper=0.0, note=self.note)
        high = 1.0
        while self._raised(high) > delta:
            high *= 2.0
            if high > FARTHEST:
                return Bracket(note=f"no bound up to epsilon = {FARTHEST:g}")

        def excess(at: float) -> float:
            return math.log(max(self._raised(at), 1e-300)) - math.log(delta)

        found = float(brentq(excess, 0.0, high, xtol=1e-12 * high, rtol=1e-12))
        step = 1e-12 * high
        while self._raised(found) > delta:
            found, step = found + step, 2.0 * step
        return Bracket(upper=found, note=self.note)

    def delta(self, epsilon: float) -> Bracket:
        """Return an upper bound on delta."""
        return Bracket(upper=min(1.0, self._raised(checked_epsilon(epsilon))), note=self.note)

    def _raised(self, epsilon: float) -> float:
        return self.curve(epsilon) * (1 + SLACK)


def gaussian_profile(mus: Float, weights: Float) -> Profile:
    """One of several Gaussian mechanisms, drawn with public weights (k,), of sensitivities `mus` (k,) over their noise.

    The hockey-stick divergence is jointly convex, so that of the mixtures is at most the mixture of the parts', whose
    profiles are those of N(0, 1), N(mu, 1). It is attained where the answers tell the parts apart.
    """
    parts = [(GDP(mu=float(mu)), float(weight)) for mu, weight in zip(mus, weights, strict=True) if mu > 0 < weight]

    def curve(epsilon: float) -> float:
        return math.fsum(weight * float(part.delta(epsilon)) for part, weight in parts)

    return Profile(curve=curve, note=f"{len(parts)} Gaussian parts")


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOrder:
    """A Renyi bound at one order that was fixed beforehand, converted tightly (Canonne, Kamath, Steinke 2020)."""

    order: float
    bound: float
    note: str = field(default="", compare=False)

    def epsilon(self, delta: float) -> Bracket:
        """Upper bound at `delta` in (0, 1)."""
        delta = checked_delta(delta)
        if delta == 0:
            return Bracket(note="no bound at delta = 0")
        value = order_search.tight_epsilon(np.array([self.order]), np.array([self.bound]), delta)
        return Bracket(upper=float(value[0]), note=f"order {self.order:g}")

    def delta(self, epsilon: float) -> Bracket:
        """Return an upper bound on delta."""
        found = order_search.tight_log_delta(np.array([self.order]), np.array([self.bound]), checked_epsilon(epsilon))
        return Bracket(upper=probability(float(found[0])), note=f"order {self.order:g}")


def replaced(cost: Composed) -> Profile:
    """Group privacy: one record replaced, from a bound for one added or removed: (2 epsilon, (1 + e^epsilon) delta)."""

    def curve(epsilon: float) -> float:
        return (1.0 + math.exp(min(epsilon / 2.0, 700.0))) * cost.delta(epsilon / 2.0).upper

    return Profile(curve=curve, note="one record removed, another added")


def moments(composition: Composition) -> Composed:
    """The moments accountant with `MOMENTS` moments (Abadi et al. 2016, Theorem 2; ADADP Theorem 1)."""
    return classic_cost(composition, search=_few_moments, infinity=False)


def printed_renyi(composition: Composition) -> Composed:
    """Printed curves at whole orders up to 500, by Proposition 1 (BLSGD section IV-C, DISS chapter 2)."""
    return PrintedRdpAccountant().compose(composition)


def _few_moments(objective: Objective) -> tuple[float, float]:
    return least_whole(objective, 2, MOMENTS + 1)
