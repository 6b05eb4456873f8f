"""The cost of a composition as an attacker's chances: what any attack on any two neighbours can reach at most.

Result: with delta(e) at every epsilon e, no test with false-positive rate a has a true-positive rate above
min over e >= 0 of delta(e) + exp(e) a and of 1 - exp(-e) (1 - delta(e) - a) (Wasserman and Zhou 2010; Dong, Roth, Su
2019, Proposition 2.12). Any e gives a bound, so a search over finitely many costs sharpness, not soundness.

- power: that rate at stated false-positive rates;
- advantage: the largest difference of the two rates, delta at epsilon = 0 (total variation);
- posterior: what an alarm at a false-positive rate makes of a prior probability of membership, by Bayes;
- reconstruction: a secret that is guessed with probability k without the output is reconstructed with the power at k at
  most (Hayes, Mahloujifar, Balle 2023; Kaissis et al. 2023);
- equivalent mu: of the Gaussian pair with the same advantage, 2 times the normal quantile of (1 + advantage) / 2.

Side: upper, all of it. Nothing is said of what a given attack does reach.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from dpverify.accounting.side_by_side import LONGEST_TITLE, admitted, written
from dpverify.core.composition import Composed, Composition
from dpverify.core.errors import DpverifyError, InputError
from dpverify.core.plugins import registry
from dpverify.shown.mixin import Displayed
from dpverify.shown.rounded import rounded_bound
from dpverify.shown.view import View
from dpverify.stats.attacker import PRIOR, RATES, ROUNDING, equivalent_mu, posterior

LARGEST = 60.0
"""No epsilon above this is asked for: exp of it exceeds any inverse rate that is told."""
PLACES = (0.0, *np.geomspace(1e-3, LARGEST, 24).tolist())
"""Epsilons of the first search; the smallest bound is then looked for between neighbours, to within `NEAR`."""
NEAR = 1e-7
FIRST_LOOK = (0.0, 0.3, 1.0, 3.0, 8.0)
"""Epsilons at which all accountants are asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk(Displayed):
    """Upper limits on every attacker's chances.

    Attributes
    ----------
    composition : str
        As the grammar of compositions reads it.
    relation : str
        The neighbour relation.
    prior : float
        Probability of membership before the output is seen.
    power : mapping of float to float
        Largest true-positive rate by false-positive rate.
    posterior : mapping of float to float
        Largest probability of membership after an alarm, by false-positive rate.
    reconstruction : mapping of float to float
        Largest probability that a secret is reconstructed, by that of guessing it without the output.
    advantage : float
        Largest true-positive rate minus false-positive rate.
    mu : float
        Of the Gaussian pair with that advantage.
    accountants : tuple of str
        Whose bounds were used, each where it is the smallest.
    """

    composition: str
    relation: str
    prior: float
    power: Mapping[float, float]
    posterior: Mapping[float, float]
    reconstruction: Mapping[float, float]
    advantage: float
    mu: float
    accountants: tuple[str, ...]

    def view(self) -> View:
        """The view has a row for each false-positive rate."""
        rows = [
            (
                f"{rate:g}",
                rounded_bound(self.power[rate], up=True),
                rounded_bound(self.posterior[rate], up=True),
                rounded_bound(self.reconstruction[rate], up=True),
            )
            for rate in self.power
        ]
        facts = [("advantage", f"at most {rounded_bound(self.advantage, up=True)}")]
        facts.append(("equivalent mu", f"at most {rounded_bound(self.mu, up=True)}"))
        facts.append(("prior", f"{self.prior:g}"))
        return View(
            title=f"What an attacker can reach at most against {self.composition[:LONGEST_TITLE]}",
            facts=facts,
            table=[("false positives or guessing", "true positives", "posterior", "reconstruction"), *rows],
        )

    def record(self) -> dict[str, Any]:
        """Plain JSON values; rates are keys as texts."""
        told = {name: getattr(self, name) for name in ("prior", "advantage", "mu")}
        for name in ("power", "posterior", "reconstruction"):
            told[name] = {f"{rate:g}": value for rate, value in getattr(self, name).items()}
        return {**told, "side": "upper", "accountants": list(self.accountants)}


