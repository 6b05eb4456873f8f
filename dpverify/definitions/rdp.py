"""Renyi differential privacy (Mironov 2017, arXiv 1702.07476): the Renyi divergence of order a is at most epsilon(a).

The claim holds for both (P, Q) and (Q, P), at one order or along a curve of orders. Curve and profile are those of the
tightest region that the claimed orders leave to events (``renyi_curve``), rounded outward: a measured point outside
refutes the claim. Order inf is pure DP. Not to be confused with the (epsilon, delta) that accountants convert it to.
Cost of 1000 rates: about 1 ms for one order, 10 ms for sixty.

Zero-concentrated differential privacy (Bun, Steinke 2016, arXiv 1605.02065): D_a <= rho a at every order a > 1.

Curve and profile are those of the region that all orders together leave to events (``renyi_curve``); its limit a -> 1
is KL <= rho. The best order differs along the curve: it is found on a grid and refined, and a wrong order only
widens the region, so a measured point outside refutes the claim. Exact to about 1e-9, outward.
Not to be confused with GDP: mu-GDP implies mu^2/2-zCDP, and the zCDP region is strictly larger.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.core.registry import Registry
from dpverify.core.rules import NON_NEGATIVE, Between, Each, NonNegative
from dpverify.core.subjects import Float
from dpverify.definitions.parameters import Parametrised, sentence, written
from dpverify.definitions.pure_dp import corner_profile, corner_tradeoff
from dpverify.definitions.renyi_curve import region_profile, region_tradeoff

_FORMS = "RDP(order=2, epsilon=0.5) or RDP(orders=(2, 4), epsilons=(0.5, 1))"


HEADLINE_ORDER = 2.0
ORDERS = (1.25, 1.5, 3.0, 4.0, 8.0, 16.0, 32.0, 64.0)
_LEAST_S = 1e-4  # between KL and order 1.0001 the curve moves by less than 1e-9 (rho <= 20)
_GRID = np.linspace(0.0, 1.0, 40)[:, None]
_GRID_TURNS = 2  # the first Newton step comes from afar: look over the whole grid again
_SPREADS = (0.3, 0.1, 0.01, 0.001, 0.001)


@dataclass(frozen=True, slots=True, kw_only=True)
class RDP(Parametrised):
    """The claim that Renyi divergences between neighbours, both ways, are at most `epsilon` at `order`.

    Either `order` and `epsilon`, or `orders` and `epsilons`; a curve of one order becomes that order.

    Attributes
    ----------
    order, epsilon : float or None
        One order in (1, inf], and its bound in nats, finite, >= 0; None for a curve.
    orders, epsilons : tuple of float
        A curve of at least two orders, strictly increasing, with as many bounds; empty for one order.

    Raises
    ------
    InputError
        For anything else.
    """

    order: float | None = None
    epsilon: float | None = None
    orders: tuple[float, ...] = ()
    epsilons: tuple[float, ...] = ()

    def validate(self) -> None:
        """One of the two forms, and a curve of rising orders."""
        single = (self.order is not None) + (self.epsilon is not None)
        listed = _given(self.orders) + _given(self.epsilons)
        if (single, listed) not in ((2, 0), (0, 2)):
            names = ("order", "epsilon", "orders", "epsilons")
            given = [name for name in names if getattr(self, name) is not None and _given(getattr(self, name))]
            raise InputError(f"RDP given {' and '.join(given) or 'nothing'}", allowed=_FORMS)
        pair = (self.order,), (self.epsilon,)
        orders, epsilons = pair if single else (self.orders, self.epsilons)
        ending = "" if single else "s"
        orders = Each(Between(1, math.inf, open="low")).checked(f"RDP: order{ending}", orders)
        epsilons = Each(NON_NEGATIVE).checked(f"RDP: epsilon{ending}", epsilons)
        if len(orders) != len(epsilons) or not orders:
            what = f"RDP with {len(orders)} orders and {len(epsilons)} epsilons"
            raise InputError(what, allowed="as many of the one as of the other, at least one")
        if any(after <= before for before, after in pairwise(orders)):
            raise InputError(f"RDP: orders = {written(orders)}", allowed="strictly increasing", remedy="sort them")
        if len(orders) == 1:
            values: tuple[object, ...] = (orders[0], epsilons[0], (), ())
        else:
            values = (None, None, orders, epsilons)
        for name, value in zip(("order", "epsilon", "orders", "epsilons"), values, strict=True):
            object.__setattr__(self, name, value)

    @property
    def curve(self) -> tuple[tuple[float, float], ...]:
        """(order, bound) at every claimed order, in increasing order."""
        if self.order is not None and self.epsilon is not None:
            return ((self.order, self.epsilon),)
        return tuple(zip(self.orders, self.epsilons, strict=True))

    @classmethod
    def examples(cls) -> tuple[RDP, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(order=2, epsilon=0.5),
            cls(order=math.inf, epsilon=1),
            cls(order=1.01, epsilon=1),
            cls(order=32, epsilon=0),
            cls(orders=(1.5, 2, 4, 8, 64), epsilons=(0.1, 0.2, 0.3, 1, 20)),
            cls(orders=(2, math.inf), epsilons=(0.2, 1)),
        )

    def text(self) -> str:
        """``RDP(order=2, epsilon=0.5)`` or ``RDP(orders=(2, 4), epsilons=(0.5, 1))``."""
        if self.order is not None and self.epsilon is not None:
            return sentence("RDP", order=self.order, epsilon=self.epsilon)
        return sentence("RDP", orders=self.orders, epsilons=self.epsilons)

    def measures(self) -> tuple[Measure, ...]:
        """The divergence at each claimed order, in increasing order."""
        return tuple(Measure(kind="renyi", argument=order, claimed=bound) for order, bound in self.curve)

    def scaled(self, factor: float) -> RDP:
        """The same orders, every bound times `factor` > 0."""
        orders, bounds = zip(*self.curve, strict=True)
        return RDP(orders=orders, epsilons=tuple(factor * bound for bound in bounds))

    def delta(self, epsilon: ArrayLike, *, reverse: bool = False) -> Float:
        """Largest delta allowed at `epsilon` (nats, any sign and shape), never below what the definition implies."""
        claimed, finite = self._parts()
        if finite is None:
            return corner_profile(epsilon, claimed, 0.0)
        return region_profile(epsilon, finite, widest=claimed)

    def tradeoff(self, alpha: ArrayLike, *, reverse: bool = False) -> Float:
        """Least false-negative rate allowed at rates `alpha` (any shape), never above what the definition implies."""
        claimed, finite = self._parts()
        if finite is None:
            return corner_tradeoff(alpha, claimed, 0.0)
        return region_tradeoff(alpha, finite, widest=claimed)

    def _parts(self) -> tuple[float, _Listed | None]:
        """The bound at order inf, and the finite orders; a bound of 0 anywhere means P = Q, which is pure DP with 0."""
        if min(bound for _, bound in self.curve) == 0:
            return 0.0, None
        finite = {order - 1: bound for order, bound in self.curve if math.isfinite(order)}
        last, widest = self.curve[-1]
        listed = _Listed(s=np.array([*finite]), bounds=np.array([*finite.values()])) if finite else None
        return (widest if math.isinf(last) else math.inf), listed


def _given(values: object) -> bool:
    return not (isinstance(values, tuple) and not values)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Listed:
    """Finitely many orders: all of them in every turn."""

    s: Float
    bounds: Float

    @property
    def turns(self) -> int:
        return 1

    def candidates(self, rates: Float, turn: int, chosen: Float) -> Float:
        return self.s[:, None]

    def between(self, candidates: Float, gains: Float) -> None:
        return None

    def bound(self, s: Float) -> Float:
        return np.asarray(self.bounds[np.searchsorted(self.s, s)])


@dataclass(frozen=True, slots=True, kw_only=True)
class ZCDP(Parametrised):
    """The claim that Renyi divergences of every order a > 1 between neighbours, both ways, are at most rho a.

    Attributes
    ----------
    rho : float
        Finite, >= 0.

    Raises
    ------
    InputError
        For any other rho.
    """

    rho: NonNegative

    @classmethod
    def examples(cls) -> tuple[ZCDP, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (cls(rho=0.5), cls(rho=0.005), cls(rho=0), cls(rho=5))

    def measures(self) -> tuple[Measure, ...]:
        """The divergence on a grid of orders, order 2 first.

        Order 2 is the headline because exact laws know it best (it is log(1 + chi-square)) and because of the integer
        orders it is the one whose estimate has the least noise.
        """
        return tuple(
            Measure(kind="renyi", argument=order, claimed=self.rho * order) for order in (HEADLINE_ORDER, *ORDERS)
        )

    def scaled(self, factor: float) -> ZCDP:
        """``ZCDP(rho=factor * rho)``, for `factor` > 0."""
        return ZCDP(rho=factor * self.rho)

    def delta(self, epsilon: ArrayLike, *, reverse: bool = False) -> Float:
        """Largest delta allowed at `epsilon` (nats, any sign and shape), never below what the definition implies."""
        if self.rho == 0:
            return corner_profile(epsilon, 0.0, 0.0)
        return region_profile(epsilon, _Every(rho=self.rho))

    def tradeoff(self, alpha: ArrayLike, *, reverse: bool = False) -> Float:
        """Least false-negative rate allowed at rates `alpha` (any shape), never above what the definition implies."""
        if self.rho == 0:
            return corner_tradeoff(alpha, 0.0, 0.0)
        return region_tradeoff(alpha, _Every(rho=self.rho))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Every:
    """All orders: first KL, then a grid, then three neighbours of the best so far, ever closer."""

    rho: float

    @property
    def turns(self) -> int:
        return 1 + _GRID_TURNS + len(_SPREADS)

    def candidates(self, rates: Float, turn: int, chosen: Float) -> Float:
        if turn == 0:
            return np.zeros((1, 1))
        if turn <= _GRID_TURNS:
            # Where one term rules, the best order is sqrt(log(1/q) / rho): the grid reaches well beyond it.
            rare = np.minimum(rates, 1 - rates)
            most = 10 * (1 + np.sqrt((1 - np.log(rare)) / self.rho))
            return np.asarray(_LEAST_S * np.exp(_GRID * np.log(most / _LEAST_S)))
        spread = _SPREADS[min(turn - 1 - _GRID_TURNS, len(_SPREADS) - 1)]
        return np.asarray(chosen * np.exp(spread * np.array([[-1.0], [0.0], [1.0]])))

    def between(self, candidates: Float, gains: Float) -> Float | None:
        if len(candidates) < 3:
            return None
        # The vertex of the parabola, in log s, through the best and its neighbours.
        here = np.clip(np.argmax(gains, axis=0), 1, len(candidates) - 2)
        column = np.arange(gains.shape[1])
        before, centre, after = (gains[here + shift, column] for shift in (-1, 0, 1))
        bend = before - 2 * centre + after
        shift = np.where(bend < 0, 0.5 * (before - after) / np.where(bend < 0, bend, 1.0), np.sign(after - before))
        step = np.log(candidates[2] / candidates[1])
        s = candidates[here, column] * np.exp(np.clip(shift, -1.5, 1.5) * step)
        return np.asarray(np.maximum(s, _LEAST_S))

    def bound(self, s: Float) -> Float:
        return np.asarray(self.rho * (1 + s))


def register(registry: Registry) -> None:
    """Register the definition."""
    registry.definitions.add("RDP", RDP)
    registry.definitions.add("ZCDP", ZCDP)
