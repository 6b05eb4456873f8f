"""The dominating pair of each step, its source, and whether two data sets attain it.

A pair (P, Q) dominates a mechanism when H of every two neighbouring data sets is at most its own, for all x >= 0, given
any earlier answers. That it does is not proved here: it is an axiom of each proof, and the proof names it. Where data
sets attain the pairs, no accountant's upper bound may lie below the proved lower end.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from dpverify.accounting.proved.pairs import Finite, Mixture, Pair, Parts, SeenPart, weighted
from dpverify.core.composition import Step
from dpverify.core.errors import UnsupportedError
from dpverify.laws.balls import exact_ball

MOST_SIGMA = 50.0
"""Of discrete Gaussian noise: each outcome is looked at on each knot."""

STILL: Parts = ((Fraction(1), Fraction(0)),)
COMPOSITION = (
    "pairs that dominate each step, given any earlier answers, compose to a pair that dominates the whole: Zhu, Dong, "
    "Wang 2022, Theorem 10; Steinke 2022; the steps are a fixed multiset, in any order, stopped at any time"
)


@dataclass(frozen=True, slots=True)
class Axiom:
    """The assumption about one kind of step."""

    pairs: Callable[[Any], tuple[Pair, ...]]
    """One pair for each order of the neighbours, or one for both."""
    source: str
    attained: bool = True
    """Two data sets of some mechanism that is such a step have the pair's laws."""


def _noise(step: Any) -> tuple[Pair, ...]:
    noise = "gaussian" if step.kind == "gaussian" else "laplace"
    scale = step.sigma if noise == "gaussian" else step.scale
    return (Mixture(noise, ((Fraction(1), Fraction(step.sensitivity) / Fraction(scale)),), STILL),)  # type: ignore[arg-type]


def _sample(step: Any) -> tuple[Pair, ...]:
    noise = "laplace" if "laplace" in step.kind else "gaussian"
    scale = Fraction(step.scale if noise == "laplace" else step.sigma)
    rates = (Fraction(1) - Fraction(step.q), Fraction(step.q))
    moved, back = _moved(rates, (0, 1), scale), _moved(rates, (0, -1), scale)
    if step.kind.endswith("-replace"):
        return (Mixture(noise, moved, back),)  # type: ignore[arg-type]
    return Mixture(noise, moved, STILL), Mixture(noise, STILL, back)  # type: ignore[arg-type]


def _mixture(step: Any) -> tuple[Pair, ...]:
    weights, sigma = weighted(step.weights), Fraction(step.sigma)
    moved, back = (_moved(weights, [sign * Fraction(s) for s in step.shifts], sigma) for sign in (1, -1))
    return Mixture("gaussian", moved, STILL), Mixture("gaussian", STILL, back)


def _seen_part(step: Any) -> tuple[Pair, ...]:
    sigma = Fraction(step.sigma)
    moved = [Mixture("gaussian", ((Fraction(1), Fraction(s) / sigma),), STILL) for s in step.shifts]
    return (SeenPart(tuple(zip(weighted(step.weights), moved, strict=True))),)


def _moved(weights: Any, shifts: Any, scale: Fraction) -> Parts:
    return tuple((w, Fraction(s) / scale) for w, s in zip(weights, shifts, strict=True) if w > 0)


def _finite(*outcomes: tuple[flint.arb, flint.arb], beyond: flint.arb | None = None) -> Finite:
    return Finite(outcomes, flint.arb(0) if beyond is None else beyond)


def _response(step: Any) -> tuple[Pair, ...]:
    less, size, delta = (
        (-exact_ball(step.epsilon)).exp(),
        getattr(step, "size", 2),
        exact_ball(getattr(step, "delta", 0.0)),
    )
    likely = (1 - delta) / (1 + (size - 1) * less)
    rare, zero = less * likely, flint.arb(0)
    rest = (size - 2) * rare
    return (_finite((likely, rare), (rare, likely), (rest, rest), (delta, zero)),)


def _discrete(step: Any) -> tuple[Pair, ...]:
    pairs = [(exact_ball(Fraction(a)), exact_ball(Fraction(b))) for a, b in zip(step.p, step.q, strict=True)]
    return _finite(*pairs), _finite(*((b, a) for a, b in pairs))


def _discrete_laplace(step: Any) -> tuple[Pair, ...]:
    rate, far = 1 / exact_ball(step.scale), int(step.sensitivity)
    t = [(-rate * i).exp() for i in range(far + 1)]
    gap, total = 1 - t[1], 1 + t[1]
    inner = [(t[far - i] * gap / total, t[i] * gap / total) for i in range(1, far)]
    return (_finite((t[far] / total, 1 / total), *inner, (1 / total, t[far] / total)),)


