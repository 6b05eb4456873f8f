"""Computations behind the remarks on BL-BATCH-NORM, its repair and BL-BATCH-NORM-SAMPLED.

The subject of the first two: :mod:`~reference_impls.papers.blsgd.lemmas.batch_norm`; that of the third is `blsgd_step`,
the algorithm itself, sampled.
"""

from __future__ import annotations

import math

import numpy as np

from dpverify.core.ledger_words import Shown
from dpverify.definitions.pure_dp import ApproxDP
from reference_impls.line_search.step_costs import amplified, gradient_step, printed_cost
from reference_impls.papers.accounting.lemmas.poisson_gaussian import PoissonGaussian
from reference_impls.papers.blsgd.lemmas.batch_norm import RATIO, NormalisedGradient


def shown_batch_norm() -> Shown:
    """What line 7 charges at order 2, and what the quotient costs, at the paper's numbers and around them."""
    own = NormalisedGradient()
    size = NormalisedGradient(gradient=0.0)
    few = NormalisedGradient(records=12.0)
    charged, paid, told, small = (float(each.value) for each in (own.printed(), own.truth(), size.truth(), few.truth()))
    later = NormalisedGradient(order=8.0)
    tight = PoissonGaussian(q=RATIO, sigma=1.0 / own.apart, order=8.0).truth().value
    numbers = (
        ("charged, order 2, n = 48842, p = 124, epsilon = 0.2", charged),
        ("cost of the quotient there", paid),
        ("of which by the sample's size alone", told),
        ("cost of the quotient, n = 12", small),
        ("order 8: cost over the tight price of the sum", later.truth().value / tight),
        ("order 8: cost over what line 7 charges", later.truth().value / later.printed().value),
    )
    return Shown(numbers=numbers, holds=charged < told < paid < small and numbers[4][1] > 1 > numbers[5][1])


def charged(*, q: float, rho: float, delta: float) -> ApproxDP:
    """What line 7 charges for a gradient step, turned by Proposition 1: the least over whole orders to 64."""
    orders = range(2, 65)
    costs = printed_cost(amplified(gradient_step(rho), q), orders) - math.log(delta) / (np.array(orders) - 1.0)
    return ApproxDP(epsilon=float(costs.min()), delta=delta)
