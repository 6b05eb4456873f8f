"""The Gaussian mechanism on one query of sensitivity 1: answer + N(0, sigma^2), and three ways to choose sigma.

Exactly (1 / sigma)-GDP (Dong, Roth, Su 2019, Theorem 2.7), hence rho = 1 / (2 sigma^2) zCDP (Bun, Steinke 2016)
and (alpha, alpha rho)-RDP (Mironov 2017), all met with equality. Calibrations for (epsilon, delta): the
classical sqrt(2 ln(1.25/delta)) / epsilon (Dwork, Roth 2014, Theorem A.1; for epsilon < 1 only, and with
slack), the exact one (Balle, Wang 2018), and by RDP.

How much slack: at epsilon = 0.5, delta = 1e-5 the classical sigma is 9.69 where 7.03 would do, 1.378 times as
much. The true delta(0.5) is 1.6e-8, and 2.0e-7 with 90 % of the noise: that variant still meets its claim, 24 %
above the sigma needed, and is registered as one that stands. Whoever reports it as broken is wrong.

Not to be confused with the discrete or the truncated Gaussian. Limits: real-number noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import POSITIVE
from dpverify.core.subjects import Dataset, Guarantee
from dpverify.core.suite import Expectation
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import ApproxDP
from dpverify.definitions.rdp import RDP, ZCDP
from dpverify.laws.density import GaussianLaw
from reference_impls.mechanisms.additive_noise import with_gaussian
from reference_impls.mechanisms.inputs import Float, single_answer
from reference_impls.mechanisms.mechanism_claims import add_claim
from reference_impls.mechanisms.noise_scale import SigmaScaled

_SAFE = 1.0 + 1e-9
"""Claims at the very boundary are computed in floating point; this much more noise keeps them on the safe side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaussian(SigmaScaled):
    """Subject ``gaussian``. Data sets: one query answer; outputs: float64, shape (size,)."""

    def query(self, dataset: Dataset) -> Float:
        """The answer, shape (1,)."""
        return single_answer(dataset)

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy answers, shape (size,)."""
        return with_gaussian(single_answer(dataset), self.sigma * self.noise_multiplier, size, rng=rng)[:, 0]

    def output_law(self, dataset: Dataset) -> GaussianLaw:
        """Normal around the answer."""
        return GaussianLaw(locations=single_answer(dataset), scales=np.array(self.sigma * self.noise_multiplier))


def classical_sigma(epsilon: float, delta: float) -> float:
    """sqrt(2 ln(1.25 / delta)) / epsilon; proved for epsilon in (0, 1) only, never less noise than needed there."""
    POSITIVE.checked("delta", delta)
    if not 0 < epsilon < 1:
        raise InputError(f"epsilon = {epsilon}", allowed="0 < epsilon < 1", remedy="use exact_sigma")
    return math.sqrt(2.0 * math.log(1.25 / delta)) / epsilon


def exact_sigma(epsilon: float, delta: float) -> float:
    """The least sigma whose profile meets delta at epsilon, and 1e-9 of it more: never less noise than needed."""
    POSITIVE.checked("epsilon", epsilon)
    POSITIVE.checked("delta", delta)
    mu = brentq(lambda mu: float(GDP(mu=mu).delta(epsilon)) - delta, 1e-6, 1e3, xtol=1e-14, rtol=1e-14)
    return _SAFE / float(mu)


def renyi_sigma(order: float, epsilon: float) -> float:
    """The sigma with Renyi divergence `epsilon` at `order`: sqrt(order / (2 epsilon))."""
    POSITIVE.checked("order", order)
    POSITIVE.checked("epsilon", epsilon)
    return math.sqrt(order / (2.0 * epsilon))


def register(registry: Registry) -> None:
    """Register the mechanism, a claim of each kind and their noise deficits; the classical claim survives its own."""
    registry.mechanisms.add("gaussian", Gaussian)
    exact: tuple[tuple[str, Guarantee, float, tuple[str, str]], ...] = (
        ("gdp", GDP(mu=1.0), _SAFE, ("Dong, Roth, Su 2019", "Thm 2.7")),
        ("zcdp", ZCDP(rho=0.5), _SAFE, ("Bun, Steinke 2016", "Prop. 1.6")),
        (
            "rdp",
            RDP(orders=(2.0, 8.0), epsilons=(1.0, 4.0)),
            _SAFE * renyi_sigma(2.0, 1.0),
            ("Mironov 2017", "Prop. 7"),
        ),
        ("approx", ApproxDP(epsilon=1.0, delta=1e-5), exact_sigma(1.0, 1e-5), ("Balle, Wang 2018", "Thm 8")),
    )
    for kind, guarantee, sigma, source in exact:
        _add(registry, kind, guarantee, sigma, source, "broken")
    slack = ApproxDP(epsilon=0.5, delta=1e-5)
    _add(registry, "classical", slack, classical_sigma(0.5, 1e-5), ("Dwork, Roth 2014", "Thm A.1"), "stands")


def _add(
    registry: Registry,
    kind: str,
    guarantee: Guarantee,
    sigma: float,
    source: tuple[str, str],
    noise_deficit: Expectation,
) -> None:
    add_claim(
        registry,
        f"gaussian-{kind}",
        "stands",
        guarantee=guarantee,
        parameters={"sigma": sigma},
        relation="one-query",
        size=1,
        subject="gaussian",
        source=source,
        statement=f"A query of sensitivity 1 with N(0, {sigma:.6g}^2) meets the bound.",
        noise_deficit=noise_deficit,
    )
