"""NoisyBTLS (BLSGD Algorithm 1), an AboveThreshold with one stop: proved bounds, and those of Theorems 2 and 3.

Scales are in units of Delta: Delta bounds the loss, and with it how far one record moves a query. `queries` says which
moves are possible: ``losses`` in [0, Delta] (Algorithm 1 on clipped non-negative losses), ``bounded`` abs(loss) <=
Delta (as Theorem 1 is worded), ``arbitrary`` queries of sensitivity Delta (all that the proofs use).

- Laplace: pure epsilon_1 + epsilon_2, 2 epsilon_1 + 2 epsilon_2 and epsilon_1 + 2 epsilon_2 in that order: compare the
  integrands for D at z and for D' at z + s, s the largest move. At the paper's split (epsilon / 2, epsilon / 4) these
  are 3/4 epsilon, 3/2 epsilon and epsilon. The Renyi curve is the tight one of a pure bound. Printed: formula (4).
- Gaussian: the bounds of :mod:`~dpverify.accounting.stopping_gaussian`, which depend on max_it. Printed: formula (5).

Side: `renyi` and `pure_epsilon` upper, `printed` as printed. Not to be confused with variants that publish the noisy
answer or go on after a stop.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike

from dpverify.accounting.accountant_inputs import rounded_up
from dpverify.accounting.order_search import real_orders
from dpverify.accounting.steps.guarantees import tight_curve
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Between, NonNegative
from dpverify.core.subjects import Float
from dpverify.definitions.parameters import PublicStep

SHARES = {"losses": (1, 1), "bounded": (2, 2), "arbitrary": (1, 2)}
"""How often epsilon_1 and epsilon_2 are paid."""
LARGEST_MAX_IT = 10**6
"""More queries than any search makes; the Gaussian bound's rounding is stated up to here."""


_Sigma = Annotated[float, Between(1e-100, 1e100)]


_Queries = Literal["losses", "bounded", "arbitrary"]


class _Search(PublicStep):
    """A search; what its queries may do says under which relation its cost holds."""

    __slots__ = ()
    queries: _Queries

    @property
    def relation(self) -> str:  # type: ignore[override]  # of the instance here
        """Add or remove one record of a summed loss; any where Delta itself carries it."""
        return "any" if self.queries == "arbitrary" else "add-remove"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyBtlsLaplaceStep(_Search):
    """One search with Laplace noise, for any max_it."""

    kind = "noisy-btls-laplace"

    epsilon_1: NonNegative
    epsilon_2: NonNegative
    """`epsilon_1`, `epsilon_2`: delta over the scale of the threshold's noise, and of each query's; finite, >= 0."""
    queries: _Queries = "arbitrary"
    """``losses``, ``bounded`` or ``arbitrary``."""

    def validate(self) -> None:
        """The cost is a double."""
        if math.isinf(self.pure_epsilon()):
            raise InputError("noisy-btls-laplace: epsilon_1, epsilon_2 too large", allowed="a sum that is a double")

    @classmethod
    def examples(cls) -> tuple[NoisyBtlsLaplaceStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(epsilon_1=0.5, epsilon_2=0.25, queries="losses"),
            cls(epsilon_1=0.001, epsilon_2=0.0005),
            cls(epsilon_1=1, epsilon_2=0.5, queries="bounded"),
            cls(epsilon_1=0, epsilon_2=0),
        )

    def pure_epsilon(self) -> float:
        """The sum of the costs, rounded up."""
        first, second = SHARES[self.queries]
        return rounded_up(first * Fraction(self.epsilon_1) + second * Fraction(self.epsilon_2))

    def renyi(self, orders: ArrayLike) -> Float:
        """The implication of the pure bound; shape of `orders`."""
        return tight_curve(self.pure_epsilon(), orders)

    def printed(self, orders: ArrayLike) -> Float:
        """Formula (4); shape of `orders`."""
        curve = laplace_curve(real_orders(orders), epsilon_1=self.epsilon_1, epsilon_2=self.epsilon_2)
        return np.asarray(np.maximum(curve, 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyBtlsGaussianStep(_Search):
    """One search with Gaussian noise."""

    kind = "noisy-btls-gaussian"

    sigma_1: _Sigma
    sigma_2: _Sigma
    """`sigma_1`, `sigma_2`: standard deviations of the threshold's noise and of each query's, over Delta; within
    [1e-100, 1e100]."""
    max_it: Annotated[int, Between(1, LARGEST_MAX_IT)]
    """Largest number of queries; in [1, 10^6]."""
    queries: _Queries = "arbitrary"
    """``losses``, ``bounded`` or ``arbitrary``."""

    @classmethod
    def examples(cls) -> tuple[NoisyBtlsGaussianStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(sigma_1=1.5**0.5, sigma_2=3**0.5, max_it=30, queries="losses"),
            cls(sigma_1=20, sigma_2=30, max_it=1000),
            cls(sigma_1=0.5, sigma_2=0.7, max_it=1, queries="bounded"),
        )

    def renyi(self, orders: ArrayLike) -> Float:
        """The sound bound, never below in either direction; shape of `orders`."""
        from dpverify.accounting.stopping_gaussian import MOVES, sound_bound

        array = real_orders(orders)
        bounds = [
            sound_bound(
                order, sigma_1=self.sigma_1, sigma_2=self.sigma_2, max_it=self.max_it, moves=MOVES[self.queries]
            )
            for order in array.ravel().tolist()
        ]
        return np.array(bounds, dtype=np.float64).reshape(array.shape)

    def printed(self, orders: ArrayLike) -> Float:
        """Formula (5), whatever max_it; shape of `orders`."""
        return gaussian_curve(real_orders(orders), sigma_1_squared=self.sigma_1**2, sigma_2_squared=self.sigma_2**2)


def laplace_curve(orders: ArrayLike, *, epsilon_1: float, epsilon_2: float) -> Float:
    """Formula (4): the Laplace version's claimed Renyi epsilon at each order > 1, same shape as `orders`.

    The product of the moments of two Laplace shifts: one of Delta at scale Delta / epsilon_1 (the threshold) and one
    of 2 Delta at scale Delta / epsilon_2 (the query that stops the search). Computed in log space: no overflow at
    large orders.
    """
    order = np.asarray(orders, dtype=np.float64)
    return np.asarray(
        (_laplace_log_moment(order, epsilon_1) + _laplace_log_moment(order, 2.0 * epsilon_2)) / (order - 1.0),
        dtype=np.float64,
    )


def gaussian_curve(orders: ArrayLike, *, sigma_1_squared: float, sigma_2_squared: float) -> Float:
    """Formula (5): order (4 sigma_1^2 + sigma_2^2) / (2 sigma_1^2 sigma_2^2), whatever max_it; shape as `orders`."""
    rate = (4.0 * sigma_1_squared + sigma_2_squared) / (2.0 * sigma_1_squared * sigma_2_squared)
    return np.asarray(np.asarray(orders, dtype=np.float64) * rate, dtype=np.float64)


def _laplace_log_moment(order: Float, shift: float) -> Float:
    """log of E_Q[(P/Q)^order] for Laplace laws `shift` scales apart."""
    far, near = np.log(order / (2.0 * order - 1.0)), np.log((order - 1.0) / (2.0 * order - 1.0))
    return np.asarray(np.logaddexp(far + shift * (order - 1.0), near - shift * order), dtype=np.float64)


def register(registry: Registry) -> None:
    """Offer both steps."""
    registry.steps.add("noisy-btls-laplace", NoisyBtlsLaplaceStep)
    registry.steps.add("noisy-btls-gaussian", NoisyBtlsGaussianStep)
