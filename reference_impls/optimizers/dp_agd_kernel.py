"""The kernel of DP-AGD for linear models: the table is read twice an iteration, whatever the number of candidates.

It draws in the order of the loop: the normals of a gradient, then one Laplace draw for each candidate. Candidates are
compared by :func:`~reference_impls.models.ray_losses.ray_sums`. A result equals the loop's up to the order of sums, as
long as both choose the same candidates. A sum is off by less than 1e-9 of a loss where the noise has the scale C_obj /
epsilon: a run of a thousand selections differs with probability below 1e-6.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpverify.sampling.ziggurat import laplace, normal
from reference_impls.models.ray_losses import ray_sums, slopes_of
from reference_impls.models.sparse_rows import Rows, add_sparse_gradient, sparse_scores

Float = NDArray[np.float64]


@njit(cache=True, nogil=True)
def dp_agd_many(
    out: Float,
    code: int,
    h_bar: float,
    rows: Rows,
    labels: Float,
    norms: Float,
    budgets: tuple[float, float, float],
    settings: tuple[float, float, float, float, float, float, float],
    candidates: int,
    tau: int,
    s0: np.uint64,
    s1: np.uint64,
    s2: np.uint64,
    s3: np.uint64,
) -> None:
    """One training in each row of `out`, shape (size, d).

    Parameters
    ----------
    budgets : tuple of float
        rho, the first rho_ng, rho_nmax.
    settings : tuple of float
        c_grad, c_obj, gamma, alpha_max, varsigma, l2, and the scale of a selection's noise.
    """
    rho, first, choosing = budgets
    c_grad, c_obj, gamma, widest, varsigma, l2, noise = settings
    scores, along, slopes = np.empty(labels.size), np.empty(labels.size), np.empty(labels.size)
    clean, measured, direction = np.empty(out.shape[1]), np.empty(out.shape[1]), np.empty(out.shape[1])
    steps, sums = np.empty(candidates + 1), np.empty(candidates + 1)
    for trial in range(out.shape[0]):
        weights = out[trial]
        weights[:] = 0.0
        scores[:] = 0.0
        left, rho_ng, alpha_max, longest, iteration = rho, first, widest, 0.0, 0
        while left > rho_ng + choosing:
            slopes_of(slopes, code, h_bar, scores, labels)
            clean[:] = 0.0
            add_sparse_gradient(clean, c_grad, slopes, norms, rows)
            scale = c_grad / math.sqrt(2.0 * rho_ng)
            for j in range(clean.size):
                unit, s0, s1, s2, s3 = normal(s0, s1, s2, s3)
                measured[j] = clean[j] + scale * unit
            left -= rho_ng
            for k in range(candidates):
                steps[k] = k * (alpha_max / candidates)
            steps[candidates] = alpha_max
            answer = 0
            while answer == 0:
                if not left > choosing:
                    break
                for j in range(weights.size):
                    direction[j] = measured[j] + l2 * weights[j]
                direction /= max(np.sqrt(np.square(direction).sum()), 1e-300)
                sparse_scores(along, direction, rows)
                ray_sums(sums, code, h_bar, c_obj, scores, along, labels, steps)
                smallest = math.inf
                for k in range(steps.size):
                    unit, s0, s1, s2, s3 = laplace(s0, s1, s2, s3)
                    regular = 0.5 * l2 * np.square(weights - steps[k] * direction).sum() if l2 else 0.0
                    noisy = sums[k] + regular + noise * unit
                    if noisy < smallest:
                        smallest, answer = noisy, k
                left -= choosing
                if answer == 0:
                    more = gamma * rho_ng
                    if not left > more:
                        break
                    scale = c_grad / math.sqrt(2.0 * more)
                    for j in range(clean.size):
                        unit, s0, s1, s2, s3 = normal(s0, s1, s2, s3)
                        measured[j] = (measured[j] + gamma * (clean[j] + scale * unit)) / (1.0 + gamma)
                    left, rho_ng = left - more, rho_ng + more
            if answer == 0:
                break  # the budget ended within this iteration
            weights -= steps[answer] * direction
            scores -= steps[answer] * along
            longest = max(longest, steps[answer])
            iteration += 1
            if iteration % tau == 0:
                alpha_max, longest = min(varsigma * longest, widest), 0.0
