"""Logistic regression by Newton's method, over pieces of the samples, and shrinkage of its weights.

The prior of the weights is normal with spread 1. Features are kept between the steps if they have at most 2^25 numbers
(256 MiB), and computed again piece by piece otherwise. Shrinking is empirical Bayes (Efron and Morris, JASA 1973).
Limits: standardised features, cut at 50 spreads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpverify.core.subjects import Float

PIECE = 2**13
"""Rows whose features are computed together; so many fit into the processor's cache."""

MOST_KEPT = 2**25
"""Most numbers that are kept between the steps; otherwise features are computed again in each step."""

STEPS = 4


def fit(
    parts: Sequence[Any], centres: Float, spreads: Float, sides: tuple[NDArray[Any], NDArray[Any]]
) -> tuple[Float, Float]:
    """Weights of the standardised features without the constant, and their information matrix."""
    k = len(parts)
    weights, information = np.zeros(k + 1), np.eye(k + 1)
    kept: dict[tuple[float, int], Float] = {}
    room = k * sum(map(len, sides)) <= MOST_KEPT
    for step in range(STEPS):
        information, miss = np.eye(k + 1), -weights  # a normal prior of spread 1: features may repeat one another
        for target, values in ((1.0, sides[0]), (0.0, sides[1])):
            for start in range(0, len(values), PIECE):
                x = kept[target, start] if step and room else _standardised(parts, centres, spreads, values, start)
                if room:
                    kept[target, start] = x
                share = special.expit(weights @ x)
                information += (x * (share * (1.0 - share))) @ x.T
                miss += x @ (target - share)
        change = np.linalg.solve(information, miss)
        weights = weights + change
        if step and float(np.abs(change).max()) < 1e-3 * float(np.abs(weights).max()):
            break
    inverse = np.linalg.inv(information)[:k, :k]
    return weights[:k], np.linalg.inv(inverse)


def _standardised(parts: Sequence[Any], centres: Float, spreads: Float, values: NDArray[Any], start: int) -> Float:
    """The features of a piece, and a constant."""
    k, piece = len(parts), values[start : start + PIECE]
    x = np.empty((k + 1, len(piece)))
    for i, part in enumerate(parts):
        x[i] = part(piece)
    x[:k] = np.clip((x[:k] - centres[:, None]) / spreads[:, None], -50.0, 50.0)
    x[k] = 1.0
    return x


def shrunk(weights: Float, information: Float, kinds: list[str]) -> Float:
    """Shrink the weights of each kind towards 0, the more the less they vary compared with their standard errors.

    Weights without a kind are unchanged.
    """
    noise, penalty = np.diag(np.linalg.inv(information)), np.zeros(weights.size)
    for kind in filter(None, dict.fromkeys(kinds)):
        of = np.flatnonzero([one == kind for one in kinds])
        scatter = float(np.mean(weights[of] ** 2 - noise[of]))
        penalty[of] = 1.0 / max(scatter, 1e-4 * float(noise[of].mean()))
    return np.asarray(np.linalg.solve(information + np.diag(penalty), information @ weights), dtype=np.float64)
