"""Renyi differential privacy (Mironov 2017, arXiv 1702.07476): the Renyi divergence of order a is at most epsilon(a).

The claim holds for both (P, Q) and (Q, P), at one order or along a curve of orders. Curve and profile are those of the
tightest region that the claimed orders leave to events (``renyi_curve``), rounded outward: a measured point outside
refutes the claim. Order inf is pure DP. Not to be confused with the (epsilon, delta) that accountants convert it to.
Cost of 1000 rates: about 1 ms for one order, 10 ms for sixty.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from dpverify.core.errors import InputError
from dpverify.core.measure import Measure
from dpverify.core.registry import Registry
from dpverify.core.rules import NON_NEGATIVE, Between, Each
from dpverify.core.subjects import Float
from dpverify.definitions.approx_dp import corner_profile, corner_tradeoff
from dpverify.definitions.parameters import Parametrised, sentence, written
from dpverify.definitions.renyi_curve import region_profile, region_tradeoff

_FORMS = "RDP(order=2, epsilon=0.5) or RDP(orders=(2, 4), epsilons=(0.5, 1))"


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


def register(registry: Registry) -> None:
    """Register the definition."""
    registry.definitions.add("RDP", RDP)
