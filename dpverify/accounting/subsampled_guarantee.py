"""The claim of DP-SGD's accountants as a guarantee: T Poisson-sampled Gaussians, add-remove, all iterates seen.

No test tells the neighbours' transcripts apart better than it tells T draws of (1 - q) N(0, sigma^2) + q N(1, sigma^2)
from T draws of N(0, sigma^2) (Mironov, Talwar, Zhang 2019, Theorem 4; attained by a record whose clipped gradient is
always the same). Its privacy profile is that of the composed privacy losses, in the worse order of the neighbours,
rounded up (:mod:`~dpverify.accounting.loss_curve`): a claim allows more than the truth, by about half a percent of
delta between the nodes of its polygon.

Not to be confused with GDP at the central limit's mu = q sqrt(T (e^(1/sigma^2) - 1)), which is neither above nor below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated

from numpy.typing import ArrayLike

from dpverify.core.composition import Bracket, Composition
from dpverify.core.evidence import Measure
from dpverify.core.registry import Registry
from dpverify.core.rules import Between, Share
from dpverify.core.subjects import Float
from dpverify.definitions.parameters import Parametrised

if TYPE_CHECKING:  # accounts cost half a second to load: every audit asks whether its claim is of this class
    from dpverify.accounting.loss_curve import ProfileCurve

ROUNDING = 1e-12
LEAST_HEADLINE = 1e-300  # a tenth of it is still a number of full precision
_SHARES = (0.0, 0.15, 0.3, 0.6)  # of the headline epsilon: where the profile is held against a measured event as well


@dataclass(frozen=True, slots=True, kw_only=True)
class SubsampledGaussian(Parametrised):
    """The claim that neighbours are at least as hard to distinguish as T Poisson-sampled Gaussians.

    Attributes
    ----------
    rate : float
        q, each record's chance to enter a batch, in (0, 1].
    sigma : float
        Noise multiplier: standard deviation of the noise over the clipping norm; finite, > 0.
    steps : int
        T, in [1, 1e6].
    at_delta : float
        The headline is epsilon at this delta, in [1e-300, 1); the claim is the whole curve whatever it is.
    """

    rate: Share
    sigma: Annotated[float, Between(0.01, 1e4)]
    steps: Annotated[int, Between(1, 1e6)]
    at_delta: Annotated[float, Between(LEAST_HEADLINE, 1, open="high")] = 1e-5

    @classmethod
    def examples(cls) -> tuple[SubsampledGaussian, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(rate=0.25, sigma=2.8894, steps=100),
            cls(rate=1, sigma=1, steps=1),
            cls(rate=0.01, sigma=0.7, steps=10),
            cls(rate=0.5, sigma=40, steps=4, at_delta=1e-3),
        )

    @property
    def composition(self) -> Composition:
        """Return the composition that an accountant takes."""
        from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep

        return Composition.repeat(PoissonGaussianStep(q=self.rate, sigma=self.sigma), self.steps)

    def measures(self) -> tuple[Measure, ...]:
        """Epsilon at `at_delta`, from above, then delta at some epsilons below it."""
        top = self.bracket().upper
        points = sorted({share * top for share in _SHARES} if math.isfinite(top) else {0.0})
        return (
            Measure(kind="epsilon", argument=self.at_delta, claimed=top),
            *(
                Measure(kind="delta", argument=at, claimed=min(1.0, float(self.delta(at)) * (1 + ROUNDING)))
                for at in points
            ),
        )

    def bracket(self) -> Bracket:
        """Epsilon at the headline's delta, between the accountant's bounds."""
        return _bracket(self.rate, self.sigma, self.steps, self.at_delta)

    def delta(self, epsilon: ArrayLike, *, reverse: bool = False) -> Float:
        """Largest delta allowed at `epsilon` (nats, any sign and shape); the same in both directions."""
        return self.curve().delta(epsilon)

    def tradeoff(self, alpha: ArrayLike, *, reverse: bool = False) -> Float:
        """Least false-negative rate allowed at false-positive rates `alpha` (any shape); same in both directions."""
        return self.curve().tradeoff(alpha)

    def curve(self) -> ProfileCurve:
        """The claimed profile as a polygon."""
        return _curve(self.rate, self.sigma, self.steps, self.at_delta)


@lru_cache(maxsize=64)
def _curve(rate: float, sigma: float, steps: int, delta: float) -> ProfileCurve:
    from dpverify.accounting.loss_curve import curve_above
    from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep

    return curve_above(Composition.repeat(PoissonGaussianStep(q=rate, sigma=sigma), steps), delta=delta)


@lru_cache(maxsize=256)
def _bracket(rate: float, sigma: float, steps: int, delta: float) -> Bracket:
    from dpverify.accounting.accountants.pld import compose
    from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep

    return compose(Composition.repeat(PoissonGaussianStep(q=rate, sigma=sigma), steps)).epsilon(delta)


def register(registry: Registry) -> None:
    """Register the definition."""
    registry.definitions.add("SubsampledGaussian", SubsampledGaussian)
