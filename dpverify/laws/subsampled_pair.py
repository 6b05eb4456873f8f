"""M = (1 - rate) A + rate B against A, and A against M, from the pair B against A.

Results it rests on, with t = e^epsilon: delta(M | A) = rate delta(B | A) at (t - 1 + rate) / rate, and delta(A | M) =
c delta(A | B) at t rate / c with c = 1 - t (1 - rate), both straight from the definition of the hockey stick (compare
Balle, Barthe, Gaboardi 2018, Theorem 2); Renyi of M from A at integer orders by the binomial theorem (Mironov, Talwar,
Zhang 2019, Section 3). Limits: other orders, and Renyi of A from M, by quadrature on the line. The two directions
differ: name which one you ask for.

The law itself: (1 - rate) absent + rate present, against absent. One record's membership alone is random, the others
are fixed; add-remove neighbours. Not to be confused with sampling without replacement (replace neighbours), nor with
the law over all records' memberships, which is a mixture of 2^n parts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Protocol, runtime_checkable

import flint
import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, logsumexp

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.evidence import Enclosed, Measure
from dpverify.core.fields import Checked
from dpverify.core.rules import Between, Share
from dpverify.core.subjects import Float, Law, LawPair
from dpverify.laws.balls import at_working_precision, enclosed_ball
from dpverify.laws.composite import flat_pair
from dpverify.laws.density import DensityLaw, GaussianLaw, LaplaceLaw
from dpverify.laws.density_pair import DensityPair
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.discrete_pair import DiscretePair
from dpverify.laws.epsilon_at_delta import check_delta, proved_epsilon, smallest_epsilon
from dpverify.laws.product import MixtureLaw
from dpverify.laws.shift_pair import GaussianPair, LaplacePair, ShiftPair, checked_rates

_LAPLACE_UNIT = 2.0**-53
_LARGEST_BINOMIAL = 4096
_LARGEST_PROOF = 256
_EXPM1_RANGE = 300.0  # expm1 of anything below is far from overflow
_HALVINGS = 64


@runtime_checkable
class _BallProfile(Protocol):
    def delta_ball(self, epsilon: flint.arb) -> flint.arb | None: ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SubsampledPair(Checked):
    """M = (1 - rate) A + rate B against A; with `reverse`, A against M."""

    base: LawPair
    """The pair (B, A): present against absent."""
    rate: Annotated[float, Between(0, 1, open="both", remedy="at 1, use the base pair")]
    """In (0, 1)."""
    reverse: bool = False

    def swap(self) -> SubsampledPair:
        """The other direction."""
        return SubsampledPair(base=self.base, rate=self.rate, reverse=not self.reverse)

    def _oriented(self) -> LawPair:
        return self.base.swap() if self.reverse else self.base

    def delta(self, epsilon: float) -> Enclosed:
        """The hockey-stick divergence at any real or infinite `epsilon`; the error is the base pair's and rounding."""
        if math.isnan(epsilon):
            raise InputError("epsilon nan", allowed="a number")
        log_stay = math.log1p(-self.rate)
        rounding = 8 * _LAPLACE_UNIT * (1 + abs(epsilon)) if math.isfinite(epsilon) else 0.0
        if self.reverse:
            exponent = epsilon + log_stay  # of (1 - rate) e^epsilon
            share = -math.expm1(min(exponent, 0.0))
            if share == 0:
                return Enclosed(value=0.0, error=0.0 if exponent > rounding else rounding)
            at = epsilon + math.log(self.rate) - math.log(share)
        else:
            share = self.rate
            if epsilon <= log_stay:
                return Enclosed(value=-math.expm1(epsilon), error=rounding)
            at = _shifted(epsilon, self.rate)
        found = self._oriented().delta(at)
        value = share * found.value
        # Rounding of `at` and, in reverse, of the share: both act on a delta of this order of magnitude.
        relative = 8 * _LAPLACE_UNIT * (8 + abs(at)) + rounding / share if math.isfinite(at) else 8 * _LAPLACE_UNIT
        return Enclosed(value=value, error=share * found.error + 8 * relative * value)

    def epsilon(self, delta: float) -> Enclosed:
        """Smallest epsilon at `delta`: in closed form from the base pair towards A, by root search from A."""
        check_delta(delta)
        if self.reverse and delta == 0:
            return _amplified_back(self._oriented().epsilon(0.0), self.rate)
        if self.reverse:
            return smallest_epsilon(self.delta, delta)
        if delta >= self.rate:
            return Enclosed(value=0.0)
        return _amplified(self.base.epsilon(delta / self.rate), self.rate)

    def renyi(self, order: float) -> Enclosed:
        """Renyi divergence of `order` in [1, inf]: binomial sum for M against A at integer orders, else quadrature."""
        if not order >= 1:
            raise InputError(f"order {order}", allowed="a number in [1, inf]")
        if math.isinf(order):
            return self.epsilon(0.0)
        if not self.reverse and float(order).is_integer() and 2 <= order <= _LARGEST_BINOMIAL:
            return self._binomial(int(order))
        return self._on_line().renyi(order)

    def _binomial(self, order: int) -> Enclosed:
        weights, moments, errors = [], [], []
        for j in range(2, order + 1):
            moment = self.base.renyi(float(j))
            if math.isinf(moment.value):
                return moment
            choose = float(gammaln(order + 1) - gammaln(j + 1) - gammaln(order - j + 1))
            weights.append(choose + (order - j) * math.log1p(-self.rate) + j * math.log(self.rate))
            moments.append((j - 1) * moment.value)
            errors.append((j - 1) * moment.error)
        log_weight, exponent = np.array(weights), np.array(moments)
        size = float(np.max(np.abs(log_weight)) + np.max(exponent)) + 4 * order * math.log(order + 1) + 16
        relative = 8 * _LAPLACE_UNIT * size
        if float(np.max(exponent)) < _EXPM1_RANGE:
            # The weights sum to 1, so 1 comes out of the sum: no cancellation when the divergence is small.
            growth = float(np.sum(np.exp(log_weight) * np.expm1(exponent)))
            value, share = math.log1p(growth), growth / (1 + growth)
        else:
            # Orders 0 and 1 have moment 1: beside the rest they are mostly below rounding.
            flat = math.exp(order * math.log1p(-self.rate)) * (1 + order * self.rate / (1 - self.rate))
            terms = np.append(log_weight + exponent, math.log(flat) if flat > 0 else -math.inf)
            value, share = float(logsumexp(terms)), 1.0
        return Enclosed(value=value / (order - 1), error=(max(errors) + relative * share) / (order - 1))

    def _on_line(self) -> LawPair:
        """The same pair as two densities on the line."""
        base, absent, present = self.base, None, None
        if isinstance(base, GaussianPair):
            absent, present = (_on_line_law(GaussianLaw, at) for at in (0.0, base.mu().value))
        elif isinstance(base, LaplacePair) and np.count_nonzero(base.shifts) <= 1:
            absent, present = (_on_line_law(LaplaceLaw, at) for at in (0.0, float(base.shifts.sum())))
        if absent is None or present is None:
            raise UnsupportedError(
                f"Renyi divergence of a subsampled {type(base).__name__} at this order and direction"
            )
        rate = Fraction(self.rate)
        pair = flat_pair(MixtureLaw(laws=(absent, present), weights=(1 - rate, rate)), absent)
        return pair.swap() if self.reverse else pair

    def tradeoff(self, alpha: ArrayLike) -> Float:
        """The exact curve from the base pair's: (1 - rate)(1 - alpha) + rate f(alpha), or its inverse by bisection."""
        rates = checked_rates(alpha)
        if not self.reverse:
            return self._towards_absent(rates)
        low, high = np.zeros_like(rates), np.ones_like(rates)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            above = self._towards_absent(middle) > rates
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return high

    def _towards_absent(self, rates: Float) -> Float:
        return np.asarray((1 - self.rate) * (1 - rates) + self.rate * self.base.tradeoff(rates), dtype=np.float64)

    def _profile(self, epsilon: flint.arb) -> flint.arb:
        """A ball around delta(epsilon), NaN where the balls cannot tell."""
        base, rate, ratio = self._oriented(), flint.arb(self.rate), epsilon.exp()
        share = 1 - ratio * (1 - rate) if self.reverse else rate
        odds = ratio * rate if self.reverse else ratio - 1 + rate
        if share <= 0:
            return flint.arb(0)
        if odds <= 0:
            return 1 - ratio
        if not (share > 0 and odds > 0) or not isinstance(base, _BallProfile):
            return flint.arb.nan()
        found = base.delta_ball((odds / share).log())
        return flint.arb.nan() if found is None else share * found

    @at_working_precision
    def prove(self, measure: Measure) -> Enclosed | None:
        """A proof of the measure from the base pair's, in which it grows: of a lower bound where that is one."""
        argument = measure.argument
        if measure.kind == "delta":
            return enclosed_ball(self._profile(flint.arb(argument)))
        if measure.kind == "epsilon" and argument > 0:
            return proved_epsilon(self._profile, argument, near=self.epsilon(argument).value)
        if measure.kind == "epsilon" or (measure.kind == "renyi" and math.isinf(argument)):
            return self._proved_pure()
        if measure.kind == "renyi" and not self.reverse and float(argument).is_integer():
            return self._proved_binomial(int(argument)) if 2 <= argument <= _LARGEST_PROOF else None
        return None

    def enclosure(self, measure: Measure) -> Enclosed | None:
        """The measure itself; None unless the base pair is Gaussian or Laplace noise.

        Those proofs enclose, and their A is exactly the same on both sides; of other families `SubsampledLaw` knows
        that up to rounding, or up to a coarsening, only.
        """
        return self.prove(measure) if isinstance(self.base, (GaussianPair, LaplacePair)) else None

    def _proved_pure(self) -> Enclosed | None:
        found = self._oriented().prove(Measure(kind="epsilon", argument=0.0, claimed=0.0))
        if found is None or not found.proved:
            return None
        rate = flint.arb(self.rate)
        if math.isinf(found.value):
            return enclosed_ball(-(1 - rate).log()) if self.reverse else found
        ball = flint.arb(found.value, found.error)
        return enclosed_ball(-(rate * (-ball).expm1()).log1p() if self.reverse else (rate * ball.expm1()).log1p())

    def _proved_binomial(self, order: int) -> Enclosed | None:
        rate = flint.arb(self.rate)
        total = (1 - rate) ** order + order * rate * (1 - rate) ** (order - 1)
        for j in range(2, order + 1):
            found = self.base.prove(Measure(kind="renyi", argument=float(j), claimed=0.0))
            if found is None or not found.proved:
                return None
            if math.isinf(found.value):
                return found
            moment = ((j - 1) * flint.arb(found.value, found.error)).exp()
            total += math.comb(order, j) * (1 - rate) ** (order - j) * rate**j * moment
        return enclosed_ball(total.log() / (order - 1))


