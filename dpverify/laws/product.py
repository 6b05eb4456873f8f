"""Independent outputs released together: (P1 x P2 x ...) against (Q1 x Q2 x ...).

Results it rests on: Renyi divergences and largest log-ratios of independent coordinates add exactly (van Erven and
Harremoes 2014, Theorem 28). delta(epsilon) does not: it is computed exactly where the product collapses to one pair
(one moved factor, all Gaussian, or tables whose product has at most `LARGEST_TABLE` outcomes) and is otherwise refused
with UnsupportedError. Not to be confused with adaptive composition, where later laws depend on earlier outputs.

A finite mixture with public weights is the output of a mechanism that first draws which law to use, unseen: densities
and probabilities average. Weights given as doubles are taken as exact rationals and normalised exactly, so that
mixtures of provable laws stay provable. All parts live on one space, a table or the line. Not to be confused with a
*visible* choice, where the index is part of the output.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar

import flint
import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.evidence import Enclosed, Measure
from dpverify.core.fields import Checked
from dpverify.core.subjects import Encloses, Float, Law, LawPair
from dpverify.laws.balls import at_working_precision, enclosed_ball, exact_ball
from dpverify.laws.composite import WithDensity, flat_pair
from dpverify.laws.density import DensityLaw
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.discrete_pair import DiscretePair
from dpverify.laws.shift_pair import GaussianPair, LaplacePair, ShiftPair

LARGEST_TABLE = 1_000_000
_LARGEST_PROOF = 4096

Shifted = TypeVar("Shifted", GaussianPair, LaplacePair)
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProductLaw(Checked):
    """The law of independent outputs, one from each of `laws`."""

    laws: tuple[Law, ...]

    def validate(self) -> None:
        """Check that there are factors."""
        if not self.laws:
            raise InputError("a product of no laws", allowed="at least one law")

    def against(self, other: object) -> LawPair:
        """The pair (self, other), factor by factor; UnsupportedError unless `other` has as many factors."""
        if not isinstance(other, ProductLaw) or len(other.laws) != len(self.laws):
            raise UnsupportedError(f"a product of {len(self.laws)} laws against anything but another such product")
        return ProductPair(factors=tuple(_once(lambda p, q: p.against(q), self.laws, other.laws)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProductPair:
    """Independent pairs side by side; a repeated factor (the same object) is evaluated once."""

    factors: tuple[LawPair, ...]
    _collapsed: list[tuple[LawPair, ...]] = field(default_factory=list, init=False, repr=False)

    def swap(self) -> ProductPair:
        """The pair (Q, P)."""
        return ProductPair(factors=tuple(_once(lambda factor: factor.swap(), self.factors)))

    def _reduced(self) -> tuple[LawPair, ...]:
        """Computed at first use: measures that add do without."""
        if not self._collapsed:
            self._collapsed.append(_reduce(self.factors))
        return self._collapsed[0]

    def _whole(self) -> LawPair:
        reduced = self._reduced()
        if len(reduced) > 1:
            names = ", ".join(type(factor).__name__ for factor in reduced)
            raise UnsupportedError(f"delta > 0 for a product of {names}; Renyi and pure epsilon are available")
        return reduced[0]

    def epsilon(self, delta: float) -> Enclosed:
        """Smallest epsilon at `delta`: the sum of the factors' at 0, else from the collapsed product."""
        if delta == 0:
            return _total(_once(lambda factor: factor.epsilon(0.0), self.factors))
        return self._whole().epsilon(delta)

    def delta(self, epsilon: float) -> Enclosed:
        """The hockey-stick divergence, from the collapsed product."""
        return self._whole().delta(epsilon)

    def renyi(self, order: float) -> Enclosed:
        """Renyi divergence: the sum of the factors'; errors add."""
        return _total(_once(lambda factor: factor.renyi(order), self.factors))

    def tradeoff(self, alpha: ArrayLike) -> Float:
        """The trade-off curve, from the collapsed product."""
        return self._whole().tradeoff(alpha)

    def prove(self, measure: Measure) -> Enclosed | None:
        """Sums of the factors' proofs where measures add, else the collapsed product's own proof: lower bounds."""
        if _adds(measure):
            return _proved_total(_once(lambda factor: factor.prove(measure), self.factors))
        reduced = self._reduced()
        return reduced[0].prove(measure) if len(reduced) == 1 else None

    def enclosure(self, measure: Measure) -> Enclosed | None:
        """The same of the factors' enclosures; None as soon as one factor has none."""
        factors = [factor for factor in self.factors if isinstance(factor, Encloses)]
        if len(factors) < len(self.factors):
            return None
        if _adds(measure):
            found = _once(lambda factor: factor.enclosure(measure), factors)
            return None if None in found else _proved_total(found)
        # Tables that agree in doubles need not be equal: here none drops out.
        whole = _reduce(self.factors, tables_drop=False)
        return whole[0].enclosure(measure) if len(whole) == 1 and isinstance(whole[0], Encloses) else None


