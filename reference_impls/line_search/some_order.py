"""BL-FILTER: a budget epsilon_tot(alpha) at many orders, and a run that goes on while *some* order can pay.

Section IV-C keeps epsilon_tot(alpha) = epsilon - log(1 / delta) / (alpha - 1) (Proposition 1) at the orders 2 to 500,
halts when the remainder is too small at all of them, and says that then the whole run is (alpha,
epsilon_tot(alpha))-RDP and (epsilon, delta)-DP. Budgets depend on what came out, so which order is left over depends
on it too. Readings:

- (a) *every order stays within its budget* (:class:`EveryOrder`): Gaussian releases until the last order is spent cost
  alpha rho*, rho* the largest epsilon_tot(alpha) / alpha, hence more than every other order's budget.
- (b) *some order does* (:class:`AnyOrder`): a public coin chooses between such Gaussians, which fit at one order, and
  randomised response with epsilon_0 = epsilon_tot(500), which fits at the largest orders only. Each run obeys the rule;
  with costs g and r of the two, both together have log((e^((alpha - 1) g) + e^((alpha - 1) r)) / 2) / (alpha - 1),
  which is above the budget at every order.
- (c) *the (epsilon, delta) of the best order holds* (:class:`BestOrder`). An adversary first lets a lattice Gaussian
  spread the privacy loss L, then spends what is left at the order that suits the loss that came out on one rare event,
  which carries L to epsilon + log(alpha / (alpha - 1)), where a conversion is tight. Its delta is exact.

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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import flint
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import logsumexp

from dpverify.core.claim import Reading, SearchSpace
from dpverify.core.errors import InputError
from dpverify.core.measure import Enclosed
from dpverify.core.remark import Remark, Shown
from dpverify.definitions.upper_bound import UpperBound
from dpverify.laws.balls import at_working_precision, exact_ball
from reference_impls.accounting.lemma import checked, lemma_claim, quotient, repaired

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

Float = NDArray[np.float64]
ORDERS = np.arange(2.0, 501.0)
"""Section IV-C."""
USED = np.unique(np.round(np.geomspace(2.0, 500.0, 56)))
"""Those that the adversary of (c) spends: enough for it, and quick."""
POINTS = 24
"""Of the lattice, on each side of 0."""
SPARE = 1e-9
"""Share of a rare event's probability that is given up, so that budgets hold in exact arithmetic too."""
COIN = (
    "The run here: a public fair coin, then either Gaussian releases of any small size until no order can pay, or one "
    "randomised response that only the largest orders pay for. Both obey the rule; orders are whole, 2 to 500, and "
    "those below the first with a budget above 0 promise nothing."
)
LARGEST = 700.0
"""Exponents beyond which e^x - 1 is e^x."""


def log_shares(orders: Float) -> Float:
    """log c_alpha."""
    return np.asarray(-np.log(orders) + (orders - 1.0) * np.log1p(-1.0 / orders))


def printed_budgets(epsilon: float, delta: float) -> tuple[Float, Float]:
    """The orders that have a budget above 0, and the budgets."""
    budgets = epsilon + math.log(delta) / (ORDERS - 1.0)
    return ORDERS[budgets > 0], budgets[budgets > 0]


def _checked_budget(subject: Any) -> None:
    checked(subject, epsilon=(1e-3, 1e3), delta=(1e-100, 0.5))
    if not printed_budgets(subject.epsilon, subject.delta)[0].size:
        raise InputError(
            f"{type(subject).__name__}: epsilon = {subject.epsilon:g}, delta = {subject.delta:g}",
            allowed="a budget above 0 at an order up to 500",
        )


def _one_or_some(subject: Any) -> None:
    if subject.kept not in ("some", "one"):
        raise InputError(f"{type(subject).__name__}: kept = {subject.kept!r}", allowed="some, one")


