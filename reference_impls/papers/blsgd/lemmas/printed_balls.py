"""What Algorithm 2 subtracts (BLSGD lines 7, 11, 16), in ball arithmetic: formula (4) or (5), amplified by Lemma 4.

The float versions are in :mod:`reference_impls.line_search.step_costs`. Terms are as printed; no side.
"""

from __future__ import annotations

from functools import partial

import flint

from dpverify.laws.stopping import Noise
from reference_impls.papers.accounting.lemmas.amplification_balls import BallCurve, poisson_ball


def gradient_curve(rho: float) -> BallCurve:
    """The gradient's cost, alpha rho."""
    return lambda order: order * flint.arb(rho)


def search_curve(noise: Noise, budget: float) -> BallCurve:
    """Formula (4) at (epsilon / 2, epsilon / 4), or (5) at sigma_1^2 = 3 / (2 rho), sigma_2^2 = 3 / rho."""
    return partial(laplace_ball, flint.arb(budget)) if noise == "laplace" else gradient_curve(budget)


def laplace_ball(epsilon: flint.arb, order: int) -> flint.arb:
    """Formula (4) with epsilon_1 = epsilon / 2 = 2 epsilon_2: the square of one Laplace moment."""
    shift, whole = epsilon / 2, flint.arb(order)
    moment = whole * (shift * (order - 1)).exp() + (whole - 1) * (-shift * order).exp()
    return 2 * (moment / (2 * whole - 1)).log() / (order - 1)


def amplified_ball(q: float, curve: BallCurve, order: int) -> flint.arb:
    """``amp`` of a curve at one whole order."""
    return poisson_ball(flint.arb(q), curve, order)
