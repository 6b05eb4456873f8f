"""A step on a Poisson sample that is cut at `most` records: of a larger one, `most` are drawn uniformly and kept.

Let n be the number of records with the one that is added, S the sample of the others, T the event |S| >= most, of
probability t. Outside T nothing is cut: with the record the law is (1 - q) A + q B, without it A. Given |S| = s in T,
the sample is cut to a subset R that is uniform among all others, whatever s is. With the record (of probability q),
to a uniform subset of S and the record, which holds the record with probability most / (s + 1): then it is R with a
uniform element exchanged for the record. So the law is (1 - p) A' + p B' against A', where B' is two records away from
A', coupled by R and the element, and p = P(Bin(n, q) > most) most / (n t) is the mean of q most / (s + 1) given T.

Hence by joint convexity of the hockey stick and Theorem 11 of Zhu, Dong, Wang 2022, with T told publicly: with
probability 1 - t the pair of a sample of rate q and one record, with probability t that of a sample of rate p and a
group of two; both orders. The sampling is that of arXiv 2411.04205 and 2508.15089. For T dp-accounting takes records on
both sides (a pair of replaced records), which costs more.

Side: upper; T is not told, and no data sets have both pairs. The neighbours have n and n - 1 records, n public: other
numbers have other costs. Add-remove neighbours. Not to be confused with batches of a fixed size.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binom

from dpverify.accounting.inner_step import Around, checked_inner, offering, with_examples
from dpverify.accounting.loss_sources import Losses
from dpverify.accounting.order_search import real_orders
from dpverify.accounting.sampled_losses import ChosenLoss, sampled_losses, single_loss
from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep
from dpverify.accounting.steps.group import group
from dpverify.accounting.steps.guarantees import PureStep
from dpverify.accounting.steps.poisson import poisson
from dpverify.core.composition import HasPure, HasRenyi, Step
from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.registry import Registry
from dpverify.core.relation_names import ADD_REMOVE
from dpverify.core.rules import Between, Probability
from dpverify.core.subjects import Float

_SHARE_ERROR = 1e-10
"""Relative error of binomial tails in doubles, with room."""
_LEAST = 1e-300  # for a probability that underflows
_FAR = 100.0  # exponents above it are left to logarithms


@dataclass(frozen=True, slots=True, kw_only=True)
class TruncatedPoissonStep(Around):
    """A step on a Poisson sample of at most so many records."""

    kind = "truncated-poisson"
    relation = ADD_REMOVE

    records: Annotated[int, Between(1, 10**12)]
    """Of the larger of the two data sets."""
    q: Probability
    """Sampling probability in [0, 1]."""
    most: Annotated[int, Between(1, 10**12)]
    """Records that a sample may have."""
    step: Step
    """What runs on the sample."""

    def only_above(self) -> str:
        """The choice is taken to be seen."""
        return "whether a sample was cut is not told"

    def _losses(self) -> tuple[Losses, ...]:
        """The losses are those of the public choice, in both orders."""
        parts = [(weight, sampled_losses(single_loss(step), rate)) for weight, rate, step in _ways(self)]
        if not parts:
            return ((),)
        forward = ChosenLoss(parts=tuple((weight, ways[0][0]) for weight, ways in parts), error=_SHARE_ERROR)
        back = ChosenLoss(parts=tuple((weight, ways[1][0]) for weight, ways in parts), error=_SHARE_ERROR)
        return (forward,), (back,)

    def _pure_epsilon(self) -> float:
        """The larger bound of the two samples."""
        bounds = [poisson(q=rate, step=step) for _, rate, step in _ways(self)]
        return max((each.pure_epsilon() for each in bounds if isinstance(each, HasPure)), default=0.0)

    def _renyi(self, orders: ArrayLike) -> Float:
        """The curve is that of the public choice, e^(s D) = sum of weights e^(s D_i); shape of `orders`."""
        array = real_orders(orders)
        near, far, most = np.zeros_like(array), np.full_like(array, -np.inf), np.zeros_like(array)
        for weight, rate, step in _ways(self):
            sample = poisson(q=rate, step=step)
            assert isinstance(sample, HasRenyi)
            grown = (array - 1) * sample.renyi(array)
            # The weights sum to 1, so 1 comes out of the sum: no cancellation when the divergence is small.
            near += weight * np.expm1(np.minimum(grown, _FAR))
            far, most = np.logaddexp(far, math.log(weight) + grown), np.maximum(most, grown)
        total = np.where(most < _FAR, np.log1p(near * (1 + _SHARE_ERROR)), far + _SHARE_ERROR)
        return np.asarray(total / (array - 1))


@functools.lru_cache(maxsize=256)
def _ways(given: TruncatedPoissonStep) -> tuple[tuple[float, float, Step], ...]:
    """(probability, rate, step) where nothing is cut, and where something is; those that cost nothing left out."""
    n, q, most = given.records, given.q, given.most
    if q == 0:
        return ()
    cut = float(binom.sf(most - 1, n - 1, q))
    if most >= n:
        return ((1.0, q, given.step),)
    exchanged, least = float(binom.sf(most, n, q)) * most / n, q * (most / (most + 1))
    rate = min(least, exchanged / cut * (1 + _SHARE_ERROR)) if exchanged > 0 else least
    ways = (
        (float(binom.cdf(most - 1, n - 1, q)), q, given.step),
        (max(cut, _LEAST), rate, group(size=2, step=given.step)),
    )
    return tuple(way for way in ways if way[0] > 0)


def _examples() -> tuple[Step, ...]:
    """Instances, edge cases among them, that the contract tests examine."""
    return (
        truncated_poisson(records=1000, q=0.01, most=16, step=GaussianStep(sigma=1)),
        truncated_poisson(records=4, q=0.5, most=2, step=GaussianStep(sigma=1)),
        truncated_poisson(records=100, q=0.1, most=200, step=LaplaceStep(scale=1)),
        truncated_poisson(records=100, q=1, most=10, step=PureStep(epsilon=0.5)),
    )


@with_examples(_examples)
def truncated_poisson(*, records: int, q: float, most: int, step: Step) -> Step:
    """Make a step on a Poisson sample of rate `q` out of `records`, cut at `most`.

    Raises
    ------
    InputError
        Numbers outside their ranges, no step, or one whose cost to two records in a sample is not known.
    """
    inner = checked_inner("truncated-poisson", step, relation="any")
    try:
        for each in (inner, group(size=2, step=inner)):
            single_loss(each)
    except UnsupportedError as problem:
        raise InputError(f"truncated-poisson: {problem}", allowed="a step with one privacy loss") from None
    # A curve says less than a pure bound, and its kinks mislead the search for an order.
    kinds = (("pure_epsilon", HasPure), ("renyi", HasRenyi))
    names = ("losses", *[name for name, kind in kinds if isinstance(inner, kind)][:1])
    made: Step = offering(TruncatedPoissonStep, names)(records=records, q=q, most=most, step=inner)
    return made


def register(registry: Registry) -> None:
    """Register the step."""
    registry.steps.add("truncated-poisson", truncated_poisson)