def _once(function: Callable[..., Answer], *each: Sequence[Any]) -> list[Answer]:
    """``[function(*items) for items in zip(*each)]``, asked once for each combination of the same objects."""
    known: dict[tuple[int, ...], Answer] = {}
    found = []
    for items in zip(*each, strict=True):
        key = tuple(map(id, items))
        if key not in known:
            known[key] = function(*items)
        found.append(known[key])
    return found


def _adds(measure: Measure) -> bool:
    return measure.kind == "renyi" or (measure.kind == "epsilon" and measure.argument == 0)


@at_working_precision
def _proved_total(parts: Sequence[Enclosed | None]) -> Enclosed | None:
    """The sum of proofs, lower bounds or enclosures as its terms are; infinite as soon as one is."""
    proofs = [part for part in parts if part is not None and part.proved]
    if any(math.isinf(part.value) for part in proofs):
        return Enclosed(value=math.inf, proved=True)
    if len(proofs) < len(parts):
        return None
    return enclosed_ball(sum((flint.arb(part.value, part.error) for part in proofs), flint.arb(0)))


def _total(parts: Sequence[Enclosed]) -> Enclosed:
    value = math.fsum(part.value for part in parts)
    if math.isinf(value):
        return Enclosed(value=math.inf)
    return Enclosed(value=value, error=math.fsum(part.error for part in parts) + math.ulp(value))


def _unmoved(pair: LawPair) -> bool:
    if isinstance(pair, ShiftPair):
        return np.array_equal(pair.p_locations, pair.q_locations)
    return isinstance(pair, DiscretePair) and np.array_equal(pair.log_p, pair.log_q)


def _reduce(factors: Sequence[LawPair], *, tables_drop: bool = True) -> tuple[LawPair, ...]:
    """Fewer pairs with the same product: unmoved ones dropped, one family's noise joined, small tables multiplied."""
    kept = () if tables_drop else DiscretePair
    moved = [factor for factor in factors if isinstance(factor, kept) or not _unmoved(factor)] or [factors[0]]
    result: list[LawPair] = []
    gaussian = [factor for factor in moved if isinstance(factor, GaussianPair)]
    laplace = [factor for factor in moved if isinstance(factor, LaplacePair)]
    if gaussian:
        result.append(_joined(gaussian))
    if laplace:
        result.append(_joined(laplace))
    tables = [factor for factor in moved if isinstance(factor, DiscretePair)]
    if tables and math.prod(table.log_p.size for table in tables) <= LARGEST_TABLE:
        result.append(functools.reduce(_multiplied, tables))
    else:
        result.extend(tables)
    result.extend(factor for factor in moved if not isinstance(factor, (GaussianPair, LaplacePair, DiscretePair)))
    return tuple(result)


def _joined(pairs: Sequence[Shifted]) -> Shifted:
    return type(pairs[0])(
        p_locations=np.concatenate([pair.p_locations for pair in pairs]),
        q_locations=np.concatenate([pair.q_locations for pair in pairs]),
        scales=np.concatenate([pair.scales for pair in pairs]),
    )


