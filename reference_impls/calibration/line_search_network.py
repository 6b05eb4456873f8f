"""DP-BLSGD on networks: a gradient and a search on one Poisson sample, priced together and then sampled.

A gradient is a Gaussian of mu^2 = 2 rho. All answers of a Gaussian search are a function of a Gaussian vector, so a
search is dominated by a Gaussian, too (:func:`dpverify.accounting.stopping_gaussian.vector_bound`), and both together
by one whose mu^2 is the sum, whatever the search does with the gradient. A Laplace search is a pure mechanism beside
the Gaussian. Then a Poisson sample of that pair is exact. This is tighter than Lemma 4 of the papers, and sound.

The published version divides by the realised size of a sample, which is not certified; with ``divisor="expected"`` it
is the repaired one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.loss_sources import GaussianLoss, Losses
from dpverify.accounting.privacy_loss import ReversedLoss, SampledLoss, WithResponseLoss
from dpverify.accounting.steps.noisy_btls import NoisyBtlsGaussianStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianReplaceStep, PoissonGaussianStep
from dpverify.accounting.stopping_gaussian import MOVES, vector_bound
from dpverify.core.composition import Composed, Composition, Step
from dpverify.core.registry import Registry
from dpverify.utility.calibration_family import (
    Asked,
    Cost,
    Family,
    both_sides_chi_square,
    limit_start,
    moved_chi_square,
)
from dpverify.utility.closed_forms import printed_renyi, replaced
from reference_impls.line_search.dp_blsgd_network import DpBlsgdNetwork
from reference_impls.line_search.step_costs import search_step


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledGaussianAndPure:
    """A Gaussian of `mu` and an epsilon-DP mechanism on one Poisson sample, one record added or removed."""

    q: float
    mu: float
    epsilon: float
    relation = "add-remove"

    def text(self) -> str:
        """Such as ``gaussian and pure on a Poisson sample (...)``."""
        return f"gaussian and pure on a Poisson sample (q={self.q:g}, mu={self.mu:g}, epsilon={self.epsilon:g})"

    def losses(self) -> tuple[Losses, ...]:
        """With the record against without it, and back."""
        base = WithResponseLoss(base=GaussianLoss(mu=self.mu), epsilon=self.epsilon)
        if self.q == 1:
            return ((base,),)
        loss = SampledLoss(base=base, rate=self.q)
        return (loss,), (ReversedLoss(base=loss),)


class NetworkFamily(Family):
    """The budget of an iteration."""

    knob = "rho_iter"
    budget = True
    then = "(alpha, alpha rho_iter)-RDP an iteration, by Lemma 4 of BLSGD, whole orders up to 500"

    def refuses(self, algorithm: Any, asked: Asked) -> str | None:
        """A divisor that tells the size of a sample."""
        if algorithm.divisor != "expected":
            return (
                "it divides by the realised size of a sample, so no sound accountant certifies it; with "
                "divisor='expected' (dp-blsgd-network-repaired) it is certified"
            )
        return None

    def start(self, algorithm: Any, asked: Asked) -> float:
        """At the central limit."""
        square = both_sides_chi_square if asked.relation == "replace" else moved_chi_square
        scale = algorithm.steps * algorithm.q**2
        noise = limit_start(lambda at: scale * square(at), epsilon=asked.epsilon, delta=asked.delta)
        return 0.5 / (noise * noise)

    def public(self, algorithm: Any, asked: Asked) -> Any:
        """With `records`."""
        return algorithm if algorithm.records else replace(algorithm, records=asked.rows)

    def priced(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """So many iterations."""
        levels = algorithm.levels
        square = 2.0 * levels.rho_grad
        search = search_step(algorithm.noise, levels.budget_bt, algorithm.max_it)
        if isinstance(search, NoisyBtlsGaussianStep):
            square += 2.0 * vector_bound(1.0, search.sigma_1, search.sigma_2, search.max_it, MOVES["losses"])
            sigma = 1.0 / math.sqrt(square)
            kind = PoissonGaussianReplaceStep if asked.relation == "replace" else PoissonGaussianStep
            return (Composition.repeat(kind(q=algorithm.q, sigma=sigma), algorithm.steps),)
        both: Step = SampledGaussianAndPure(q=algorithm.q, mu=math.sqrt(square), epsilon=search.pure_epsilon())
        steps = Composition.repeat(both, algorithm.steps)
        return (replaced(compose(steps, width=1.0)) if asked.relation == "replace" else steps,)

    def printed(self, algorithm: Any, asked: Asked) -> Composed:
        """By Lemma 4, as the papers charge an iteration, also for the repaired version."""
        return printed_renyi(DpBlsgdNetwork.composition(algorithm))


def register(registry: Registry) -> None:
    """By class."""
    registry.calibrations.add("DpBlsgdNetwork", NetworkFamily())
