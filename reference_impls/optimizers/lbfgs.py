"""SciPy's L-BFGS-B without bounds, as the baselines that need a minimum use it.

Limits: at a kink (hinge loss, L1) it may stop short of the minimum; it stops after `iterations` whether or not the
gradient is small.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]


def minimise(
    objective: Callable[[Float], tuple[float, Float]], start: Float, *, tolerance: float, iterations: int
) -> Float:
    """Where the largest coordinate of the gradient is at most `tolerance`, or where the iterations ended; shape (d,).

    Parameters
    ----------
    objective : callable
        Weights of shape (d,) to the value and the gradient.
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
