"""One iteration of linearised ADMM with the constraint x = z: (4.8), (4.10), (4.9) of DISS, section 4.5.1.

    x' = (-g - y + rho z + x / eta) / (rho + 1 / eta)      argmin of (4.7) in x, g the (noisy) mean gradient
    z' = S_(l1 / rho)(x' + y / rho)                        argmin of (4.3) in z for h = l1 |z|_1
    y' = y + rho (x' - z')

Only g depends on records. (4.8) prints the gradient at x, meaning x^k; (4.9) prints x and z, meaning the new ones.
After the z-step, y' is a subgradient of h at z'.

Each formula is written once, for arrays and for the scalars of kernels. Not to be confused with exact ADMM, which
minimises (4.3) in x as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from reference_impls.models.regularisation import soft_threshold

Float = NDArray[np.float64]
Number = TypeVar("Number", float, Float)


def primal(gradient: Number, x: Number, y: Number, z: Number, eta: float, rho: float) -> Number:
    """(4.8): the new x; arrays of one shape, or numbers."""
    return (-gradient - y + rho * z + x / eta) / (rho + 1.0 / eta)


def split(x: Float, y: Float, rho: float, l1: float) -> Float:
    """(4.10): the new z from the new x, shape (d,)."""
    return soft_threshold(x + y / rho, l1 / rho)


def dual(y: Number, x: Number, z: Number, rho: float) -> Number:
    """(4.9): the new y from the new x and z."""
    return y + rho * (x - z)


primal_of: Callable[..., float] = njit(cache=True, nogil=True)(primal)
"""(4.8) for one coordinate, for kernels."""
dual_of: Callable[..., float] = njit(cache=True, nogil=True)(dual)
"""(4.9) for one coordinate, for kernels."""


@njit(cache=True, nogil=True)
def split_of(x: float, y: float, rho: float, l1: float) -> float:
    """(4.10) for one coordinate: the new z from the new x."""
    point = x + y / rho
    return math.copysign(max(abs(point) - l1 / rho, 0.0), point)