def _multiplied(first: DiscretePair, second: DiscretePair) -> DiscretePair:
    hooks = (first.enclose, second.enclose)
    small = first.log_p.size * second.log_p.size <= _LARGEST_PROOF

    def enclose() -> tuple[list[flint.arb], list[flint.arb]]:
        (p1, q1), (p2, q2) = (hook() for hook in hooks if hook is not None)
        return [a * b for a in p1 for b in p2], [a * b for a in q1 for b in q2]

    return DiscretePair(
        log_p=np.add.outer(first.log_p, second.log_p).ravel(),
        log_q=np.add.outer(first.log_q, second.log_q).ravel(),
        error=first.error + second.error + 2.0**-52 * float(-np.min(first.log_p[first.log_p > -np.inf])),
        enclose=enclose if small and None not in hooks else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MixtureLaw(Checked):
    """The mixture of `laws` with `weights`."""

    laws: tuple[Law, ...]
    """All discrete with the same number of outcomes, or all on the line."""
    weights: tuple[float | Fraction, ...]
    """Positive, summing to 1 (up to 1e-9; then normalised exactly)."""

    def validate(self) -> None:
        """The weights are probabilities, made exact."""
        exact = [Fraction(weight) for weight in self.weights]
        if len(exact) != len(self.laws) or not exact:
            raise InputError(f"{len(self.laws)} laws with {len(exact)} weights", allowed="as many weights as laws")
        total = sum(exact, Fraction(0))
        if any(weight <= 0 for weight in exact) or abs(total - 1) > Fraction(1, 10**9):
            raise InputError(f"weights {self.weights}", allowed="numbers > 0 that sum to 1")
        object.__setattr__(self, "weights", tuple(weight / total for weight in exact))

    def flat(self) -> DiscreteLaw | DensityLaw:
        """The mixture as one table or one density; raises UnsupportedError when the parts differ in kind."""
        weights = [Fraction(weight) for weight in self.weights]
        parts = [law.flat() for law in self.laws if isinstance(law, WithDensity)]
        tables = [part for part in parts if isinstance(part, DiscreteLaw)]
        densities = [part for part in parts if isinstance(part, DensityLaw)]
        if len(tables) == len(self.laws) and len({part.log_probabilities.size for part in tables}) == 1:
            return _mixed_tables(tables, weights)
        if len(densities) == len(self.laws):
            return _mixed_densities(densities, weights)
        raise UnsupportedError("a mixture of laws that do not live on one table or on the line")

    def against(self, other: object) -> LawPair:
        """The pair (self, other), both as tables or as densities."""
        return flat_pair(self, other)

    def faced_by(self, law: object) -> LawPair:
        """The pair (law, self)."""
        return flat_pair(law, self)


def _mixed_tables(parts: Sequence[DiscreteLaw], weights: Sequence[Fraction]) -> DiscreteLaw:
    logs = np.array([math.log(weight) for weight in weights])[:, None]
    stacked = logs + np.stack([part.log_probabilities for part in parts])
    with np.errstate(divide="ignore"):  # an outcome impossible under all parts stays impossible
        mixed = np.asarray(logsumexp(stacked, axis=0), dtype=np.float64)
    hooks = [part.enclose for part in parts]

    def enclose() -> list[flint.arb]:
        balls = [hook() for hook in hooks if hook is not None]
        sums = [flint.arb(0)] * len(balls[0])
        for weight, row in zip(weights, balls, strict=True):
            sums = [total + exact_ball(weight) * ball for total, ball in zip(sums, row, strict=True)]
        return sums

    largest = float(np.max(np.abs(stacked[stacked > -np.inf])))
    return DiscreteLaw(
        log_probabilities=np.minimum(mixed, 0.0),
        error=max(part.error for part in parts) + 2.0**-52 * (largest + len(parts) + 8),
        enclose=None if None in hooks else enclose,
    )


def _mixed_densities(parts: Sequence[DensityLaw], weights: Sequence[Fraction]) -> DensityLaw:
    logs = [math.log(weight) for weight in weights]

    def log_density(points: Float) -> Float:
        total = np.full(points.shape, -np.inf)
        for log_weight, part in zip(logs, parts, strict=True):
            total = np.logaddexp(total, log_weight + part.log_at(points))
        return total

    decays = {part.decay_scale for part in parts}
    ends = [end for part in parts for end in part.support if math.isfinite(end)]
    return DensityLaw(
        log_density=log_density,
        kinks=tuple(sorted({kink for part in parts for kink in part.kinks} | set(ends))),
        support=(min(part.support[0] for part in parts), max(part.support[1] for part in parts)),
        scale=min(part.scale for part in parts),
        decay_scale=decays.pop() if len(decays) == 1 else None,
    )