@dataclass(frozen=True, slots=True, kw_only=True)
class EveryOrder:
    """Gaussian releases until no order has anything left.

    Attributes
    ----------
    epsilon, delta : float
        Of the whole run.
    order : float
        Rounded, 2..500: which order's budget is looked at.
    kept : "some" or "one"
        Run while some order can pay, or while `order` can.
    """

    epsilon: float = 0.2
    delta: float = 1e-8
    order: float = 500.0
    kept: Literal["some", "one"] = "some"

    def __post_init__(self) -> None:
        checked(self, order=(2, 500))
        _checked_budget(self)
        _one_or_some(self)

    def _spent(self) -> tuple[float, float]:
        """rho*, and the budget at `order`, maybe below 0."""
        orders, budgets = printed_budgets(self.epsilon, self.delta)
        own = self.epsilon + math.log(self.delta) / (round(self.order) - 1.0)
        return own / round(self.order) if self.kept == "one" else float(np.max(budgets / orders)), own

    def printed(self) -> Enclosed:
        """The budget; nothing is promised where it is not above 0."""
        own = self._spent()[1]
        return Enclosed(value=own if own > 0 else math.inf)

    def truth(self) -> Enclosed:
        """order rho*."""
        return Enclosed(value=max(round(self.order) * self._spent()[0], 0.0))

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """With rho* rounded down, so that the budget where it is reached holds."""
        rho, own = self._spent()
        order = round(self.order)
        printed = _budget_ball(self.epsilon, self.delta, order)
        return quotient(flint.arb(rho * (1 - SPARE)) * order, printed) if own > 0 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOrder:
    """A public coin between Gaussians and randomised response, each until nothing is left.

    Attributes
    ----------
    epsilon, delta, kept
        As in :class:`EveryOrder`; the one order that is kept is where the Gaussians' budget ends.
    """

    epsilon: float = 0.2
    delta: float = 1e-8
    kept: Literal["some", "one"] = "some"

    def __post_init__(self) -> None:
        _checked_budget(self)
        _one_or_some(self)

    def _choices(self) -> tuple[Float, Float, float, float]:
        """Orders, their budgets, rho* and epsilon_0, the last two a hair below what fits."""
        orders, budgets = printed_budgets(self.epsilon, self.delta)
        best = int(np.argmax(budgets / orders))
        if self.kept == "one":
            orders, budgets = orders[best : best + 1], budgets[best : best + 1]
        rho, last = float(np.max(budgets / orders)), float(budgets[-1])
        response = last
        if self.kept == "one":
            response = float(brentq(lambda e: float(_response(orders[:1], e)[0]) - last, last, 4 * last + 4))
        return orders, budgets, rho * (1 - SPARE), response * (1 - SPARE)

    def _costs(self) -> tuple[Float, Float, int]:
        """Divergences, budgets, and where they are nearest."""
        orders, budgets, rho, response = self._choices()
        powers = orders - 1.0
        costs = (np.logaddexp(powers * orders * rho, powers * _response(orders, response)) - math.log(2.0)) / powers
        return costs, budgets, int(np.argmin(costs / budgets))

    def printed(self) -> Enclosed:
        """The budget of the order that comes nearest to staying within it."""
        _, budgets, at = self._costs()
        return Enclosed(value=float(budgets[at]))

    def truth(self) -> Enclosed:
        """The divergence there."""
        costs, _, at = self._costs()
        return Enclosed(value=float(costs[at]))

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The least ratio over all orders with a budget, in balls."""
        orders, _, rho, response = self._choices()
        least = flint.arb.pos_inf()
        one = 1 / (1 + (-flint.arb(response)).exp())
        for order in orders.astype(int).tolist():
            power = order - 1
            gaussian = (power * order * flint.arb(rho)).exp()
            told = one**order / (1 - one) ** power + (1 - one) ** order / one**power
            budget = _budget_ball(self.epsilon, self.delta, order)
            least = least.min(((gaussian + told) / 2).log() / power / budget)
        return quotient(least, flint.arb(1))


@dataclass(frozen=True, slots=True, kw_only=True)
class BestOrder:
    """The adversary of (c).

    Attributes
    ----------
    epsilon, delta : float
        What is claimed of the run.
    spread : float
        s > 0: the lattice Gaussian is exp(-(x - s)^2 / 2) on D and exp(-(x + s)^2 / 2) on D'.
    top : float
        > 1: the lattice reaches 4 beyond s (2 top - 1).
    conversion : "printed" or "tight"
        Which budgets epsilon_tot(alpha) the target gives.
    kept : "some" or "one"
        Orders that may be left over: any, or one that was fixed before the run (the one with the most left then).
    promised : "target" or "sum"
        The delta that is claimed: the target, or the sum over orders.
    """

    epsilon: float = 0.2
    delta: float = 1e-8
    spread: float = 0.008
    top: float = 24.0
    conversion: Literal["printed", "tight"] = "printed"
    kept: Literal["some", "one"] = "some"
    promised: Literal["target", "sum"] = "target"

    def __post_init__(self) -> None:
        checked(self, spread=(1e-6, 10), top=(1, 1000))
        _checked_budget(self)
        _one_or_some(self)
        for name, allowed in (("conversion", ("printed", "tight")), ("promised", ("target", "sum"))):
            if getattr(self, name) not in allowed:
                raise InputError(f"BestOrder: {name} = {getattr(self, name)!r}", allowed=", ".join(allowed))

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


def _response(orders: Float, epsilon: float) -> Float:
    """The divergence of randomised response at each order."""
    powers, high, low = orders - 1.0, -np.log1p(np.exp(-epsilon)), -np.log1p(np.exp(epsilon))
    return np.asarray(np.logaddexp(orders * high - powers * low, orders * low - powers * high) / powers)


def _budget_ball(epsilon: float, delta: float, order: int) -> flint.arb:
    return exact_ball(epsilon) + exact_ball(delta).log() / (order - 1)


def shown_filter() -> Shown:
    """At the paper's epsilon = 0.2, delta = 1e-8: each reading's excess, and the sum that holds of (c)."""
    every, some = EveryOrder(order=100.0), AnyOrder()
    best, tight = BestOrder(), BestOrder(conversion="tight")
    bound = BestOrder(promised="sum").printed().value
    ratios = [each.truth().value / each.printed().value for each in (every, some, best, tight)]
    numbers = (
        ("(a) cost over budget at order 100", ratios[0]),
        ("(b) least cost over budget of all orders", ratios[1]),
        ("(c) largest delta found over the target, Proposition 1", ratios[2]),
        ("(c) proved delta over the target, Proposition 1", bound / best.delta),
        ("(c) largest delta found over the target, tight conversion", ratios[3]),
    )
    return Shown(numbers=numbers, holds=min(ratios[0], ratios[1], ratios[3]) > 1 > bound / best.delta > ratios[2])


def shown_some() -> Shown:
    """(b) at the paper's epsilon = 0.2, delta = 1e-8: what each branch keeps, and what both together cost."""
    subject, kept = AnyOrder(), AnyOrder(kept="one")
    orders, budgets, rho, response = subject._choices()
    costs, _, at = subject._costs()
    first, second = orders * rho / budgets, _response(orders, response) / budgets
    numbers = (
        ("orders with a budget", float(orders.size)),
        ("the least of them", float(orders[0])),
        ("Gaussians: rho", rho),
        ("their cost over the budget at the order that they keep", float(first.min())),
        ("that order", float(orders[first.argmin()])),
        ("randomised response: epsilon_0", response),
        ("its cost over the budget at the order that it keeps", float(second.min())),
        ("that order", float(orders[second.argmin()])),
        ("both: least cost over budget of all orders", float(costs[at] / budgets[at])),
        ("at order", float(orders[at])),
        ("one order kept: its cost over its budget", kept.truth().value / kept.printed().value),
    )
    holds = max(numbers[3][1], numbers[6][1], numbers[10][1]) <= 1.0 < numbers[8][1]
    return Shown(numbers=numbers, holds=holds)


