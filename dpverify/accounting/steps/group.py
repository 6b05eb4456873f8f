"""One step as it protects a group of records, all of them added, removed or replaced together.

Results, for k records: the laws of k neighbours in a row. Noise: k times the sensitivity, by the triangle inequality,
attained. Pure: k epsilon, attained by randomised responses in a row. (epsilon, delta): k epsilon and
delta (1 + e^epsilon + ... + e^((k - 1) epsilon)) (Dwork and Roth 2014, Theorem 2.2 and its proof: H of neighbours in a
row, each step multiplying what is behind it by e^epsilon); one bound, no pair.

DP-SGD (``poisson-gaussian``): of the group, Binomial(k, q) records take part, and the worst group gives
sum_j C(k, j) q^j (1 - q)^(k - j) N(j, sigma^2) against N(0, sigma^2), both orders, attained. Proof: given the others'
sum, the laws are the mixture over subsets T of N(v_T), |v_T| <= |T|, v_T the sum of T's vectors, and N(0). With X_T =
dN(v_T) / dN(0) under N(0), either order of H is the expectation of a convex function of sum w_T X_T; the X_T are
lognormal of mean 1 with covariances v_S v_T / sigma^2 <= |S| |T| / sigma^2, which equal vectors of norm 1 attain, and
the expectation rises with every covariance (Kahane's comparison). The weights do not depend on answers.

Side: noise, pure and DP-SGD exact; (epsilon, delta) upper. Not to be confused with k runs of a step.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binom

from dpverify.accounting.accountant_inputs import ROUNDING, rounded_up
from dpverify.accounting.amplification import sampled_curve
from dpverify.accounting.inner_step import Around, checked_inner, with_examples
from dpverify.accounting.loss_sources import Losses
from dpverify.accounting.steps.discrete_noise import DiscreteGaussianStep, DiscreteLaplaceStep
from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep, MixtureGaussianStep
from dpverify.accounting.steps.guarantees import ApproxStep, NoOpStep, PureStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Step
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.relation_names import ADD_REMOVE
from dpverify.core.rules import Between
from dpverify.core.subjects import Float

LARGEST = 64
"""Records of a group."""
_SIZE = Between(1, LARGEST, whole=True, plain=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupStep(Around):
    """A step around another one at a distance of `size` records."""

    kind = "group"

    size: int
    """Records of the group."""
    step: Step
    """What protects one record."""


class ApproxGroupStep(GroupStep):
    """The known rule for (epsilon, delta)."""

    __slots__ = ()

    def approx(self) -> tuple[float, float]:
        """(k epsilon, delta sum of e^(i epsilon)), rounded up."""
        assert isinstance(self.step, ApproxStep)
        grown = math.fsum(math.exp(i * self.step.epsilon) for i in range(self.size))
        return _times(self.step.epsilon, self.size), self.step.delta * grown * (1 + ROUNDING)


class PoissonGaussianGroupStep(GroupStep):
    """DP-SGD, as it protects a group."""

    __slots__ = ()
    relation = ADD_REMOVE

    def losses(self) -> tuple[Losses, ...]:
        """The exact privacy loss each way."""
        return self._mixture().losses()

    def renyi(self, orders: ArrayLike) -> Float:
        """The smaller bound of the mixture and of a sample of those that move; shape of `orders`."""
        mixture = self._mixture()
        whole = mixture.renyi(orders)
        if len(mixture.weights) == 1:
            return whole
        moved = np.array(mixture.weights[1:])
        share = float(moved.sum())
        parts = replace(mixture, weights=tuple((moved / share).tolist()), shifts=mixture.shifts[1:])
        return np.minimum(whole, sampled_curve(min(share, 1.0), parts.renyi, orders))

    def _mixture(self) -> MixtureGaussianStep:
        assert isinstance(self.step, PoissonGaussianStep)
        numbers = np.arange(self.size + 1)
        weights = binom.pmf(numbers, self.size, self.step.q)
        kept = weights > 0
        return MixtureGaussianStep(
            weights=tuple(weights[kept].tolist()), shifts=tuple(numbers[kept].tolist()), sigma=self.step.sigma
        )


def _examples() -> tuple[Step, ...]:
    """Instances, edge cases among them, that the contract tests examine."""
    return (
        group(size=3, step=ApproxStep(epsilon=0.5, delta=1e-6)),
        group(size=2, step=PoissonGaussianStep(q=0.01, sigma=1)),
        group(size=8, step=PoissonGaussianStep(q=0.3, sigma=4)),
    )


@with_examples(_examples)
def group(*, size: int, step: Step) -> Step:
    """Make the step as it protects `size` records, 1 to 64.

    Raises
    ------
    InputError
        Another size, no step, or one of which nothing is known for groups.
    """
    size = _SIZE.checked("group: size", size)
    inner = checked_inner("group", step, relation=getattr(step, "relation", ""))
    return inner if size == 1 else grouped(inner, size)


@functools.singledispatch
def grouped(step: Step, size: int) -> Step:
    """The step at a distance of `size` >= 2 records; further steps are registered beside what is known of them."""
    raise InputError(
        f"group: step {step.text()}",
        allowed="gaussian, laplace, discrete-gaussian, discrete-laplace, pure, approx, poisson-gaussian",
    )


@grouped.register(GaussianStep)
@grouped.register(LaplaceStep)
@grouped.register(DiscreteGaussianStep)
@grouped.register(DiscreteLaplaceStep)
def _noise(step: GaussianStep | LaplaceStep | DiscreteGaussianStep | DiscreteLaplaceStep, size: int) -> Step:
    return replace(step, sensitivity=_times(step.sensitivity, size))  # type: ignore[arg-type]  # whole where it was


@grouped.register
def _pure(step: PureStep, size: int) -> Step:
    return PureStep(epsilon=_times(step.epsilon, size))


@grouped.register
def _approx(step: ApproxStep, size: int) -> Step:
    found = ApproxGroupStep(size=size, step=step)
    epsilon, delta = found.approx()
    if not delta < 1 or not math.isfinite(epsilon):
        raise InputError(f"group: step {step.text()} and {size} records: delta = {delta:g}", allowed="a delta below 1")
    return found


@grouped.register
def _nothing(step: NoOpStep, size: int) -> Step:
    return step


@grouped.register
def _sampled(step: PoissonGaussianStep, size: int) -> Step:
    return PoissonGaussianGroupStep(size=size, step=step)


def _times(value: float, size: int) -> float:
    return rounded_up(Fraction(value) * size)


def register(registry: Registry) -> None:
    """Register the step."""
    registry.steps.add("group", group)
