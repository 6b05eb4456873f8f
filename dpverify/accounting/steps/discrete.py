"""A mechanism given by its two output laws on finitely many outcomes: everything about it can be computed exactly.

Basis: p is the law on one data set, q that on its neighbour; both orders are looked at in the end. Numbers
are exact: floats are the decimals that they print as (0.3 is 3/10), texts such as "1/3" are fractions, and either law
is normalised exactly. Limits: one pair; a mechanism with several worst pairs is not bounded by one of them. And one
order in a whole composition: `pld` and `enumeration` compose the p of all steps against the q of all steps, so where
one step is worst one way and another the other way, under the same neighbours, the first has to be written the other
way round too and the worse result taken (the Renyi accountants add the worse order of every step). Beside add-remove
steps p is the law with the record, q the one without: the first pair of those steps has the record present. Not to be
confused with an estimate from samples.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpverify.accounting.accountant_inputs import rounded_up
from dpverify.accounting.order_search import real_orders
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.subjects import Float, LawPair
from dpverify.definitions.parameters import PublicStep, written
from dpverify.laws.balls import at_working_precision, exact_ball
from dpverify.laws.discrete import DiscreteLaw

_MASS_TOLERANCE = Fraction(1, 10**9)
Entry = float | Fraction | str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteStep(PublicStep):
    """Two finite laws, compared both ways."""

    kind = "discrete"

    p: tuple[Entry, ...]
    q: tuple[Entry, ...]
    """`p`, `q`: probabilities of the same outcomes, kept as fractions; given as numbers or texts such as "1/3", >= 0,
    summing to 1 up to 1e-9, and normalised exactly. An outcome may be impossible under either."""

    def validate(self) -> None:
        """Both are laws on the same outcomes, normalised exactly."""
        for name in ("p", "q"):
            object.__setattr__(self, name, _normalised(f"discrete: {name}", getattr(self, name)))
        if len(self.p) != len(self.q):
            raise InputError(f"discrete: laws on {len(self.p)} and {len(self.q)} outcomes", allowed="the same outcomes")

    @classmethod
    def examples(cls) -> tuple[DiscreteStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(p=(0.5, 0.3, 0.2), q=(0.2, 0.3, 0.5)),
            cls(p=("1/3", "2/3"), q=("1/4", "3/4")),
            cls(p=(1,), q=(1,)),
            cls(p=(0.01, 0.99, 0), q=(0, 0.98, 0.02)),
            cls(p=(1, 0), q=(0, 1)),
        )

    def text(self) -> str:
        """``discrete(p=(1/2, 1/2), q=(1/3, 2/3))``: floats as they are, other fractions as fractions."""
        p, q = (
            ", ".join(_written(Fraction(value)) for value in law) + "," * (len(law) == 1) for law in (self.p, self.q)
        )
        return f"discrete(p=({p}), q=({q}))"

    def approx(self) -> tuple[float, float]:
        """The largest finite log-ratio, and the largest mass that one law puts where the other puts none."""
        return _approx(self)

    def renyi(self, orders: Float) -> Float:
        """The larger direction at each order, rounding added on; +inf when the supports differ. Shape of `orders`."""
        array = real_orders(orders)
        if self.p == self.q:
            return np.zeros_like(array)
        bounds = [max(pair.renyi(float(order)).upper for pair in self.laws()) for order in array.flat]
        return np.array(bounds, dtype=np.float64).reshape(array.shape)

    def laws(self) -> tuple[LawPair, ...]:
        """(p, q) and (q, p), provable; one of them when they are the same but for the outcomes' names."""
        return _pairs(self)


def _normalised(where: str, law: object) -> tuple[Fraction, ...]:
    if isinstance(law, str | bytes) or not hasattr(law, "__iter__"):
        raise InputError(f"{where} = {law!r}", allowed="a tuple of probabilities", remedy="write (0.5, 0.5)")
    try:
        exact = tuple(_exact(value) for value in law)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise InputError(f"{where} = {law!r}", allowed='finite numbers >= 0, or texts such as "1/3"') from None
    total = sum(exact, Fraction(0))
    if not exact or min(exact) < 0 or abs(total - 1) > _MASS_TOLERANCE:
        raise InputError(f"{where} = {law!r}", allowed="probabilities >= 0 that sum to 1")
    return tuple(value / total for value in exact)


def _exact(value: Entry) -> Fraction:
    return Fraction(value) if isinstance(value, Fraction | str) else Fraction(repr(float(value)))


def _written(value: Fraction) -> str:
    return written(float(value)) if _exact(float(value)) == value else str(value)


@functools.lru_cache(maxsize=256)
def _pairs(step: DiscreteStep) -> tuple[LawPair, ...]:
    p, q = (DiscreteLaw.from_fractions([Fraction(value) for value in law]) for law in (step.p, step.q))
    pairs = [(Fraction(a), Fraction(b)) for a, b in zip(step.p, step.q, strict=True)]
    symmetric = sorted(pairs) == sorted((b, a) for a, b in pairs)
    return (p.against(q),) if symmetric else (p.against(q), q.against(p))


@functools.lru_cache(maxsize=256)
@at_working_precision
def _approx(step: DiscreteStep) -> tuple[float, float]:
    pairs = [(Fraction(a), Fraction(b)) for a, b in zip(step.p, step.q, strict=True)]
    beyond = max(sum((a for a, b in pairs if not b), Fraction(0)), sum((b for a, b in pairs if not a), Fraction(0)))
    ratios = [max(a / b, b / a) for a, b in pairs if a and b]
    if max(ratios, default=Fraction(1)) == 1:
        return 0.0, rounded_up(beyond)
    upper = exact_ball(max(ratios)).log().upper()
    value = float(upper)
    return (value if upper <= value else math.nextafter(value, math.inf)), rounded_up(beyond)


def register(registry: Registry) -> None:
    """Register the step."""
    registry.steps.add("discrete", DiscreteStep)
