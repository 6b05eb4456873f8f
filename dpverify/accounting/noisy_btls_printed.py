"""The Renyi curves that BLSGD's Theorems 2 and 3 (DISS 5.2 and 5.3) claim for NoisyBTLS, as printed.

Claims, not facts: these functions compute the claims, and the ledger has the verdicts. All values in nats. Not to be
confused with the bounds of :mod:`~dpverify.accounting.stopping_gaussian`, which are proved.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpverify.core.subjects import Float


def laplace_curve(orders: ArrayLike, *, epsilon_1: float, epsilon_2: float) -> Float:
    """Formula (4): the Laplace version's claimed Renyi epsilon at each order > 1, same shape as `orders`.

    The product of the moments of two Laplace shifts: one of Delta at scale Delta / epsilon_1 (the threshold) and one
    of 2 Delta at scale Delta / epsilon_2 (the query that stops the search). Computed in log space: no overflow at
    large orders.
    """
    order = np.asarray(orders, dtype=np.float64)
    return np.asarray(
        (_laplace_log_moment(order, epsilon_1) + _laplace_log_moment(order, 2.0 * epsilon_2)) / (order - 1.0),
        dtype=np.float64,
    )


def gaussian_curve(orders: ArrayLike, *, sigma_1_squared: float, sigma_2_squared: float) -> Float:
    """Formula (5): order (4 sigma_1^2 + sigma_2^2) / (2 sigma_1^2 sigma_2^2), whatever max_it; shape as `orders`."""
    rate = (4.0 * sigma_1_squared + sigma_2_squared) / (2.0 * sigma_1_squared * sigma_2_squared)
    return np.asarray(np.asarray(orders, dtype=np.float64) * rate, dtype=np.float64)


def _laplace_log_moment(order: Float, shift: float) -> Float:
    """log of E_Q[(P/Q)^order] for Laplace laws `shift` scales apart."""
    far, near = np.log(order / (2.0 * order - 1.0)), np.log((order - 1.0) / (2.0 * order - 1.0))
    return np.asarray(np.logaddexp(far + shift * (order - 1.0), near - shift * order), dtype=np.float64)