def _on_line_law(family: type[GaussianLaw] | type[LaplaceLaw], location: float) -> Law:
    return family(locations=np.array([location]), scales=np.ones(1))


def _shifted(epsilon: float, rate: float) -> float:
    """log((e^epsilon - 1 + rate) / rate) for epsilon > log(1 - rate), without overflow or cancellation."""
    if epsilon > 1:
        return epsilon + math.log1p(-(1 - rate) * math.exp(-epsilon)) - math.log(rate)
    return math.log1p(math.expm1(epsilon) / rate)


def _amplified(found: Enclosed, rate: float) -> Enclosed:
    """log(1 + rate (e^epsilon - 1)); its slope lies in [0, 1], so the error carries over."""
    epsilon = found.value
    if math.isinf(epsilon):
        return found
    if epsilon > 1:
        value = epsilon + math.log(rate) + math.log1p((1 - rate) / rate * math.exp(-epsilon))
    else:
        value = math.log1p(rate * math.expm1(epsilon))
    return Enclosed(value=value, error=found.error + 8 * _LAPLACE_UNIT * (1 + epsilon - math.log(rate)))


def _amplified_back(found: Enclosed, rate: float) -> Enclosed:
    """-log(1 - rate (1 - e^-epsilon)); its slope lies in [0, 1], so the error carries over."""
    value = -math.log1p(rate * math.expm1(-found.value))
    return Enclosed(value=value, error=found.error + 8 * _LAPLACE_UNIT * (1 + value) / (1 - rate))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SubsampledLaw(Checked):
    """The law with the record in the data: it takes part with probability `rate`."""

    absent: Law
    present: Law
    """`absent`, `present`: the output laws without and with the record in the sample."""
    rate: Share
    """Sampling probability in (0, 1], taken as an exact rational."""

    def flat(self) -> DiscreteLaw | DensityLaw:
        """The mixture as one table or one density."""
        rate = Fraction(self.rate)
        if rate == 1:
            return MixtureLaw(laws=(self.present,), weights=(rate,)).flat()
        return MixtureLaw(laws=(self.absent, self.present), weights=(1 - rate, rate)).flat()

    def against(self, other: object) -> LawPair:
        """The pair (self, other).

        From the closed forms when `other` is the law without the record, else as two tables or two densities.
        """
        if isinstance(other, Law) and self._is_absent(other):
            base = self.present.against(other)
            if self.rate == 1:
                return base
            if not isinstance(base, (DiscretePair, DensityPair)):
                return SubsampledPair(base=base, rate=self.rate)
        return flat_pair(self, other)

    def faced_by(self, law: object) -> LawPair:
        """The pair (law, self)."""
        return self.against(law).swap()

    def _is_absent(self, other: Law) -> bool:
        if other is self.absent:
            return True
        if type(other) is not type(self.absent):
            return False
        try:
            pair = self.absent.against(other)
            # A shift far below the scale leaves no trace in delta, but is one.
            return not pair.exact_shifts() if isinstance(pair, ShiftPair) else pair.delta(0.0).value == 0.0
        except UnsupportedError:
            return False
