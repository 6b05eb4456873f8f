"""The privacy costs of DP-BLSGD's gradients and searches: as the paper charges them, and as proved.

Printed (section IV-C): a gradient costs alpha rho_grad (Lemma 1), a search formula (4) or (5), each amplified
*separately* by Lemma 4 for its Poisson sample (``amp``). With Lemma 4's factor 3, ``amp`` is larger than the cost
itself when little is spent: at the paper's own first budgets (epsilon = 0.2, q = 0.1, order 500) a gradient costs 0.001
without it and 0.0022 with it.

Proved: for a gradient the tight curve of the Poisson-subsampled Gaussian; for the Laplace search, which is pure DP with
3/4 of epsilon_BT on losses in [0, C_obj] (BL-SVT-LAP-PURE-R), the pure bound log(1 + q (e^epsilon - 1)) of a Poisson
sample, add-remove neighbours; for the Gaussian search its bound without amplification. Each needs a separate sample.

Neighbours: one record added or removed. Not to be confused with the cost of a whole run, which is the composition.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.guarantees import PureStep
from dpverify.accounting.steps.noisy_btls import NoisyBtlsGaussianStep, NoisyBtlsLaplaceStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.accounting.steps.printed_samples import PoissonPrintedStep, needed_curve
from dpverify.core.composition import Step
from dpverify.laws.stopping import Noise

Float = NDArray[np.float64]
Orders = tuple[int, ...] | range
SearchStep = NoisyBtlsLaplaceStep | NoisyBtlsGaussianStep
ProvedStep = PoissonGaussianStep | PureStep | NoisyBtlsGaussianStep

ROUNDING = 1e-12
"""Relative rise of the amplified pure bound, far above its rounding."""
LARGE = 700.0
"""Above this epsilon, 1 - q is negligible beside q e^epsilon, and e^epsilon may overflow."""


def gradient_step(rho: float) -> GaussianStep:
    """A clipped gradient sum with noise of variance C^2 / (2 rho), in units of C: (order, order rho)-RDP."""
    return GaussianStep(sigma=math.sqrt(0.5 / rho))


def search_step(noise: Noise, budget: float, max_it: int) -> SearchStep:
    """One NoisyBTLS on losses in [0, C_obj], in units of C_obj: Algorithm 1, line 3."""
    if noise == "laplace":
        return NoisyBtlsLaplaceStep(epsilon_1=budget / 2.0, epsilon_2=budget / 4.0, queries="losses")
    return NoisyBtlsGaussianStep(
        sigma_1=math.sqrt(1.5 / budget), sigma_2=math.sqrt(3.0 / budget), max_it=max_it, queries="losses"
    )


def amplified(step: Step, q: float) -> PoissonPrintedStep:
    """The step on a Poisson sample, at the cost of Lemma 4 (``amp``)."""
    return PoissonPrintedStep(q=q, step=step)


def proved_gradient_step(rho: float, q: float) -> PoissonGaussianStep:
    """A gradient on a separate Poisson sample; its divisor must not depend on the sample."""
    return PoissonGaussianStep(q=q, sigma=math.sqrt(0.5 / rho))


def proved_search_step(noise: Noise, budget: float, max_it: int, q: float) -> PureStep | NoisyBtlsGaussianStep:
    """A search on a separate Poisson sample."""
    step = search_step(noise, budget, max_it)
    if isinstance(step, NoisyBtlsGaussianStep):
        return step
    pure = step.pure_epsilon()
    sampled = math.log1p(q * math.expm1(pure)) if pure < LARGE else pure + math.log(q)
    return PureStep(epsilon=sampled * (1 + ROUNDING))


@lru_cache(maxsize=1024)
def printed_cost(step: GaussianStep | SearchStep | PoissonPrintedStep, orders: Orders) -> Float:
    """The step's printed Renyi curve at the orders, shape (k,), nats, read-only; it need not be a bound."""
    return _frozen(needed_curve(step, by="line search")(np.array(orders, dtype=np.float64)))


@lru_cache(maxsize=1024)
def proved_cost(step: ProvedStep, orders: Orders) -> Float:
    """An upper bound on the step's Renyi curve at the orders, shape (k,), nats, read-only."""
    return _frozen(step.renyi(np.array(orders, dtype=np.float64)))


def total_budget(epsilon: float, delta: float, orders: Orders) -> Float:
    """epsilon_tot(alpha), shape (k,), which Proposition 1 converts into (epsilon, delta)-DP; below 0 at low orders."""
    return epsilon + math.log(delta) / (np.array(orders, dtype=np.float64) - 1.0)


def _frozen(values: Float) -> Float:
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array
