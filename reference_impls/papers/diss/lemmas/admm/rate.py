"""Theorem 4.2 of DISS: how fast the averages of ssADMM converge, as printed and as its own proof gives it.

For y^0 = 0, rates that never rise, |x^k - x*| <= d_X throughout, E |noisy gradient|^2 <= C^2 + p sigma^2:

    E[f(mean of x^0 .. x^(t-1)) + h(zbar) - optimum + beta |xbar - zbar|]
        <= (1/t) ((C^2 + p sigma^2) / 2 sum_k eta^k + d_X^2 / (2 eta^(t-1))) + rho D^2 / (2 t) + beta^2 / (2 rho t)

with xbar, zbar the means of x^1 .. x^t and z^1 .. z^t, and **D = |x* - z^0|**. Side: an upper bound in expectation;
`path_bound` is the same inequality along one run, with nothing taken in expectation: it holds always.

Flaws of the printed theorem. (1) From the second line of (4.12) on, D is d_y* = |y^0 - y*|, the distance of the *dual*
variable; in [42] (Ouyang, He, Tran, Gray 2013) y is the second primal one. As printed the bound is false: with l1 = 0
and y* = y^0 = 0 it does not grow with rho, though x then moves by no more than C / rho a step. (2) The averages are
printed as (1/k) sum over i = 1 .. k-1, which has k - 1 terms, and as one and the same x for f and for the constraint;
the proof needs the two above. (3) Rates are summed from k = 0, where eta^k ~ 1 / sqrt(k) is not defined. (4) The bound
on E |g + noise|^2 is written with a cross term 2 E|g| E|noise|, which is not 0; E<g, noise> is. (5) No step projects x,
so d_X need not be finite. (6) Line 11 of Algorithm 4.1 returns x^T, not an average.

Not to be confused with a bound on the last iterate: the theorem says nothing of that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]


def rate_bound(
    steps: Sequence[float], *, squared: float, diameter: float, distance: float, rho: float, beta: float = 0.0
) -> float:
    """The right-hand side for t = len(steps) iterations.

    Parameters
    ----------
    steps : sequence of float
        eta^0 .. eta^(t-1), never rising.
    squared : float
        C^2 + p sigma^2.
    diameter : float
        d_X.
    distance : float
        D; |y^0 - y*| for the printed bound, which may lie below the truth.
    rho, beta : float
        Penalty, > 0, and the weight of the constraint, >= 0.
    """
    t = len(steps)
    noise = 0.5 * squared * sum(steps) + diameter * diameter / (2.0 * steps[-1])
    return noise / t + rho * distance * distance / (2.0 * t) + beta * beta / (2.0 * rho * t)


def theorem_steps(t: int, *, squared: float, diameter: float) -> tuple[float, ...]:
    """eta^k = d_X / sqrt(2 (C^2 + p sigma^2) k) of the proof, k = 1 .. t."""
    return tuple(diameter / math.sqrt(2.0 * squared * k) for k in range(1, t + 1))


def path_bound(
    steps: Sequence[float],
    path: Float,
    noisy: Float,
    exact: Float,
    optimum: Float,
    start: Float,
    *,
    rho: float,
    beta: float = 0.0,
) -> float:
    """The first inequality of (4.12) along one run, before expectations: never below the left-hand side.

    Parameters
    ----------
    path : float64, shape (t + 1, d)
        x^0 .. x^t.
    noisy, exact : float64, shape (t, d)
        The gradients that the steps took, and those of all records without noise.
    optimum, start : float64, shape (d,)
        x* and z^0.
    """
    eta = np.asarray(steps)
    away = np.square(path - optimum).sum(axis=1)
    terms = 0.5 * eta * np.square(noisy).sum(axis=1) + (away[:-1] - away[1:]) / (2.0 * eta)
    terms += ((noisy - exact) * (optimum - path[:-1])).sum(axis=1)
    rest = 0.5 * rho * float(np.square(optimum - start).sum()) + 0.5 * beta * beta / rho
    return (float(terms.sum()) + rest) / eta.size
