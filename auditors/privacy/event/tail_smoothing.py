"""Smooths the ratios of a learned score's tails: estimates for events that are too rare to be counted yet.

A score that estimates the log-likelihood ratio is calibrated on draws that it was not learned from: a logistic curve of
degree two from the score to the odds of the two sides (after Platt, "Probabilistic outputs for support vector
machines", 1999). Averaged over a tail, the curve gives the ratio of the tail's probabilities, and its error, which
grows with the distance from the observed scores. The counted ratio and that of the curve are then averaged, weighted by
precision. Where the two contradict each other, only the counted one is used.

Smoothing only ranks events; the bound comes from new draws. Limits: made for small tails and for scores in units of a
log-ratio; a plain coordinate need not have such a curve, and is never smoothed.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from auditors.privacy.event.tails import Tails
from dpverify.core.subjects import Float

STEPS = 8
MIDDLE, REACHES, BETTER = 0.05, (3.0, 2.0, 1.0, 0.5), 4.0
"""Multiples of the range of the middle 90 % of draws beyond which the curve is constant, and a difference.

The first multiple is used unless the log-likelihood of another is larger by this difference. A ratio may be bounded, as
for a sound mechanism; a score beyond its bound is noise.
"""

MISFIT = 0.12
"""Model error of the curve, as a part of its log-ratio; added to the error of the coefficients."""

CONTRADICTS, CLEARLY = 1.5, 1.5
"""Standard errors by which counts may differ from the curve, and by which the curve must differ from no leak.
"""


def smoothed_log_ratios(tails: Tails, *, clearly: float = CLEARLY) -> tuple[Float, Float, Float]:
    """Log-ratio of d0's to d1's probability of each event: shape (2, t), above and not above.

    The curve must show a leak by `clearly` standard errors of the counts. The result includes the parts of the variance
    due to the curve and to the counts, since only the counts have a selection bias. NaN where the counts contradict the
    curve, and where there is no curve.
    """
    mass = -np.diff(np.concatenate([np.ones((2, 1)), tails.above, np.zeros((2, 1))], axis=1), axis=1) * tails.size
    nothing = np.full((2, tails.thresholds.size), np.nan)
    if (curve := _curve(np.append(tails.thresholds, tails.largest), mass)) is None:
        return nothing, nothing, nothing
    powers, share, covariance = curve
    total = mass.sum(axis=0)
    first, second, moved = (
        _inside(part) for part in (total * share, total * (1 - share), powers * total * share * (1 - share))
    )
    counted = np.stack([tails.above, 1.0 - tails.above]) * tails.size
    with np.errstate(divide="ignore", invalid="ignore"):
        fitted = np.log(first) - np.log(second)
        slope = moved * (1.0 / first + 1.0 / second)  # derivative of `fitted` by the coefficients, shape (3, 2, t)
        of_fitted = np.einsum("iet,ij,jet->et", slope, covariance, slope) + (MISFIT * fitted) ** 2
        seen = np.log(counted[:, 0] + 0.5) - np.log(counted[:, 1] + 0.5)
        of_seen = 1.0 / (counted[:, 0] + 0.5) + 1.0 / (counted[:, 1] + 0.5)
        line, counts = of_seen / (of_fitted + of_seen), of_fitted / (of_fitted + of_seen)  # weights by precision
        fits = np.abs(seen - fitted) <= CONTRADICTS * np.sqrt(of_fitted + of_seen)
        fits &= np.abs(fitted) >= clearly * np.sqrt(of_seen)
        joined = line * fitted + counts * seen, line**2 * of_fitted, counts**2 * of_seen
        ratio, of_line, of_counts = (np.where(fits, part, np.nan) for part in joined)
        return ratio, of_line, of_counts


def _inside(cells: Float) -> Float:
    """Sums above and not above each threshold, shape (..., 2, t), of values in cells, shape (..., t + 1)."""
    below = np.cumsum(cells, axis=-1)
    return np.stack([below[..., -1:] - below[..., :-1], below[..., :-1]], axis=-2)


def _curve(scores: Float, mass: Float) -> tuple[Float, Float, Float] | None:
    """Powers of the score, d0's share of each cell by maximum likelihood, and the covariance of the coefficients."""
    total = mass.sum(axis=0)
    ends = scores[np.searchsorted(np.cumsum(total), np.array([MIDDLE, 1.0 - MIDDLE]) * total.sum())]
    if not ends[1] > ends[0]:
        return None
    x = (2.0 * scores - ends.sum()) / (ends[1] - ends[0])
    best: tuple[float, tuple[Float, Float, Float]] | None = None
    for reach in REACHES:
        fitted = _fitted(np.clip(x, -reach, reach), mass)
        if fitted is not None and (best is None or fitted[0] > best[0] + BETTER):
            best = fitted
    return None if best is None else best[1]


def _fitted(x: Float, mass: Float) -> tuple[float, tuple[Float, Float, Float]] | None:
    """The log-likelihood of the best curve in x, and the values that `_curve` returns."""
    total = mass.sum(axis=0)
    powers = np.stack([np.ones_like(x), x, x * x])
    coefficients = np.zeros(3)
    for _ in range(STEPS):
        share = special.expit(coefficients @ powers)
        information = (powers * (total * share * (1.0 - share))) @ powers.T
        if not np.linalg.cond(information) < 1e10:
            return None
        coefficients = coefficients + np.linalg.solve(information, powers @ (mass[0] - total * share))
    if not np.isfinite(coefficients).all():
        return None
    share = special.expit(coefficients @ powers)
    likelihood = float(np.sum(special.xlogy(mass[0], share) + special.xlogy(mass[1], 1.0 - share)))
    return likelihood, (powers, share, np.linalg.inv(information))
