"""Zero-concentrated differential privacy (Bun, Steinke 2016, arXiv 1605.02065): D_a <= rho a at every order a > 1.

Curve and profile are those of the region that all orders together leave to events (``renyi_curve``); its limit a -> 1
is KL <= rho. The best order differs along the curve: it is found on a grid and refined, and a wrong order only
widens the region, so a measured point outside refutes the claim. Exact to about 1e-9, outward.
Not to be confused with GDP: mu-GDP implies mu^2/2-zCDP, and the zCDP region is strictly larger.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpverify.core.measure import Measure
from dpverify.core.registry import Registry
from dpverify.core.rules import NonNegative
from dpverify.core.subjects import Float
from dpverify.definitions.approx_dp import corner_profile, corner_tradeoff
from dpverify.definitions.parameters import Parametrised
from dpverify.definitions.renyi_curve import region_profile, region_tradeoff

HEADLINE_ORDER = 2.0
ORDERS = (1.25, 1.5, 3.0, 4.0, 8.0, 16.0, 32.0, 64.0)
_LEAST_S = 1e-4  # between KL and order 1.0001 the curve moves by less than 1e-9 (rho <= 20)
_GRID = np.linspace(0.0, 1.0, 40)[:, None]
_GRID_TURNS = 2  # the first Newton step comes from afar: look over the whole grid again
_SPREADS = (0.3, 0.1, 0.01, 0.001, 0.001)


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
    registry.definitions.add("ZCDP", ZCDP)