def risk(
    composition: Composition | str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
    *,
    rates: Iterable[float] = RATES,
    prior: float = PRIOR,
    accountants: Iterable[str] | None = None,
) -> Risk:
    """Say what any attacker can reach at most against a composition.

    Parameters
    ----------
    composition : Composition, str, mapping, or list of mappings
        As for `dpverify.account`.
    rates : iterable of float
        False-positive rates in (0, 1); they also stand for the chance of guessing a secret without the output.
    prior : float
        Probability of membership before the output is seen, in (0, 1).
    accountants : iterable of str or None
        Names of those to ask; None uses all that apply.

    Returns
    -------
    Risk
        Every number errs upward: no attack on two neighbours exceeds it.

    Raises
    ------
    InputError
        Bad text or numbers, an unknown accountant, or none that applies.
    """
    from dpverify.accounting.composition_spec import composition_of

    told = tuple(float(rate) for rate in rates)
    for name, value in [("a false-positive rate", rate) for rate in told] + [("prior", prior)]:
        if not 0.0 < value < 1.0:
            raise InputError(f"{name} = {value:g}", allowed="a number in (0, 1)", remedy="such as 0.01")
    found = composition_of(composition, registry())
    composed = _composed(found, accountants)
    curve = _Smallest(composed)
    power = {rate: power_at(curve, rate) for rate in told}
    advantage = min(1.0, curve(0.0))
    return Risk(
        composition=written(found),
        relation=found.relation,
        prior=prior,
        power=power,
        posterior={rate: posterior(power[rate], rate, prior, up=True) for rate in told},
        reconstruction=power,
        advantage=advantage,
        mu=equivalent_mu(advantage, up=True),
        accountants=tuple(sorted(curve.used)),
    )


def power_at(delta: Callable[[float], float], rate: float) -> float:
    """The largest true-positive rate at a false-positive rate, from upper bounds of delta; an upper bound."""
    asked: dict[float, float] = {}

    def bound(at: float) -> float:
        """The bound at e, and at -e that of the reverse direction: both have one minimum, for delta is convex."""
        if at not in asked:
            found, times = delta(abs(at)), math.exp(at)
            loose = found + times * rate if at >= 0 else -math.expm1(at) + times * (found + rate)
            asked[at] = min(1.0, loose * (1 + ROUNDING))
        return asked[at]

    places = [float(sign * place) for sign in (-1, 1) for place in PLACES[::sign]]
    best = min(range(len(places)), key=lambda place: bound(places[place]))
    ends = places[max(best - 1, 0)], places[min(best + 1, len(places) - 1)]
    minimize_scalar(bound, bounds=ends, method="bounded", options={"xatol": NEAR})
    return min(asked.values())


class _Smallest:
    """The smallest sound upper bound of delta at an epsilon, and whose bounds were the smallest somewhere.

    After a first look only accountants that were the smallest at one of a few epsilons are asked: others cost time.
    """

    def __init__(self, composed: Mapping[str, Composed]) -> None:
        self.composed = composed
        self.used: set[str] = set()
        self.known: dict[float, float] = {}
        for epsilon in FIRST_LOOK:
            self(epsilon)
        self.composed = {name: composed[name] for name in self.used}

    def __call__(self, epsilon: float) -> float:
        if epsilon not in self.known:
            bounds = {name: each.delta(epsilon).upper for name, each in self.composed.items()}
            best = min(bounds, key=bounds.__getitem__)
            self.used.add(best)
            self.known[epsilon] = min(bounds[best], 1.0)
        return self.known[epsilon]


def _composed(found: Composition, names: Iterable[str] | None) -> dict[str, Composed]:
    """The composition as the accountants see it whose upper ends hold."""
    section = registry().accountants
    chosen = dict(section.items()) if names is None else {name: section.get(name) for name in names}
    composed, why = {}, ""
    for name, accountant in chosen.items():
        if accountant.side not in ("upper", "bracket"):
            continue
        try:
            composed[name] = admitted(accountant, found).compose(found)
        except DpverifyError as problem:
            why = why or f": {problem}"
    if not composed:
        told = f"no accountant with an upper end applies to {written(found)[:LONGEST_TITLE]}{why}"
        remedy = "`dpverify account` says what each refuses"
        raise InputError(told, allowed="a composition that one prices", remedy=remedy)
    return composed
