"""A step run a random number of times, of which the best output alone is told, chosen by a score of outputs.

Results (Papernot, Steinke 2022, arXiv 2110.03620, Theorems 2 and 6, Corollary 3), with D and D' the inner curve at
order a > 1 and at any other order b > 1, s = a - 1; K is truncated negative binomial of shape eta >= 0 (1: geometric,
0: logarithmic) and parameter g, or Poisson:

    a: D + (1 + eta) ((1 - 1 / b) D' + log(1 / g) / b) + log(mean) / s;    pure: (2 + eta) epsilon;
    Poisson: log(e^-mean + mean e^(s (D + mean delta(log(a / s))))) / s.

Proof. Let f be the generating function of K. The best of K is y with probability Q(y) E f'(c), c = Q(below y) +
u Q(y), u uniform: c is the probability of one random event of Q. By joint convexity of x^a z^(1 - a) the sum over
y of A^a A'^(1 - a) is at most e^(s D) times the supremum of f'(c)^a f'(c')^(1 - a) over events. Negative binomial:
f'(c) = mean (g / v)^(eta + 1), v = g + (1 - g)(1 - c), which is the probability of an event too, >= g; order b of
(v', v) says v' <= v^(1 - 1 / b) e^((1 - 1 / b) D'), so v'^s v^-a <= e^(s (1 - 1 / b) D') g^(-1 - s / b). Poisson:
f'(c) = mean e^(-mean (1 - c)), and s (1 - c') - a (1 - c) <= s delta(log(a / s)); no run at all, which is seen, adds
e^-mean, without which Theorem 6 is stated; it is kept, as this proof needs it.

Side: upper; the smallest over larger orders counts, since divergences rise. Not to be confused with a fixed number of
runs, which costs their composition.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from dpverify.accounting.accountant_inputs import pure_total
from dpverify.accounting.inner_step import Around, checked_inner, offering, with_examples
from dpverify.accounting.order_search import least, real_orders
from dpverify.accounting.renyi_composed import tight_cost
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.guarantees import PureStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition, HasLaws, HasPure, HasRenyi, Step
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Between
from dpverify.core.subjects import Float

POISSON = "poisson"
ROUNDING = 1e-12
_MEAN = Between(1, 1e9)
_SHAPE = Between(0, 1e6, remedy=f'1 is geometric, 0 logarithmic; or "{POISSON}"')


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatAndSelectStep(Around):
    """The best of a random number of runs."""

    kind = "repeat-and-select"

    step: Step
    """What is run."""
    mean: float
    """Of the number of runs, >= 1."""
    shape: float | str = 1.0
    """Of the law of that number: >= 0, or ``poisson``."""

    @property
    def relation(self) -> str:  # type: ignore[override]  # the inner step's
        """The relation of the inner step."""
        return self.step.relation

    def _renyi(self, orders: ArrayLike) -> Float:
        """Upper bounds on both orders of the neighbours, none above the pure bound; shape of `orders`."""
        array = real_orders(orders)
        best, lowest = _lowest(self)
        found = np.where(array < best, lowest, _bounds(self, array))
        return np.minimum(found, self._pure_epsilon())

    def _pure_epsilon(self) -> float:
        """(2 + shape) epsilon, where the step has one."""
        epsilon = pure_total(Composition.of(self.step))
        return math.inf if isinstance(self.shape, str) else (2 + self.shape) * epsilon * (1 + ROUNDING)


def _bounds(given: RepeatAndSelectStep, orders: Float) -> Float:
    """The theorem at each order, finite or inf."""
    assert isinstance(given.step, HasRenyi)
    curve, s = given.step.renyi(orders), orders - 1
    if isinstance(given.shape, str):
        worse = np.array([_delta(given.step, math.log1p(1 / float(each))) for each in s.ravel()]).reshape(s.shape)
        grown = math.log(given.mean) + s * (curve + given.mean * worse)
        found = np.logaddexp(-given.mean, grown) / s
    else:
        found = curve + _beside(given) + math.log(given.mean) / s
    return np.asarray(found * (1 + ROUNDING))


@functools.lru_cache(maxsize=256)
def _lowest(given: RepeatAndSelectStep) -> tuple[float, float]:
    """The order of the least bound, and that; every smaller order has it, too."""
    order, value = least(lambda orders: _bounds(given, orders))
    return (order, value) if math.isfinite(value) else (0.0, value)


@functools.lru_cache(maxsize=256)
def _beside(given: RepeatAndSelectStep) -> float:
    """(1 + eta) times the least over b of (1 - 1 / b) D' + log(1 / g) / b."""
    assert isinstance(given.step, HasRenyi) and not isinstance(given.shape, str)
    curve, less = given.step.renyi, _less(given.mean, given.shape)
    _, found = least(lambda orders: (1 - 1 / orders) * curve(orders) + less / orders)
    return (1 + given.shape) * min(found, pure_total(Composition.of(given.step)))


def _less(mean: float, shape: float) -> float:
    """log(1 / g), rounded up: of mean (e^x - 1) eta / (1 - e^(-eta x)), which rises with x."""

    def excess(x: float) -> float:
        share = -math.expm1(-shape * x) / shape if shape > 0 else x
        return math.expm1(x) - mean * share

    if mean == 1:
        return 0.0
    # At a small x the excess is x - mean x < 0.
    return float(brentq(excess, 1e-9 * min(1.0, mean - 1), 2 * math.log(mean) + 5, xtol=1e-15)) * (1 + 1e-9)


@functools.lru_cache(maxsize=4096)
def _delta(step: Step, epsilon: float) -> float:
    """Upper bound on delta at `epsilon` in both orders, by the laws or else by the curve."""
    if isinstance(step, HasLaws):
        found = [direction.delta(epsilon) for pair in step.laws() for direction in (pair, pair.swap())]
        if all(math.isfinite(each.error) for each in found):
            return min(1.0, max(each.upper for each in found))
    return tight_cost(Composition.of(step)).delta(epsilon).upper


def _examples() -> tuple[Step, ...]:
    """Instances, edge cases among them, that the contract tests examine."""
    return (
        repeat_and_select(step=GaussianStep(sigma=4), mean=10),
        repeat_and_select(step=GaussianStep(sigma=4), mean=10, shape=0),
        repeat_and_select(step=GaussianStep(sigma=4), mean=10, shape=POISSON),
        repeat_and_select(step=PureStep(epsilon=0.1), mean=1, shape=2.5),
        repeat_and_select(step=PoissonGaussianStep(q=0.01, sigma=1), mean=3, shape=0.5),
    )


@with_examples(_examples)
def repeat_and_select(*, step: Step, mean: float, shape: float | str = 1.0) -> Step:
    """Make the best of a random number of runs of a step.

    Raises
    ------
    InputError
        A mean below 1, a shape that is neither a number >= 0 nor ``poisson``, no step, or one without a Renyi curve.
    """
    where = "repeat-and-select"
    inner = checked_inner(where, step, relation=getattr(step, "relation", ""))
    if not isinstance(inner, HasRenyi):
        raise InputError(f"{where}: step {inner.text()}", allowed="a step with a Renyi curve")
    mean = _MEAN.number(f"{where}: mean", mean)
    shape = shape if shape == POISSON else _SHAPE.number(f"{where}: shape", shape)
    names = ("renyi", "pure_epsilon") if isinstance(inner, HasPure) and shape != POISSON else ("renyi",)
    made: Step = offering(RepeatAndSelectStep, names)(step=inner, mean=mean, shape=shape)
    return made


def register(registry: Registry) -> None:
    """Register the step."""
    registry.steps.add("repeat-and-select", repeat_and_select)
