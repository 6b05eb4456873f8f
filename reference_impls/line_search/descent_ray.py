"""A public starting point and direction for a line search, made from a named data set without noise.

Algorithm 1 takes w and g as public. Here w is an iterate of plain gradient descent on the mean clipped gradient of a
*named* data set, and g is that gradient at w (times a factor). Both are fixed before an audit and are the same on D and
D'. Nothing is claimed of their privacy, so they may come from the data set that D and D' are made from.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpverify.datasets.table import Table
from reference_impls.models.margin import clipped_gradient, margin_model

Float = NDArray[np.float64]

STEP = 0.25
"""Step size of the descent that leads to w; small enough for features in [0, 1], few of which are not 0."""
GRADIENT_CLIP = 3.0
"""BLSGD's C_grad (section V-D)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ray:
    """The points w - eta g, eta >= 0.

    Attributes
    ----------
    weights, direction : float64, shape (d,)
        w and g; read-only.
    """

    weights: Float
    direction: Float


@lru_cache(maxsize=128)
def descent(table: Table, loss: str, iterate: int) -> Ray:
    """The ray at an iterate of gradient descent from w = 0 on `table`: w there, and the mean clipped gradient.

    Cached for each table object; each iterate is computed from the one before.
    """
    model = margin_model(loss)
    if iterate == 0:
        weights = np.zeros(table.columns)
    else:
        before = descent(table, loss, iterate - 1)
        weights = before.weights - STEP * before.direction
    direction = clipped_gradient(model, table, weights, GRADIENT_CLIP) / max(table.rows, 1)
    for array in (weights, direction):
        array.flags.writeable = False
    return Ray(weights=weights, direction=direction)
