"""Any step on a Poisson sample: each record takes part with probability q, independently, a record added or removed.

Results: of the pair of the step with the record against without it, mixed, both orders (Zhu, Dong, Wang 2022, Theorem
11; :mod:`~dpverify.accounting.sampled_losses`); of its Renyi curve, proved bounds
(:mod:`~dpverify.accounting.amplification`); of epsilon, log(1 + q (e^epsilon - 1)) both ways, and of delta, q delta
(Balle, Barthe, Gaboardi 2018, Theorem 8): backwards, H of A from M at t = 1 + q (e^epsilon - 1) is c H of A from B at
t q / c with c = 1 - t (1 - q) <= q, and t q / c >= e^epsilon.

Gaussian and Laplace noise give the steps that are named for them, which alone serve replaced records: there no pair of
the inner step is enough, since two records in the sample are farther apart than either is from none.

Side: losses are attained where the step's own are; curves are upper bounds. Not to be confused with samples of a fixed
size, nor with ``poisson-printed``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from dpverify.accounting.accountant_inputs import ROUNDING, step_bound
from dpverify.accounting.amplification import sampled_curve
from dpverify.accounting.inner_step import Around, checked_inner, offering, with_examples
from dpverify.accounting.loss_sources import Losses, OnlyAbove, directions
from dpverify.accounting.sampled_losses import mixed_logs, sampled_losses, single_loss
from dpverify.accounting.steps.discrete import DiscreteStep
from dpverify.accounting.steps.discrete_noise import DiscreteGaussianStep, DiscreteLaplaceStep
from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep, MixtureGaussianStep, MixtureStep
from dpverify.accounting.steps.guarantees import ApproxStep, PureStep, RandomisedResponseStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianReplaceStep, PoissonGaussianStep
from dpverify.accounting.steps.poisson_laplace import PoissonLaplaceReplaceStep, PoissonLaplaceStep
from dpverify.core.composition import HasLaws, HasRenyi, Step
from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.registry import Registry
from dpverify.core.relation_names import ADD_REMOVE, REPLACE
from dpverify.core.rules import PROBABILITY, OneOf, Probability
from dpverify.core.subjects import Float, LawPair
from dpverify.laws.discrete_pair import DiscretePair

_RELATION = OneOf((ADD_REMOVE, REPLACE))


@dataclass(frozen=True, slots=True, kw_only=True)
class PoissonStep(Around):
    """A step on a Poisson sample, under add-remove neighbours; it offers what the step's own offers become."""

    kind = "poisson"
    relation = ADD_REMOVE

    q: Probability
    """Sampling probability in [0, 1]."""
    step: Step
    """What runs on the sample."""

    def _laws(self) -> tuple[LawPair, ...]:
        """Laws on finitely many outcomes are mixed one by one, in both orders."""
        pair = _finite(self.step)
        assert pair is not None
        log_p, log_q = pair.log_p, pair.log_q
        mixed, error = mixed_logs(log_p, log_q, self.q) if self.q else (log_q, 0.0)
        sample = DiscretePair(log_p=mixed, log_q=log_q, error=pair.error + error)
        return sample, sample.swap()

    def _losses(self) -> tuple[Losses, ...]:
        """The losses are those of both orders."""
        if self.q == 0:
            return ((),)
        return directions(self.step) if self.q == 1 else sampled_losses(single_loss(self.step), self.q)

    def _only_above(self) -> str:
        """The inner step's reason."""
        return self.step.only_above() if isinstance(self.step, OnlyAbove) else ""

    def _renyi(self, orders: ArrayLike) -> Float:
        """Upper bounds on both orders, none above the pure bound; shape of `orders`."""
        assert isinstance(self.step, HasRenyi)
        found = sampled_curve(self.q, self.step.renyi, orders)
        bound = step_bound(self)
        return found if bound is None or bound[1] else np.minimum(found, bound[0])

    def _pure_epsilon(self) -> float:
        """log(1 + q (e^epsilon - 1)), rounded up."""
        return self._approx()[0]

    def _approx(self) -> tuple[float, float]:
        """The same, and q delta."""
        epsilon, delta = step_bound(self.step) or (math.inf, 1.0)
        if self.q in (0, 1):
            return epsilon * self.q, delta * self.q
        rest = epsilon + math.log(self.q + (1 - self.q) * math.exp(-epsilon)) if epsilon > 1 else 0.0
        smaller = rest if epsilon > 1 else math.log1p(self.q * math.expm1(epsilon))
        return min(epsilon, smaller * (1 + ROUNDING) + ROUNDING * epsilon), delta * self.q * (1 + ROUNDING)


