"""How far one replaced record moves the result of cyclic mini-batch SGD: the recursion of RSGD and DISS chapter 3.

Rests on Lemma 2 (DISS Lemma 3.1): a step ``w - eta grad f_B(w)`` moves two points at most
``rho = max(|1 - eta mu|, |1 - eta L|)`` times as far apart, and a batch in which one record differs adds at most
``2 eta R / |B|``. Algorithm 2 (DISS 3.2) carries that through the epochs for each place j that the record's batch may
have in an epoch. Where iterates are averaged, so are their bounds (RSGD (5), DISS (3.8)). Proposition 2 (DISS Theorem
3.1) is the closed form for a fixed step. Neighbours: one record replaced, which keeps n and the other records' places.

Assumptions: conditions 1 to 4 of RSGD, section 3.3, for every record at every w that the two runs reach. Condition 4
fails for a loss with ``l2 |w|^2 / 2`` in it and no ball around w, but the proof of Lemma 2 needs less: 2 R has to bound
the difference of two records' gradients at one w, in which l2 w cancels. So R here is that of the loss alone.

Side of the error: every number is an upper bound up to rounding, a few units in the last place a step.

Readings. Algorithm 2 prints ``eta_0 / s`` and no averaging, but the text combines it with both (section 4.3). RSGD's
Algorithm 3, line 7, steps by ``eta_0 / h`` with h counted from the last restart, DISS's, line 8, by ``eta_0 / s``;
`step_sizes` has them by name. Lines 13 to 15 of the one and 14, 15 of the other number the iterates differently and
average the same ones: the last m tau.

Not to be confused with the sensitivity of a gradient, nor with the privacy that follows (see
:mod:`reference_impls.optimizers.rsgd_privacy`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError

Float = NDArray[np.float64]
SCHEDULES = ("restart", "epoch", "fixed")


def step_sizes(schedule: str, initial: float, epochs: int, *, interval: int | None = None) -> tuple[float, ...]:
    """The step sizes eta of the epochs s = 1 .. T.

    Parameters
    ----------
    schedule : "restart", "epoch" or "fixed"
        eta_0 / h with h epochs since the last averaging (RSGD, Algorithm 3), eta_0 / s (Algorithms 1 and 2; DISS), or
        eta_0 (Proposition 2).
    initial : float
        eta_0.
    interval : int or None
        tau, for "restart"; None for never.

    Raises
    ------
    InputError
        For another schedule.
    """
    if schedule not in SCHEDULES:
        raise InputError(f"schedule {schedule!r}", allowed=", ".join(SCHEDULES))
    if schedule == "fixed":
        return (initial,) * epochs
    period = interval if schedule == "restart" and interval else epochs
    return tuple(initial / (s % period + 1) for s in range(epochs))


def contraction(step: float, *, smoothness: float, strong_convexity: float) -> float:
    """rho of Lemma 2: below 1 exactly for 0 < step < 2 / L, where mu > 0."""
    return max(abs(1.0 - step * strong_convexity), abs(1.0 - step * smoothness))


def sensitivities(
    steps: Sequence[float],
    sizes: Sequence[int],
    *,
    lipschitz: float,
    smoothness: float,
    strong_convexity: float,
    interval: int | None = None,
) -> Float:
    """Delta[j], j = 1 .. m: how far the last iterate moves when the replaced record is in batch j, in L2.

    Parameters
    ----------
    steps : sequence of float
        The step size of each epoch.
    sizes : sequence of int, length m
        The batches' sizes; the recursion as printed takes the nominal one for all.
    lipschitz, smoothness, strong_convexity : float
        R (of the loss without its regulariser), L and mu.
    interval : int or None
        tau: every so many epochs the iterate becomes the mean of the last m tau; None for never.

    Returns
    -------
    float64, shape (m,)
        inf where it overflows, or where R or L is.
    """
    if math.isinf(lipschitz) or math.isinf(smoothness):
        return np.full(len(sizes), np.inf)
    delta, total = np.zeros(len(sizes)), np.zeros(len(sizes))
    with np.errstate(over="ignore"):
        for s, step in enumerate(steps, start=1):
            rho = contraction(step, smoothness=smoothness, strong_convexity=strong_convexity)
            for j, size in enumerate(sizes):
                delta *= rho
                delta[j] += 2.0 * step * lipschitz / size
                total += delta
            if interval and s % interval == 0:
                delta, total = total / (len(sizes) * interval), np.zeros(len(sizes))
    return delta


def fixed_step_printed(step: float, size: int, batches: int, *, lipschitz: float, rho: float) -> float:
    """2 eta R / (|B| (1 - rho^m)), Proposition 2 as printed: for any eta, with no condition on it.

    Beyond eta = 2 / L it is negative and bounds nothing (at 2 / L, and for mu = 0, it is inf, which is right). DISS's
    proof uses the condition ("since 0 < rho < 1"); neither paper states it.
    """
    lost = 1.0 - rho**batches
    return 2.0 * step * lipschitz / (size * lost) if lost else math.inf