def _discrete_gaussian(step: Any) -> tuple[Pair, ...]:
    far, twice = int(step.sensitivity), 2 * exact_ball(step.sigma) ** 2
    if step.sigma > MOST_SIGMA:
        raise UnsupportedError(f"{step.text()} has too many outcomes: a sigma above {MOST_SIGMA:g}")
    last = math.isqrt(int(2 * step.sigma**2 * flint.ctx.prec)) + 2
    terms = [(-flint.arb(i * i) / twice).exp() for i in range(last + far + 1)]
    beyond = 2 * (-flint.arb((last + 1) ** 2) / twice).exp() / (1 - (-flint.arb(2 * last + 3) / twice).exp())
    inner = 1 + 2 * sum(terms[1 : last + 1], flint.arb(0))
    total = inner.union(inner + beyond)
    cells = [(terms[abs(i - far)] / total, terms[abs(i)] / total) for i in range(-last, last + far + 1)]
    return (_finite(*cells, beyond=beyond / total),)


POISSON = "of a Poisson sample the mixture of the pair dominates, in both orders: Zhu, Dong, Wang 2022, Theorem 11"
AXIOMS: Mapping[str, Axiom] = {
    "gaussian": Axiom(
        _noise, "N(Delta, sigma^2) against N(0, sigma^2): Balle, Wang 2018; Dong, Roth, Su 2019, Theorem 2.7"
    ),
    "laplace": Axiom(
        _noise, "Laplace(Delta, b) against Laplace(0, b), of one coordinate: Zhu, Dong, Wang 2022; Koskela 2020"
    ),
    "poisson-gaussian": Axiom(_sample, f"{POISSON}; Mironov, Talwar, Zhang 2019, Theorem 4"),
    "poisson-gaussian-replace": Axiom(
        _sample, "(1 - q) N(0) + q N(1) against (1 - q) N(0) + q N(-1): Lebeda, Regehr, Kamath, Steinke 2024; docstring"
    ),
    "poisson-laplace": Axiom(_sample, POISSON),
    "poisson-laplace-replace": Axiom(
        _sample, "(1 - q) L(0) + q L(1) against (1 - q) L(0) + q L(-1): Lebeda, Regehr, Kamath, Steinke 2024; docstring"
    ),
    "mixture": Axiom(_seen_part, "at worst the answer tells which part it is of: joint convexity", attained=False),
    "mixture-gaussian": Axiom(_mixture, "the pair is the step: all parts answer alike without the record"),
    "pure": Axiom(_response, "randomised response dominates every epsilon-DP mechanism: Kairouz, Oh, Viswanath 2015"),
    "approx": Axiom(
        _response, "four outcomes dominate every (epsilon, delta)-DP mechanism: Kairouz, Oh, Viswanath 2015"
    ),
    "randomised-response": Axiom(_response, "the pair is the step: the answers to two values"),
    "discrete": Axiom(_discrete, "the pair is the step, p of all steps against q of all and back"),
    "discrete-gaussian": Axiom(
        _discrete_gaussian, "N_Z(Delta, sigma^2) against N_Z(0, sigma^2): Canonne, Kamath, Steinke 2020"
    ),
    "discrete-laplace": Axiom(
        _discrete_laplace, "geometric noise shifted by Delta, or not: Ghosh, Roughgarden, Sundararajan 2009"
    ),
}


def axiom_of(step: Step) -> Axiom:
    """The axiom of a step; UnsupportedError where none is known."""
    found = AXIOMS.get(getattr(step, "kind", ""))
    if found is None:
        raise UnsupportedError(f"no dominating pair of {step.text()} is an axiom here: {', '.join(AXIOMS)}")
    return found


def rests_on(kinds: Iterable[str]) -> list[str]:
    """The axioms of a proof for these steps."""
    return [COMPOSITION, *(f"{kind}: {AXIOMS[kind].source}" for kind in sorted(set(kinds)))]


def numbers_of(step: Any) -> dict[str, Any]:
    """The numbers of a step, exactly, as texts."""
    values = {each.name: getattr(step, each.name) for each in dataclasses.fields(step)}
    return {
        name: [str(Fraction(one)) for one in value] if isinstance(value, tuple) else str(Fraction(value))
        for name, value in values.items()
    }