def _examples() -> tuple[Step, ...]:
    """Instances, edge cases among them, that the contract tests examine."""
    return (
        poisson(q=0.2, step=PureStep(epsilon=1)),
        poisson(q=0.5, step=ApproxStep(epsilon=0.5, delta=1e-6)),
        poisson(q=0.01, step=RandomisedResponseStep(epsilon=5, size=100)),
        poisson(q=0.3, step=DiscreteGaussianStep(sigma=1)),
        poisson(q=0.3, step=DiscreteLaplaceStep(scale=1)),
        poisson(q=0.1, step=MixtureGaussianStep(weights=(0.5, 0.5), shifts=(1, 2), sigma=2)),
        poisson(q=0.05, step=MixtureStep(weights=(0.5, 0.3, 0.2), shifts=(0.1, 0.5, 1), sigma=1)),
        poisson(q=0.4, step=DiscreteStep(p=(0.5, 0.3, 0.2), q=(0.2, 0.3, 0.5))),
        poisson(q=1, step=PureStep(epsilon=1)),
        poisson(q=0, step=PureStep(epsilon=1)),
    )


@with_examples(_examples)
def poisson(*, q: float, step: Step, relation: str = ADD_REMOVE) -> Step:
    """Make a step on a Poisson sample of rate `q`; `relation` is add-remove, or replace for Gaussian and Laplace noise.

    Raises
    ------
    InputError
        Another rate or relation, no step, or one whose cost on a sample is not known.
    """
    q = PROBABILITY.number("poisson: q", q)
    relation = _RELATION.checked("poisson: relation", relation)
    inner = checked_inner("poisson", step, relation=relation)
    if isinstance(inner, GaussianStep) and inner.sensitivity:
        gaussian = PoissonGaussianStep if relation == ADD_REMOVE else PoissonGaussianReplaceStep
        return gaussian(q=q, sigma=_ratio(inner.sigma, inner.sensitivity))
    if isinstance(inner, LaplaceStep) and inner.sensitivity:
        laplace = PoissonLaplaceStep if relation == ADD_REMOVE else PoissonLaplaceReplaceStep
        return laplace(q=q, scale=_ratio(inner.scale, inner.sensitivity))
    if relation != ADD_REMOVE:
        allowed = f"gaussian or laplace under {REPLACE}, any step under {ADD_REMOVE}"
        raise InputError(f"poisson: step {inner.text()} with relation {REPLACE}", allowed=allowed)
    names = _offered(inner)
    if not names:
        allowed = "a step with one privacy loss, a Renyi curve, or an epsilon and delta"
        raise InputError(f"poisson: step {inner.text()}", allowed=allowed)
    made: Step = offering(PoissonStep, names)(q=q, step=inner)
    return made


def _offered(step: Step) -> tuple[str, ...]:
    """Return the names of what a sample offers."""
    names = ["renyi"] if isinstance(step, HasRenyi) else []
    bound = step_bound(step)
    if bound is not None:
        names.append("approx" if bound[1] else "pure_epsilon")
    try:
        single_loss(step)
    except UnsupportedError:
        return tuple(names)
    return (
        *names,
        "losses" if _finite(step) is None else "laws",
        *(["only_above"] if isinstance(step, OnlyAbove) else []),
    )


def _finite(step: Step) -> DiscretePair | None:
    """The step's laws with the record and without it, if they are on finitely many outcomes."""
    pair = step.laws()[0] if isinstance(step, HasLaws) else None
    return pair if isinstance(pair, DiscretePair) else None


def _ratio(noise: float, sensitivity: float) -> float:
    """The noise for a sensitivity of 1, rounded down."""
    value = noise / sensitivity
    return value if Fraction(value) * Fraction(sensitivity) <= Fraction(noise) else math.nextafter(value, 0.0)


def register(registry: Registry) -> None:
    """Register the step."""
    registry.steps.add("poisson", poisson)
