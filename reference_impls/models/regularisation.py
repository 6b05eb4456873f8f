"""L1 and L2 regularisation: its value, the gradient of its smooth part, the proximal operator of its L1 part.

    l1 |w|_1 + (l2 / 2) |w|_2^2

The half is that of RSGD, section 5.1, and DISS (3.10); the example under DISS (3.1) prints ``lambda |w|^2`` without it,
which is l2 = 2 lambda here; BLSGD, section V-A, names a coefficient (0.001) and no formula. L1 as DISS (4.2). Neither
term depends on a record, so neither costs privacy.

Proximal steps (DISS, section 4.5.2 and (4.17)) are ``prox(w - eta * (smooth gradient), eta)``.

Not to be confused with a regulariser inside the per-record loss, whose gradient would be clipped with the loss's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import NonNegative

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Penalty(Checked):
    """A regulariser of weights, shape (d,).

    Attributes
    ----------
    l1, l2 : float
        Coefficients, finite, >= 0.
    """

    l1: NonNegative = 0.0
    l2: NonNegative = 0.0

    def value(self, weights: Float) -> float:
        """``l1 |w|_1 + (l2 / 2) |w|_2^2``."""
        return float(self.l1 * np.abs(weights).sum() + 0.5 * self.l2 * np.square(weights).sum())

    def gradient(self, weights: Float) -> Float:
        """The gradient l2 w of the smooth part, shape (d,)."""
        return np.asarray(self.l2 * weights)

    def prox(self, point: Float, step: float) -> Float:
        """The minimiser of ``step l1 |w|_1 + |w - point|^2 / 2``, shape (d,)."""
        return soft_threshold(point, step * self.l1)


def soft_threshold(point: Float, threshold: float) -> Float:
    """Each coordinate moved towards zero by `threshold` >= 0, and no further; never moves two points apart.

    Raises
    ------
    InputError
        For a negative threshold.
    """
    if not threshold >= 0.0:
        raise InputError(f"a soft threshold of {threshold}", allowed="a number >= 0")
    return np.asarray(np.sign(point) * np.maximum(np.abs(point) - threshold, 0.0))
