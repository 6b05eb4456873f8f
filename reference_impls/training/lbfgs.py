"""Minimisation by SciPy: L-BFGS-B without bounds, and Newton's method where a claim needs the minimum itself.

Limits of L-BFGS (`minimise`): at a kink (hinge loss, L1) it may stop short of the minimum. It stops after `iterations`,
or where the value no longer falls in float64, whether or not the gradient is small. `stationary` goes on from there
until the gradient is small, or raises an InputError; `minimum` is the one after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError

Float = NDArray[np.float64]


def minimise(
    objective: Callable[[Float], tuple[float, Float]], start: Float, *, tolerance: float, iterations: int
) -> Float:
    """The end of L-BFGS from `start`, shape (d,): where the gradient is small, or the iterations or digits ran out.

    Parameters
    ----------
    objective : callable
        Weights of shape (d,) to the value and the gradient.
    tolerance : float
        L-BFGS stops where the largest coordinate of the gradient is at most this.
    """
    from scipy.optimize import minimize

    found = minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"gtol": tolerance, "ftol": 0.0, "maxiter": iterations, "maxfun": 20 * iterations},
    )
    return np.asarray(found.x, dtype=np.float64)


def stationary(gradient: Callable[[Float], Float], start: Float, *, tolerance: float, iterations: int) -> Float:
    """A point near `start` where the largest coordinate of the gradient is at most `tolerance`, shape (d,).

    Newton's method on the gradient alone (SciPy's Newton-Krylov), which sees what the value's rounding hides. The
    gradient is checked again at the end.

    Raises
    ------
    InputError
        When no such point was found.
    """
    from scipy.optimize import NoConvergence, newton_krylov

    point = start
    if not np.abs(gradient(point)).max(initial=0.0) <= tolerance:
        with suppress(NoConvergence, ValueError):  # ValueError: a gradient of nan
            point = np.asarray(newton_krylov(gradient, start, f_tol=tolerance, maxiter=iterations), dtype=np.float64)  # type: ignore[arg-type]  # the stubs know scalars only
    left = np.abs(gradient(point)).max(initial=0.0)
    if not left <= tolerance:
        raise InputError(
            f"a minimum that was not reached: a gradient of {left:.3g} after {iterations} iterations",
            allowed=f"at most the tolerance, {tolerance:g}",
            remedy="give it more iterations, or a larger tolerance if the claim can bear it",
        )
    return point


def minimum(
    objective: Callable[[Float], tuple[float, Float]], start: Float, *, tolerance: float, iterations: int
) -> Float:
    """A point where the largest coordinate of the gradient is at most `tolerance`, shape (d,): L-BFGS, then Newton.

    Raises
    ------
    InputError
        When no such point was found.
    """
    near = minimise(objective, start, tolerance=tolerance, iterations=iterations)
    return stationary(lambda point: objective(point)[1], near, tolerance=tolerance, iterations=iterations)
