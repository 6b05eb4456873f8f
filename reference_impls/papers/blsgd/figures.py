"""Figures of the ledger's BLSGD rows: Theorem 3's curve by max_it, and two releases on one sample.

Numbers only, from the exact laws of :mod:`reference_impls.line_search.noisy_btls_queries` and the divergences of
:mod:`~reference_impls.papers.blsgd.lemmas.shared_sample` and
:mod:`~reference_impls.papers.blsgd.lemmas.shared_gaussians`; they are drawn elsewhere. Every ratio is
attained by a pair of neighbours, so the largest possible ratio may be larger.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dpverify.core.ledger_words import Curve
from reference_impls.line_search.noisy_btls_queries import NoisyBtlsQueries
from reference_impls.papers.blsgd.lemmas.shared_gaussians import SharedGaussians
from reference_impls.papers.blsgd.lemmas.shared_sample import SharedSample

BUDGET = 0.01
"""rho of Theorem 3's curve."""

_ORDERS = (2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0)
_CANDIDATES = (30, 100, 300, 1000, 3000, 5000)
_LEVELS = np.arange(-4.5, 0.01, 0.25)  # of the queries, in units of their noise
_BUDGETS = tuple(float(value) for value in np.geomspace(0.01, 10.0, 25))
_Q = 0.1


def theorem_3() -> tuple[Curve, ...]:
    """By order and max_it: the divergence of one pair over order * rho, the largest of a few levels."""
    return tuple(
        Curve(label=f"max_it = {count}", points=tuple((order, _attained(count, order)) for order in _ORDERS))
        for count in _CANDIDATES
    )


def _attained(max_it: int, order: float) -> float:
    """Half of the queries move up by the sensitivity, half down: nobody tells them apart by their sum."""
    mechanism = NoisyBtlsQueries(budget=BUDGET, max_it=max_it, noise="gaussian", alpha=0.5, beta=0.8)
    moves = np.where(np.arange(max_it) < max_it / 2, 1.0, -1.0)
    found = []
    for level in _LEVELS:
        base = np.full(max_it, level * mechanism.query_scale)
        pair = mechanism.output_law(base).against(mechanism.output_law(base + moves))
        found += [pair.renyi(order).value, pair.swap().renyi(order).value]
    return max(found) / (order * BUDGET)


def shared_sample() -> tuple[Curve, ...]:
    """By budget, at order 2: what a gradient and a search on one sample leak, over what is charged for them."""
    hinge = SharedSample(q=_Q, order=2.0, loss="hinge")
    fall = replace(hinge, loss="fall")
    gaussians = SharedGaussians(q=_Q, order=2.0)
    return (
        Curve(label="Algorithm 2, the paper's hinge loss", points=_charged(hinge)),
        Curve(label="Algorithm 2, a loss that falls to 0 beside w", points=_charged(fall)),
        Curve(
            label="any two mechanisms: two Gaussian releases",
            points=tuple((budget, _ratio(replace(gaussians, rho_1=budget, rho_2=budget))) for budget in _BUDGETS),
        ),
        Curve(
            label="repaired: the sum amplified once, hinge",
            points=_charged(replace(hinge, charge="together")),
            kind="bound",
        ),
    )


def _charged(one: SharedSample) -> tuple[tuple[float, float], ...]:
    return tuple((budget, _ratio(replace(one, rho_grad=budget, budget_bt=budget))) for budget in _BUDGETS)


def _ratio(one: SharedSample | SharedGaussians) -> float:
    return one.truth().value / one.printed().value
