"""The augmented Lagrangian of ``min f(x) + h(z), x = z`` and its linearised form: DISS, (4.3) and (4.7).

    L     = f(x) + l1 |z|_1 + y.(x - z) + (rho / 2) |x - z|^2
    L-hat = f(x^k) + g.x + |x - x^k|^2 / (2 eta) + l1 |z|_1 + y.(x - z) + (rho / 2) |x - z|^2

(4.7) prints g.x and not g.(x - x^k): a constant, which moves no minimiser, but makes L-hat no approximation of L. What
the closed forms of :mod:`reference_impls.admm.updates` minimise.

Not to be confused with the Lagrangian of [42] (Ouyang, He, Tran, Gray 2013), which has -y where this has +y.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]


def augmented(value: float, x: Float, z: Float, y: Float, *, rho: float, l1: float) -> float:
    """L of (4.3) where f(x) is `value`; x, z, y of shape (d,)."""
    apart = x - z
    linear = float(np.einsum("j,j->", y, apart))
    return value + l1 * float(np.abs(z).sum()) + linear + 0.5 * rho * float(np.square(apart).sum())


def linearised(
    value: float, gradient: Float, at: Float, x: Float, z: Float, y: Float, *, eta: float, rho: float, l1: float
) -> float:
    """L-hat of (4.7) around `at`, x^k, where f is `value` and its gradient on the batch `gradient`; shape (d,) each."""
    model = value + float(np.einsum("j,j->", gradient, x)) + float(np.square(x - at).sum()) / (2.0 * eta)
    return augmented(model, x, z, y, rho=rho, l1=l1)
