"""The Gaussian mechanism on a Poisson sample: one step of DP-SGD.

Each record takes part with probability q, independently; a sum of vectors of norm at most 1 gets N(0, sigma^2) noise in
every coordinate. Results: the worst add-remove neighbours give (1 - q) N(0, sigma^2) + q N(1, sigma^2) against
N(0, sigma^2) (Mironov, Talwar, Zhang 2019, Theorem 4). Its Renyi curve is computed at all real orders, towards the base
law, the larger direction (their Theorem 5); where the lattice of ``subsampled_gaussian`` serves, it is above the truth
by a few 1e-12 of it at orders from 1.01 on. Not to be confused with batches of fixed size, with shuffled epochs, or
with replacing a record.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpverify.accounting.order_search import real_orders
from dpverify.accounting.public_step import PublicStep
from dpverify.accounting.subsampled_gaussian import curve_sum, reverse_curve
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Positive, Probability
from dpverify.core.subjects import Float, LawPair
from dpverify.laws.density import GaussianLaw
from dpverify.laws.subsampled_pair import SubsampledLaw


@dataclass(frozen=True, slots=True, kw_only=True)
class PoissonGaussianStep(PublicStep):
    """Gaussian noise on a Poisson sample, under add-remove neighbours.

    Attributes
    ----------
    q : float
        Sampling probability in [0, 1].
    sigma : float
        Noise multiplier: standard deviation over the clipping norm; finite, > 0.

    Raises
    ------
    InputError
        For anything else.
    """

    kind = "poisson-gaussian"
    relation = "add-remove"

    q: Probability
    sigma: Positive

    def validate(self) -> None:
        """The cost of the unsampled step is a double."""
        if not math.isfinite(1 / self.sigma / self.sigma):
            raise InputError(f"poisson-gaussian: sigma = {self.sigma}", allowed="a sigma with 1 / sigma^2 a double")

    @classmethod
    def examples(cls) -> tuple[PoissonGaussianStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(q=256 / 50000, sigma=1),
            cls(q=0.3, sigma=0.1),
            cls(q=0.999, sigma=3),
            cls(q=1e-6, sigma=50),
            cls(q=1, sigma=2),
            cls(q=0, sigma=1),
        )

    def renyi(self, orders: ArrayLike) -> Float:
        """Both directions (the mixture from the base law is never the smaller), never below; shape of `orders`."""
        return self.renyi_sum((self,), (1,), orders)

    def renyi_reverse(self, orders: ArrayLike) -> Float:
        """The base law from the mixture alone, never below the truth; shape of `orders`."""
        array = real_orders(orders)
        return reverse_curve(self.q, self.sigma, array.ravel()).reshape(array.shape)

    @classmethod
    def renyi_sum(cls, steps: Sequence[PoissonGaussianStep], counts: Sequence[int], orders: ArrayLike) -> Float:
        """Sum of count times curve over different steps, in one pass without temporaries; shape of `orders`."""
        array = real_orders(orders)
        rates, sigmas = (np.array([getattr(step, name) for step in steps], dtype=np.float64) for name in ("q", "sigma"))
        times = np.nextafter(np.array(counts, dtype=np.float64), np.inf)  # counts beyond 2^53 are rounded
        return curve_sum(rates, sigmas, times, array.ravel()).reshape(array.shape)

    def laws(self) -> tuple[LawPair, ...]:
        """The mixture against the base law, and back; one pair where nothing is sampled out."""
        absent, present = (
            GaussianLaw(locations=np.array([at]), scales=np.array(self.sigma)) for at in (0.0, 1.0 if self.q else 0.0)
        )
        if self.q in (0, 1):
            return (present.against(absent),)
        pair = SubsampledLaw(absent=absent, present=present, rate=self.q).against(absent)
        return pair, pair.swap()


def register(registry: Registry) -> None:
    """Register the step."""
    registry.steps.add("poisson-gaussian", PoissonGaussianStep)