def register(registry: Registry) -> None:
    """Offer the subjects, their claims and remarks."""
    registry.mechanisms.add("lemma-every-order", EveryOrder)
    registry.mechanisms.add("lemma-any-order", AnyOrder)
    registry.mechanisms.add("lemma-best-order", BestOrder)
    target: dict[str, Any] = {"epsilon": 0.2, "delta": 1e-8}
    most = {"epsilon": (0.1, 10.0)}
    adversary = {"epsilon": (0.1, 100.0), "delta": (1e-12, 0.1), "spread": (1e-3, 2.0), "top": (2.0, 600.0)}

    def reading(key: str, text: str, subject: str, boxes: dict[str, tuple[float, float]], **more: Any) -> Reading:
        return Reading(
            key=key,
            text=text,
            subject=f"lemma-{subject}-order",
            parameters=more,
            space=SearchSpace(parameters=boxes),
        )

    own = {"spread": 0.008, "top": 24.0}
    printed = (
        reading("a", "every order stays within its budget", "every", most | {"order": (2.0, 500.0)}, order=500.0),
        reading("b", "some order does", "any", most),
        reading("c", "the (epsilon, delta) of the best order holds, by Proposition 1", "best", adversary, **own),
        reading("c-tight", "the same by the tight conversion", "best", adversary, **own, conversion="tight"),
    )
    mended = (
        reading("a", "that order stays within it", "every", most | {"order": (2.0, 500.0)}, order=500.0, kept="one"),
        reading("b", "that order does, whatever a coin decides", "any", most, kept="one"),
        reading(
            "c-tight",
            "its (epsilon, delta), tight conversion",
            "best",
            adversary,
            **own,
            conversion="tight",
            kept="one",
        ),
        reading(
            "c-sum",
            "no order fixed; delta is the sum over orders, tight conversion",
            "best",
            adversary,
            **own,
            conversion="tight",
            promised="sum",
        ),
    )
    for name, source, readings, words in (
        ("BL-FILTER", ("BLSGD", "IV-C"), printed, "Costs are chosen while running, until no order can pay"),
        ("BL-FILTER-R", repaired("BLSGD IV-C"), mended, "One order's budget is kept, fixed before the run"),
    ):
        claim = lemma_claim(
            name,
            subject="lemma-every-order",
            quantity="renyi",
            source=source,
            statement=f"{words}; epsilon_tot(alpha) at orders 2 to 500.",
            parameters=target,
        )
        deltas = UpperBound(quantity="delta")
        registry.add_claim(
            replace(
                claim,
                readings=tuple(
                    replace(each, guarantee=deltas) if each.key.startswith("c") else each for each in readings
                ),
            )
        )
    breaks = (
        "Section IV-C stops when the remainder is too small at *all* orders, so a run may overspend every order but "
        "one, and which one that is depends on what came out. Lemma 3 and Proposition 1 are about one order that was "
        "fixed: the bound that each branch keeps is kept at another order."
    )
    for key, means, instead in (
        (
            "a",
            "The epsilon_tot(alpha) curve is no guarantee of the run: at most orders it costs more, at order 100 "
            "almost four times as much (epsilon = 0.2, delta = 1e-8).",
            "Stop when the first order is spent, or claim only the order that was fixed before the run.",
        ),
        (
            "b",
            "There may be no order at all, of those that section IV-C keeps, at which the run keeps its budget, since "
            "each branch keeps another. Shown for an adversary who may choose every release; whether the choices that "
            "Algorithm 2 itself makes can do it was not looked at.",
            "Fix one order before the run from public numbers, as dp-blsgd-repaired does.",
        ),
        (
            "c",
            "With Proposition 1 and whole orders from 2 to 500 the slack of that conversion pays for the choice: at "
            "epsilon <= 0.4 and delta = 1e-8 the stated delta is proved (the sum of c_alpha is below 1), and never is "
            "it more than 2.3 times what is stated.",
            "State the sum over orders, or fix the order.",
        ),
        (
            "c-tight",
            "An implementation that reads epsilon off the best order by the tight conversion, as libraries do, may "
            "understate delta: 2.5 times at the paper's epsilon and delta, by this adversary.",
            "Fix the order before the run, or add up delta over the orders that may be chosen.",
        ),
    ):
        name = f"BL-FILTER.{key}"
        why, shown = (f"{breaks} {COIN}", shown_some) if key == "b" else (breaks, shown_filter)
        registry.remarks.add(name, Remark(claim=name, breaks=why, means=means, instead=instead, shown=shown))
